// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/hospitals_residents/options.hpp>

#include <cstdint>
#include <functional>
#include <vector>

// How several processes solve a market, and what one of them did. Needs neither Kokkos nor MPI.

namespace taper::hospitals_residents {

/// What one process sent to others in a round. With P processes
/// bytes = 16 entries + 12 offers + 4 rejections + (P - 1) (8 limits + 32). If hospitals propose,
/// the first round has 16 (P - 1) bytes more.
struct RoundTraffic {
  std::uint64_t asking = 0;      ///< proposals of this process, to agents of any process
  std::uint64_t offers = 0;      ///< proposals of this process, to agents of other processes
  std::uint64_t rejections = 0;  ///< rejections that were sent to the processes of the proposers
  std::uint64_t limits = 0;      ///< if residents propose: own hospitals with a new limit
  std::uint64_t bytes = 0;       ///< bytes of all messages
  /// If hospitals propose: entries of lists that were sent to the processes of their hospitals,
  /// before the first round.
  std::uint64_t entries = 0;
};

/// What a run of several processes did.
struct DistributedReport {
  Report market;                      ///< of the whole market; the same in all processes
  std::vector<RoundTraffic> traffic;  ///< of this process, per round; empty if it is the only one
};

/// How processes exchange messages. All processes give the same values.
struct DistributedOptions {
  /// The longest message of MPI, in bytes, from 1 to 2^31 - 1. A longer one is sent in pieces.
  std::uint64_t max_message_bytes = std::uint64_t{1} << 30;
  /// If it is set, each process calls it after each of its rounds. For progress, and for tests.
  std::function<void(RoundTraffic const&)> after_round = {};
};

}  // namespace taper::hospitals_residents
