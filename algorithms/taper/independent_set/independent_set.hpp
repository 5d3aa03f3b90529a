// SPDX-License-Identifier: Apache-2.0
#pragma once

// Maximum independent set: the front door. Without weights, vertex_cover/ finds a minimum vertex
// cover, and the set has the other vertices. With weights:
//
//   options.hpp                what a caller chooses
//   report.hpp                 what a solve returns
//   solve.hpp                  the solver for graphs in host memory, without Kokkos
//   weighted_graph.hpp         the graph that reductions rewrite, and the lifting of sets
//   weighted_rules.hpp         the reductions
//   clique_cover.hpp           an upper bound
//   weighted_local_search.hpp  first sets
//   weighted_search.hpp        branch and reduce
//
// See also: all_sets.hpp finds all maximum sets, clique/verify.hpp checks a set. The vertices
// outside a maximum weight independent set are a minimum weight vertex cover.

#include <taper/clique/host_calls.hpp>
#include <taper/clique/start.hpp>
#include <taper/clique/verify.hpp>
#include <taper/copy_entries.hpp>
#include <taper/error.hpp>
#include <taper/independent_set/options.hpp>
#include <taper/independent_set/report.hpp>
#include <taper/independent_set/solve.hpp>
#include <taper/place.hpp>
#include <taper/region.hpp>
#include <taper/vertex_cover/graph.hpp>
#include <taper/vertex_cover/vertex_cover.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace taper::independent_set {

using vertex_cover::Graph;
using vertex_cover::max_vertices;

namespace detail {

/// Replaces the marks of a cover by those of the other vertices, an independent set.
template <class Set>
struct InvertMarks {
  Set marks;
  KOKKOS_FUNCTION void operator()(std::size_t v) const { marks(v) = marks(v) != 0 ? 0 : 1; }
};

/// Throws: taper::Error if the graph has too many vertices, or in_set not one entry for each.
template <class Offsets, class Entries, class Set>
void require_set_fits(Graph<Offsets, Entries> const& graph, Set const& in_set) {
  static_assert(Kokkos::is_view_v<Set> && Set::rank == 1 &&
                    std::is_same_v<typename Set::value_type, std::uint8_t>,
                "solve: in_set is a rank-1 View of std::uint8_t that can be written");
  TAPER_REQUIRE(graph.vertices() <= max_vertices,
                "taper::independent_set::solve: the graph has " + std::to_string(graph.vertices()) +
                    " vertices; the maximum is " + std::to_string(max_vertices));
  TAPER_REQUIRE(in_set.extent(0) == graph.vertices(),
                "taper::independent_set::solve: in_set has " + std::to_string(in_set.extent(0)) +
                    " entries, the graph has " + std::to_string(graph.vertices()) + " vertices");
}

}  // namespace detail

// Call solve() by its qualified name: the namespace of Graph has a solve() too.

