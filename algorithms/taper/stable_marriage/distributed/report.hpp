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
  std::uint64_t ranks = 0;   ///< ranks for proposers of other processes, before the first round
  std::uint64_t offers = 0;  ///< offers to receivers of other processes
  /// Receivers of this process with a better offer, which all are told of. If one process finishes:
  /// of all receivers, and of proposers that need more candidates.
  std::uint64_t news = 0;
  /// If one process finishes: free proposers, and candidates of all, that went there.
  std::uint64_t candidates = 0;
  std::uint64_t bytes = 0;
};

/// What a run of several processes did.
struct DistributedReport {
  Report instance;                    ///< of the whole instance, alike in all processes
  std::vector<RoundTraffic> traffic;  ///< of this process, per round; none if it is alone
};

/// How processes exchange. All of them give the same.
struct DistributedOptions {
  /// The longest message of MPI, in bytes, from 1 to 2^31 - 1. Longer ones go in pieces.
  std::uint64_t max_message_bytes = std::uint64_t{1} << 30;
  /// When a round has settled less than half of the free proposers, process 0 finishes alone. Each
  /// proposer gives it its next candidates, at first this many. 0: rounds go on to the end.
  std::uint32_t candidates = 16;
  /// If it is set, each process calls it after each of its rounds. For progress, and for tests.
  std::function<void(RoundTraffic const&)> after_round = {};
};

}  // namespace taper::stable_marriage
