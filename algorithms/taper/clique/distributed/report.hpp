// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/clique/report.hpp>
#include <taper/vertex_cover/distributed/report.hpp>

#include <cstddef>
#include <functional>
#include <vector>

// How several processes find a clique together, and what each of them did. Needs neither Kokkos nor
// MPI.

namespace taper::clique {

using vertex_cover::ProcessWork;

/// What a run of several processes found and did. It is alike in all of them.
struct DistributedReport {
  Report clique;                       ///< the counters are those of all processes
  std::vector<ProcessWork> processes;  ///< by process; `conflicts` is 0
};

/// How processes search together. All of them give the same.
struct DistributedOptions {
  /// A graph that is dense as a whole, with fewer vertices than this, is searched by each process
  /// alone.
  std::size_t vertices_alone = 64;
  /// If it is set, each process calls it whenever it looks for messages. For tests.
  std::function<void()> at_poll = {};
};

}  // namespace taper::clique
