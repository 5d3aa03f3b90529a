// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "all_option.hpp"
#include "problem.hpp"

#include <taper/independent_set/options.hpp>
#include <taper/independent_set/report.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Sets of vertices with weights. The vertices outside an independent set of maximum weight are a
// cover of minimum weight. Used by: the commands cover and independent-set.

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
                                     independent_set::Options options);

/// A vertex cover, and bounds on its weight.
struct WeightedCover {
  std::vector<std::uint8_t> marks;
  independent_set::Weight weight = 0;       ///< of the cover, as the search reports it
  independent_set::Weight lower_bound = 0;  ///< no cover weighs less
};

/// All but the set. Of the vertices of weight 0, which are in no set, it has only those that an
/// edge needs, or that are forced.
WeightedCover cover_of(CoverProblem const& problem,
                       std::span<independent_set::Weight const> weights, SolvedSet const& solved);

/// The marks of the vertices outside a set: a cover. Leaves out vertices of weight 0 that no edge
/// needs. Empty weights: none is 0.
std::vector<std::uint8_t> cover_that_leaves(CoverProblem const& problem,
                                            std::span<independent_set::Weight const> weights,
                                            std::vector<std::uint8_t> in_set);

/// All independent sets of weight `maximum`, the greatest, up to `limit`, on all threads of the
/// host. No weights: all are 1. Vertices of `problem.forced` are in no set.
FoundSets find_all_sets(CoverProblem const& problem, std::vector<independent_set::Weight> weights,
                        independent_set::Weight maximum, std::size_t limit, double time_limit_s);

/// What the search did, in one line.
std::string search_text(SolvedSet const& solved);

/// " (a gap of 1.3 %)": how far the bound is from the weight that was found.
std::string gap_text(std::int64_t found, std::int64_t bound);

/// These are compiled in weighted_set_kokkos.cpp. `backend`: a host backend; `threads`: 0: all.
SolvedSet solve_weighted_set(std::string_view backend, int threads,
                             vertex_cover::HostGraph const& graph,
                             std::span<independent_set::Weight const> weights,
                             independent_set::Options const& options);
FoundSets find_all_sets_on(std::string_view backend, vertex_cover::HostGraph const& graph,
                           std::span<independent_set::Weight const> weights,
                           independent_set::Weight maximum, std::size_t limit,
                           independent_set::Options const& options);

}  // namespace taper::app
