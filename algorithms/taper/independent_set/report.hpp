// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/independent_set/options.hpp>
#include <taper/report.hpp>

#include <cstdint>

namespace taper::independent_set {

/// The result and the counters of a solve().
struct Report {
  /// solved: the set has maximum weight. stopped: a limit or Options::stop ended the run; the set is
  /// the incumbent.
  Status status = Status::solved;
  std::uint64_t set_size = 0;  ///< vertices of the set
  Weight set_weight = 0;       ///< its weight; without weights: its size
  Weight upper_bound = 0;      ///< no set is heavier; equal to set_weight if solved

  std::uint64_t kernel_vertices = 0;  ///< vertices of the reduced graph
  std::uint64_t kernel_edges = 0;     ///< edges of the reduced graph
  std::uint64_t components = 0;       ///< with weights: components of the reduced graph
  std::uint64_t nodes = 0;            ///< search nodes visited
  std::uint64_t workers = 0;          ///< with weights: threads that searched
};

}  // namespace taper::independent_set
