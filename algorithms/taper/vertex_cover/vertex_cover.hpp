// SPDX-License-Identifier: Apache-2.0
#pragma once

// Vertex cover: front door and table of contents, in the order in which the data flows.

// What a caller chooses, and what a run tells.
#include <taper/vertex_cover/options.hpp>
#include <taper/vertex_cover/report.hpp>
// The graph, in Views and on the host.
#include <taper/vertex_cover/graph.hpp>
// The default mode: reduce, bound, search, lift, on one host core; a dense kernel's search on all.
#include <taper/vertex_cover/standard/standard.hpp>
// The paper's mode: reduce on the host, search on every worker of the place.
#include <taper/vertex_cover/paper/paper.hpp>

#include <taper/contract.hpp>
#include <taper/duo.hpp>
#include <taper/fork_join.hpp>
#include <taper/region.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace taper::vertex_cover {
namespace detail {

template <HostExecutionSpace Host>
standard::Workers workers_of(Host const& where) {
  auto const count = static_cast<std::uint32_t>(where.concurrency());
  if (count == 1) {
    return {};
  }
  return {count, [where](std::size_t tasks, standard::Workers::Task const& task) {
            fork_join(where, Scheduler::pool, [&](Fork& all) {
              all.each(std::size_t{0}, tasks,
                       [&](std::size_t i, Fork& fork) { task(i, fork.worker()); });
            });
          }};
}

/// A place that is a GPU alone has the calling thread.
template <Place P>
standard::Workers host_workers([[maybe_unused]] P const& place) {
  if constexpr (HostExecutionSpace<DeviceOf<P>>) {
    return workers_of(device_of(place));
  } else if constexpr (AnyDuo<P>) {
    return workers_of(place.host);
  } else {
    return {};
  }
}

/// Mode default: the graph comes to the host, the cover goes back.
template <Place P, class Offsets, class Entries, class Cover>
Report solve_standard(P const& place, Graph<Offsets, Entries> const& graph, Cover const& in_cover,
                      Options const& options) {
  auto const& where = device_of(place);
  HostGraph const host_graph = to_host(where, graph);
  Kokkos::View<std::uint8_t*, Kokkos::HostSpace> const host_cover("taper::vertex_cover::host_cover",
                                                                  graph.vertices());
  Report report;
  {
    Region const region("taper::vertex_cover::search");
    report = standard::solve(host_graph, std::span(host_cover.data(), host_cover.extent(0)),
                             options, host_workers(place));
  }
  Kokkos::deep_copy(where, in_cover, host_cover);
  where.fence("taper::vertex_cover::solve: the cover has been copied");
  return report;
}

}  // namespace detail

/// A minimum vertex cover of `graph`, written to `in_cover`: 1 for each vertex in it, else 0.
///
/// With Options::k, a cover of at most k vertices, or the proof that there is none. Whatever ends
/// the run, in_cover holds a cover.
/// Equivalent to: trying all sets of vertices. The size does not depend on mode, backend, thread
///   count or policy; which of several minimum covers it is may.
/// Requires: a simple graph (see find_fault(); not checked here), and Views that the device side of
///   `place` can reach, with no other work on them.
/// Ensures: count_uncovered(where, graph, in_cover) == 0 and cover_size(where, in_cover) ==
///   report.cover_size; solved and no k: no cover is smaller.
/// Cost: exponential in what the reductions leave; time_limit_s and `stop` bound it.
/// Async: returns with the instances in `place` fenced; touches no other instance.
/// Throws: taper::Error where extents disagree or there are more vertices than ids.
template <Place P, class Offsets, class Entries, class Cover>
Report solve(P const& place, Graph<Offsets, Entries> const& graph, Cover const& in_cover,
             Options const& options = {}) {
  static_assert(!std::is_const_v<typename Cover::value_type>, "solve: in_cover is written");
  static_assert(
      Kokkos::SpaceAccessibility<DeviceOf<P>, typename Entries::memory_space>::accessible &&
          Kokkos::SpaceAccessibility<DeviceOf<P>, typename Offsets::memory_space>::accessible &&
          Kokkos::SpaceAccessibility<DeviceOf<P>, typename Cover::memory_space>::accessible,
      "solve: the device side of `place` must reach the graph and in_cover");
  detail::require_cover_fits("taper::vertex_cover::solve", graph, in_cover);
  Region const region("taper::vertex_cover::solve");
  if (options.mode == Mode::paper) {
    return paper::solve(place, graph, in_cover, options);
  }
  return detail::solve_standard(place, graph, in_cover, options);
}

}  // namespace taper::vertex_cover
