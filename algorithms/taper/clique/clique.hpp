// SPDX-License-Identifier: Apache-2.0
#pragma once

// Maximum clique: the front door.
//
//   options.hpp       what a caller chooses
//   report.hpp        what a solve returns
//   weights.hpp       unit and integer weights, and the check of weights
//   host_calls.hpp    what front doors that search on the host share
//   start.hpp         the check of a set to begin with
//   solve.hpp         the front doors for graphs in host memory, without Kokkos
//   shared_search.hpp what processes of MPI share; distributed/ is their front door
//   search.hpp        cores, first cliques, subproblems, and their distribution over workers
//   dense_search.hpp  branch and bound in one dense graph
//   colour_bound.hpp  on which vertices a node must branch
//   dense_graph.hpp   a subgraph as rows of bits
//   core_order.hpp    the degeneracy order
//   maximal.hpp       counts maximal cliques
//
// See also: verify.hpp checks a clique, generate.hpp makes graphs. For independent sets:
// independent_set/.

#include <taper/clique/host_calls.hpp>
#include <taper/clique/maximal.hpp>
#include <taper/clique/options.hpp>
#include <taper/clique/report.hpp>
#include <taper/clique/solve.hpp>
#include <taper/clique/start.hpp>
#include <taper/clique/verify.hpp>
#include <taper/error.hpp>
#include <taper/place.hpp>
#include <taper/region.hpp>
#include <taper/vertex_cover/graph.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

