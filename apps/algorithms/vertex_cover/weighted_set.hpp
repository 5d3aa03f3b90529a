// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "problem.hpp"

#include <taper/independent_set/options.hpp>
#include <taper/independent_set/report.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Sets of vertices with weights. A cover of minimum weight is all but an independent set of maximum
// weight. Used by: the commands cover and independent-set.

namespace taper::app {

/// The result of one solve with weights.
struct SolvedSet {
  independent_set::Report report;
  std::vector<std::uint8_t> in_set;  ///< the independent set
  std::string_view backend;
  double seconds = 0;  ///< of the library's solve
};

/// Solves on `threads` threads of a host backend; 0: all. Vertices of `problem.forced` are in no
/// set. Requires a started Runtime, and weights without a fault.
SolvedSet solve_weighted_problem(std::string_view backend, int threads, CoverProblem const& problem,
                                 std::vector<independent_set::Weight> weights,
                                 independent_set::Options const& options);

/// The same on all threads, with a line of its progress on a terminal.
SolvedSet watched_solve_weighted_set(CoverProblem const& problem,
                                     std::vector<independent_set::Weight> weights,
                                     double time_limit_s);

/// A vertex cover, and bounds on its weight.
struct WeightedCover {
  std::vector<std::uint8_t> marks;
  independent_set::Weight weight = 0;       ///< of the cover, as the search reports it
  independent_set::Weight lower_bound = 0;  ///< no cover weighs less
};

/// All but the set. Of the vertices of weight 0, which are in no set, it has only those that an edge
/// needs, or that are forced.
WeightedCover cover_of(CoverProblem const& problem,
                       std::span<independent_set::Weight const> weights, SolvedSet const& solved);

/// What the search did, in one line.
std::string search_text(SolvedSet const& solved);

/// " (a gap of 1.3 %)": how far the bound is from the weight that was found.
std::string gap_text(std::int64_t found, std::int64_t bound);

/// Compiled in weighted_set_kokkos.cpp. `backend`: a host backend; `threads`: 0: all.
SolvedSet solve_weighted_set(std::string_view backend, int threads,
                             vertex_cover::HostGraph const& graph,
                             std::span<independent_set::Weight const> weights,
                             independent_set::Options const& options);

}  // namespace taper::app
