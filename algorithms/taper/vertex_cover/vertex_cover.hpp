// SPDX-License-Identifier: Apache-2.0
#pragma once

// Vertex cover: the front door.
//
//   options.hpp            what a caller chooses
//   report.hpp             what a solve returns
//   graph.hpp              the graph, in Views and in host memory
//   branch_and_reduce/     Mode::taper: reduce, bound, search, lift, on one host thread; clique
//                          search on all host threads
//   clique_sat/            clause learning, one of the solvers of branch_and_reduce/
//   component_search/      the other modes: reduce on the host, search on every worker of the place
//   solve_views.hpp        selects the mode
//
// See also: verify.hpp checks a cover, generate.hpp makes graphs.

#include <taper/error.hpp>
#include <taper/place.hpp>
#include <taper/region.hpp>
#include <taper/vertex_cover/graph.hpp>
#include <taper/vertex_cover/options.hpp>
#include <taper/vertex_cover/report.hpp>
#include <taper/vertex_cover/view_types.hpp>
#ifndef TAPER_COMPILED  // else Taper::compiled has the searches in object code
#include <taper/vertex_cover/solve_views.hpp>
#endif

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

namespace taper::vertex_cover {

/// Computes a minimum vertex cover of `graph` and writes it to `in_cover`: 1 for each vertex in it,
/// else 0.
///
/// With Options::k: a cover of at most k vertices, or the proof that there is none. in_cover holds
/// a cover even if a limit ends the run.
/// Equivalent to: trying all sets of vertices. The size of a minimum cover does not depend on mode,
///   backend, number of threads or other options. Which of several minimum covers is found may.
/// Requires: a simple graph (find_fault() checks this, solve() does not), and Views that the device
///   of `place` can reach, with no other work on them.
/// Ensures: count_uncovered(where, graph, in_cover) == 0 and cover_size(where, in_cover) ==
///   report.cover_size; solved and no k: no cover is smaller.
/// Cost: exponential in the size of the reduced graph; time_limit_s and `stop` bound it.
/// Async: returns with the execution space instances of `place` fenced; uses no other instance.
/// Throws: taper::Error if in_cover does not have one entry per vertex, or the graph has more than
///   max_vertices vertices, or Options::start is no cover; in modes other than Mode::taper, if it has 2^31 edges or more, or a
///   degree does not fit into `degree_bits`.
template <Place P, class Offsets, class Entries, class Cover>
Report solve(P const& place, Graph<Offsets, Entries> const& graph, Cover const& in_cover,
             Options const& options = {}) {
  static_assert(!std::is_const_v<typename Cover::value_type>, "solve: in_cover is written");
  static_assert(
      Kokkos::SpaceAccessibility<DeviceOf<P>, typename Entries::memory_space>::accessible &&
          Kokkos::SpaceAccessibility<DeviceOf<P>, typename Offsets::memory_space>::accessible &&
          Kokkos::SpaceAccessibility<DeviceOf<P>, typename Cover::memory_space>::accessible,
      "solve: the device of `place` must reach the graph and in_cover");
  detail::require_cover_fits("taper::vertex_cover::solve", graph, in_cover);
  Region const region("taper::vertex_cover::solve");
  auto const solve_on = [&]<Place Q>(Q const& where) {
    using Views = detail::SolveGraph<Q>;
    using OwnCover = detail::SolveCover<Q>;
    auto const& device = device_of(where);
    Views const views{detail::as_view<decltype(Views::offsets)>(
                          device, "taper::vertex_cover::row_offsets", graph.offsets),
                      detail::as_view<decltype(Views::entries)>(
                          device, "taper::vertex_cover::row_entries", graph.entries)};
    if constexpr (is_assignable_view<Cover, OwnCover>) {
      return detail::solve_views<Q>(where, views, in_cover, options);
    } else {
      OwnCover const cover(
          Kokkos::view_alloc(device, Kokkos::WithoutInitializing, "taper::vertex_cover::cover"),
          in_cover.extent(0));
      auto report = detail::solve_views<Q>(where, views, cover, options);
      copy_entries(device, "taper::vertex_cover::copy_cover", cover, in_cover);
      device.fence("taper::vertex_cover::solve: wait for the copy of the cover");
      return report;
    }
  };
  if constexpr (HostExecutionSpace<DeviceOf<P>>) {
    return solve_on(device_of(place));  // if the device is a host backend, a Duo's host is not used
  } else {
    return solve_on(place);
  }
}

}  // namespace taper::vertex_cover