/// Computes a maximum independent set of `graph`: the most vertices of which no two are adjacent.
/// Writes 1 to `in_set` for each vertex of the set, else 0. The place's host searches.
///
/// in_set holds an independent set even if a limit ends the run. report.upper_bound then bounds the
/// size of all sets. Options::progress is updated only at the end.
/// Equivalent to: vertex_cover::solve(); the set has all vertices that are not in the cover.
/// Requires: a simple graph (vertex_cover::find_fault() checks this, solve() does not); in_set is a
///   rank-1 View of std::uint8_t with an entry per vertex. The device of `place` can reach the
///   Views, and no other work uses them.
/// Ensures: no two vertices of in_set are adjacent; solved: no independent set is larger.
/// Cost: that of vertex_cover::solve().
/// Async: returns with the execution space instances of `place` fenced.
/// Throws: taper::Error if in_set does not have one entry per vertex, or the graph has more than
///   max_vertices vertices, or Options::start is no independent set.
template <Place P, class Offsets, class Entries, class Set>
Report solve(P const& place, Graph<Offsets, Entries> const& graph, Set const& in_set,
             Options const& options = {}) {
  detail::require_set_fits(graph, in_set);
  Region const region("taper::independent_set::solve");
  vertex_cover::Options limits;
  limits.time_limit_s = options.time_limit_s;
  limits.stop = options.stop;
  limits.heuristic = options.heuristic;
  std::vector<std::uint8_t> const first_cover = vertex_cover::complement_of(options.start);
  limits.start = first_cover;
  auto const cover = vertex_cover::solve(place, graph, in_set, limits);
  auto const& where = device_of(place);
  using Policy = Kokkos::RangePolicy<DeviceOf<P>, Kokkos::IndexType<std::size_t>>;
  Kokkos::parallel_for("taper::independent_set::invert_marks", Policy(where, 0, graph.vertices()),
                       detail::InvertMarks<Set>{in_set});
  where.fence("taper::independent_set::solve: wait for the marks");
  std::uint64_t const n = graph.vertices();
  Report report;
  report.status = cover.status;
  report.set_size = n - cover.cover_size;
  report.set_weight = static_cast<Weight>(report.set_size);
  report.upper_bound = static_cast<Weight>(n - cover.lower_bound);
  report.kernel_vertices = cover.kernel_vertices;
  report.kernel_edges = cover.kernel_edges;
  report.nodes = cover.nodes;
  if (options.progress != nullptr) {
    options.progress->nodes = report.nodes;
    options.progress->best = report.set_weight;
    options.progress->upper_bound = report.upper_bound;
  }
  return report;
}

/// Computes an independent set of maximum weight: the same with `weights`, a rank-1 View of
/// std::int64_t with an entry per vertex. All threads of the place's host search.
///
/// Vertices of weight 0 are never part of the set; so it may be empty. Options::progress is updated
/// during the run.
/// Equivalent to: trying all sets of vertices. The weight of the set does not depend on the number
///   of threads. Which of several heaviest sets is found may depend on it.
/// Requires: a simple graph, and Views that no other work uses.
/// Ensures: no two vertices of in_set are adjacent; their weights sum up to report.set_weight;
///   solved: no independent set is heavier.
/// Cost: about linear if the reductions leave little, as in road networks; else exponential in the
///   size of the largest component that they leave. time_limit_s and `stop` end it within 0.1 s,
///   and during the reductions within a few passes over the graph. Memory: about five times that of
///   the graph, and up to 2 GiB per worker in the search. A search that needs more leaves nodes
///   unsearched: its status is then `stopped`, although no limit ended it.
/// Async: returns with the device of `place` fenced.
/// Throws: as above; taper::Error with the first vertex whose weight is negative, or with which the
///   sum of weights exceeds clique::max_weight_sum.
template <Place P, class Offsets, class Entries, class Weights, class Set>
requires(Kokkos::is_view_v<Weights>&& Kokkos::is_view_v<Set>) Report
    solve(P const& place, Graph<Offsets, Entries> const& graph, Weights const& weights,
          Set const& in_set, Options const& options = {}) {
  detail::require_set_fits(graph, in_set);
  Region const region("taper::independent_set::solve");
  auto const& where = device_of(place);
  auto const values =
      clique::checked_weights("taper::independent_set::solve", where, weights, graph.vertices());
  HostGraph const host_graph = to_host(where, graph);
  Kokkos::View<std::uint8_t*, Kokkos::HostSpace> const host_set("taper::independent_set::host_set",
                                                                in_set.extent(0));
  Report report;
  clique::require_start("taper::independent_set::solve", "an independent set", host_graph,
                        options.start, clique::find_inner_edges);
  clique::fork_on_host(place, [&](Fork& fork) {
    report = solve_on_host(fork, host_graph, std::span<Weight const>(values),
                           std::span(host_set.data(), host_set.extent(0)), options);
  });
  Kokkos::deep_copy(where, in_set, host_set);
  where.fence("taper::independent_set::solve: wait for the copy of the set");
  return report;
}

}  // namespace taper::independent_set
