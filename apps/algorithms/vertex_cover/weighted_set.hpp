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

/// Solves on all threads of the host, with a line of its progress on a terminal. Vertices of
/// `problem.forced` are in no set. Requires a started Runtime, and weights without a fault.
SolvedSet watched_solve_weighted_set(CoverProblem const& problem,
                                     std::vector<independent_set::Weight> weights,
                                     double time_limit_s);

/// Adds vertices of weight 0 that have no neighbour in the set and are not forced: a cover does not
/// need them.
void add_weightless(CoverProblem const& problem, std::span<independent_set::Weight const> weights,
                    std::span<std::uint8_t> in_set);

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
