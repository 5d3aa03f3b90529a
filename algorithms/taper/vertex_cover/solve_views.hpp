// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/error.hpp>
#include <taper/fork_join.hpp>
#include <taper/place.hpp>
#include <taper/region.hpp>
#include <taper/vertex_cover/branch_and_reduce/branch_and_reduce.hpp>
#include <taper/vertex_cover/component_search/component_search.hpp>
#include <taper/vertex_cover/graph.hpp>
#include <taper/vertex_cover/options.hpp>
#include <taper/vertex_cover/report.hpp>
#include <taper/vertex_cover/start.hpp>
#include <taper/vertex_cover/view_types.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

// Runs the search of Options::mode. Taper::compiled has this file in object code.
// Used by: solve() of vertex_cover.hpp; cmake/compiled/vertex_cover.cpp.in.

namespace taper::vertex_cover::detail {

/// Workers that run tasks on all threads of a host execution space.
template <HostExecutionSpace Host>
branch_and_reduce::Workers workers_of(Host const& where) {
  auto const count = static_cast<std::uint32_t>(concurrency(where));
  if (count == 1) {
    return {};
  }
  return {count, [where](std::size_t tasks, branch_and_reduce::Workers::Task const& task) {
            fork_join(where, Scheduler::pool, [&](Fork& all) {
              all.each(std::size_t{0}, tasks,
                       [&](std::size_t i, Fork& fork) { task(i, fork.worker()); });
            });
          }};
}

/// The host workers of a place. A GPU without a Duo: the calling thread alone.
template <Place P>
branch_and_reduce::Workers host_workers([[maybe_unused]] P const& place) {
  if constexpr (HostExecutionSpace<DeviceOf<P>>) {
    return workers_of(device_of(place));
  } else if constexpr (AnyDuo<P>) {
    return workers_of(place.host);
  } else {
    return {};
  }
}

/// Mode::taper: copies the graph to the host, solves it there, and copies the cover back.
template <Place P>
Report solve_on_host(P const& place, SolveGraph<P> const& graph, SolveCover<P> const& in_cover,
                     Options const& options) {
  auto const& where = device_of(place);
  HostGraph const host_graph = to_host(where, graph);
  require_start(host_graph, options.start);
  Kokkos::View<std::uint8_t*, Kokkos::HostSpace> const host_cover("taper::vertex_cover::host_cover",
                                                                  graph.vertices());
  Report report;
  {
    Region const region("taper::vertex_cover::search");
    report =
        branch_and_reduce::solve(host_graph, std::span(host_cover.data(), host_cover.extent(0)),
                                 options, host_workers(place));
  }
  Kokkos::deep_copy(where, in_cover, host_cover);
  where.fence("taper::vertex_cover::solve: wait for the copy of the cover");
  return report;
}

template <Place P>
Report solve_views(P const& place, SolveGraph<P> const& graph, SolveCover<P> const& in_cover,
                   Options const& options) {
  TAPER_REQUIRE(options.start.empty() || options.mode == Mode::taper,
                "taper::vertex_cover::solve: only Mode::taper has Options::start");
  return options.mode == Mode::taper ? solve_on_host(place, graph, in_cover, options)
                                     : component_search::solve(place, graph, in_cover, options);
}

}  // namespace taper::vertex_cover::detail
