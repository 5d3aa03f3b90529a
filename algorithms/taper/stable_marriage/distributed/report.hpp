// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/stable_marriage/report.hpp>

#include <cstdint>
#include <functional>
#include <vector>

// How several processes solve an instance, and what one of them did. Needs neither Kokkos nor MPI.

namespace taper::stable_marriage {

/// What one process sent to others in a round. With P processes and ids of `id` bytes:
/// bytes = id ranks + 12 (offers + candidates + (P - 1) news) + 16 (P - 1).
struct RoundTraffic {
  std::uint64_t free = 0;    ///< proposers of this process that are free before the round
  std::uint64_t ranks = 0;   ///< before the first round: ranks for proposers of other processes
  std::uint64_t offers = 0;  ///< offers to receivers of other processes
  /// Receivers of this process with a better offer, which is sent to all processes. If process 0
  /// finishes: receivers of all processes, and proposers that need more candidates.
  std::uint64_t news = 0;
  /// If process 0 finishes: free proposers, and candidates of all proposers, that were sent to it.
  std::uint64_t candidates = 0;
  std::uint64_t bytes = 0;  ///< bytes of all messages
};

/// What a run of several processes did.
struct DistributedReport {
  Report instance;                    ///< of the whole instance; the same in all processes
  std::vector<RoundTraffic> traffic;  ///< of this process, per round; empty if it is the only one
};

/// How processes exchange messages. All processes give the same values.
struct DistributedOptions {
  /// The longest message of MPI, in bytes, from 1 to 2^31 - 1. A longer one is sent in pieces.
  std::uint64_t max_message_bytes = std::uint64_t{1} << 30;
  /// When a round has settled less than half of the free proposers, process 0 finishes alone. It
  /// gets the next candidates of each proposer, at first this many. 0: rounds continue to the end.
  std::uint32_t candidates = 16;
  /// If it is set, each process calls it after each of its rounds. For progress, and for tests.
  std::function<void(RoundTraffic const&)> after_round = {};
};

}  // namespace taper::stable_marriage
