// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/report.hpp>

#include <cstdint>
#include <functional>
#include <vector>

// How several processes find a cover together, and what each of them did. Needs neither Kokkos nor
// MPI.

namespace taper::vertex_cover {

/// What one process did.
struct ProcessWork {
  std::uint64_t nodes = 0;        ///< search nodes visited
  std::uint64_t conflicts = 0;    ///< of clause learning
  std::uint64_t subproblems = 0;  ///< given to other processes
  std::uint64_t messages = 0;     ///< sent to other processes, subproblems included
  std::uint64_t bytes = 0;        ///< of these messages
};

/// What a run of several processes found and did. It is the same in all processes.
struct DistributedReport {
  Report cover;                        ///< nodes and conflicts are those of all processes
  std::vector<ProcessWork> processes;  ///< one per process
};

/// How processes search together. All processes give the same values.
struct DistributedOptions {
  /// Search nodes of a component that each process visits alone. A component that needs more is
  /// hard, and all processes search it together.
  std::uint64_t nodes_alone = 500;
  /// If it is set, each process calls it each time that it polls for messages: about once per
  /// search node. For tests.
  std::function<void()> at_poll = {};
};

}  // namespace taper::vertex_cover