namespace taper::clique {

using vertex_cover::Graph;
using vertex_cover::max_vertices;

namespace detail {

/// Throws: taper::Error if the graph has too many vertices, or in_clique not one entry for each.
template <class Offsets, class Entries, class Clique>
void require_clique_fits(Graph<Offsets, Entries> const& graph, Clique const& in_clique) {
  static_assert(Kokkos::is_view_v<Clique> && Clique::rank == 1 &&
                    std::is_same_v<typename Clique::value_type, std::uint8_t>,
                "solve: in_clique is a rank-1 View of std::uint8_t that can be written");
  TAPER_REQUIRE(graph.vertices() <= max_vertices,
                "taper::clique::solve: the graph has " + std::to_string(graph.vertices()) +
                    " vertices; the maximum is " + std::to_string(max_vertices));
  TAPER_REQUIRE(in_clique.extent(0) == graph.vertices(),
                "taper::clique::solve: in_clique has " + std::to_string(in_clique.extent(0)) +
                    " entries, the graph has " + std::to_string(graph.vertices()) + " vertices");
}

/// Calls search(fork, in_clique) with a span of marks in host memory, copies the marks to the
/// caller's View, and returns the report of the search.
template <Place P, class Clique, class SearchWithFork>
Report solve_and_copy(P const& place, Clique const& in_clique, SearchWithFork const& search) {
  auto const& where = device_of(place);
  Kokkos::View<std::uint8_t*, Kokkos::HostSpace> const host_clique("taper::clique::host_clique",
                                                                   in_clique.extent(0));
  Report report;
  fork_on_host(place, [&](Fork& fork) {
    report = search(fork, std::span(host_clique.data(), host_clique.extent(0)));
  });
  Kokkos::deep_copy(where, in_clique, host_clique);
  where.fence("taper::clique::solve: wait for the copy of the clique");
  return report;
}

}  // namespace detail

// Call solve() by its qualified name: the namespace of Graph has a solve() too.

/// Computes a maximum clique of `graph`: the most vertices of which each two are adjacent. Writes 1
/// to `in_clique` for each vertex of the clique, else 0. The search runs on all threads of the
/// place's host.
///
/// in_clique holds a clique even if a limit ends the run. report.upper_bound then bounds the size
/// of all cliques.
/// Equivalent to: trying all sets of vertices. The size of a maximum clique does not depend on the
///   number of threads or the options. Which of several maximum cliques is found may depend on
///   them.
/// Requires: a simple graph (vertex_cover::find_fault() checks this, solve() does not); in_clique
///   is a rank-1 View of std::uint8_t with an entry per vertex. No other work uses the Views.
/// Ensures: the vertices of in_clique are adjacent to each other; solved: no clique is larger.
/// Cost: exponential in the size of the largest dense part; time_limit_s and `stop` bound it.
///   Memory: about three times that of the graph, and per worker rows of degeneracy^2 bits.
/// Async: returns with the device of `place` fenced.
/// Throws: taper::Error if in_clique does not have one entry per vertex, or the graph has more than
///   max_vertices vertices, or Options::start is no clique.
template <Place P, class Offsets, class Entries, class Clique>
Report solve(P const& place, Graph<Offsets, Entries> const& graph, Clique const& in_clique,
             Options const& options = {}) {
  detail::require_clique_fits(graph, in_clique);
  Region const region("taper::clique::solve");
  HostGraph const host_graph = to_host(device_of(place), graph);
  require_start("taper::clique::solve", "a clique", host_graph, options.start, find_missing_edges);
  return detail::solve_and_copy(place, in_clique,
                                [&](Fork& fork, std::span<std::uint8_t> host_clique) {
                                  return solve_on_host(fork, host_graph, host_clique, options);
                                });
}

/// Computes a clique of maximum weight: the same with `weights`, a rank-1 View of std::int64_t with
/// an entry per vertex.
///
/// Vertices of weight 0 are never part of the clique; so it may be empty.
/// Equivalent to, Requires, Cost, Async: as above.
/// Ensures: the weights of the clique's vertices sum up to report.clique_weight; solved: no clique
///   is heavier.
/// Throws: as above; taper::Error with the first vertex whose weight is negative, or with which the
///   sum of weights exceeds max_weight_sum.
template <Place P, class Offsets, class Entries, class Weights, class Clique>
requires(Kokkos::is_view_v<Weights>&& Kokkos::is_view_v<Clique>) Report
    solve(P const& place, Graph<Offsets, Entries> const& graph, Weights const& weights,
          Clique const& in_clique, Options const& options = {}) {
  detail::require_clique_fits(graph, in_clique);
  Region const region("taper::clique::solve");
  auto const& where = device_of(place);
  auto const values = checked_weights("taper::clique::solve", where, weights, graph.vertices());
  HostGraph const host_graph = to_host(where, graph);
  require_start("taper::clique::solve", "a clique", host_graph, options.start, find_missing_edges);
  return detail::solve_and_copy(
      place, in_clique, [&](Fork& fork, std::span<std::uint8_t> host_clique) {
        return solve_on_host(fork, host_graph, values, host_clique, options);
      });
}

/// Counts the maximal cliques of `graph`: those that are part of no other clique. The empty graph
/// has none. The search runs on all threads of the place's host.
///
/// Of the options, only the limits are used.
/// Equivalent to: trying all sets of vertices, and counting the cliques to which no vertex can be
///   added.
/// Requires: a simple graph. No other work uses its Views.
/// Cost: at most about d n 3^(d/3) for n vertices and degeneracy d.
/// Async: returns with the device of `place` fenced.
/// Throws: taper::Error if the graph has more than max_vertices vertices.
template <Place P, class Offsets, class Entries>
MaximalReport count_maximal(P const& place, Graph<Offsets, Entries> const& graph,
                            Options const& options = {}) {
  TAPER_REQUIRE(graph.vertices() <= max_vertices,
                "taper::clique::count_maximal: the graph has " + std::to_string(graph.vertices()) +
                    " vertices; the maximum is " + std::to_string(max_vertices));
  Region const region("taper::clique::count_maximal");
  HostGraph const host_graph = to_host(device_of(place), graph);
  MaximalReport report;
  fork_on_host(place,
               [&](Fork& fork) { report = count_maximal_on_host(fork, host_graph, options); });
  return report;
}

}  // namespace taper::clique
