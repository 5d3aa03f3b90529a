// SPDX-License-Identifier: Apache-2.0
//
// Compiles the templates of vertex_cover, once per backend.
#include "problem.hpp"

#include <support/seconds_of.hpp>
#include <support/spaces.hpp>

#include <taper/vertex_cover/generate.hpp>
#include <taper/vertex_cover/vertex_cover.hpp>

#include <string_view>
#include <type_traits>
#include <vector>

namespace taper::app {

namespace vc = vertex_cover;

namespace {

/// The place of a solve: with_host(), on `threads` threads if it is a host backend.
template <class Space>
auto place_of([[maybe_unused]] int threads) {
  if constexpr (is_host_space<Space>) {
    return with_threads<Space>(threads);
  } else {
    return with_host<Space>();
  }
}

template <class Space>
SolvedCover solve_on(int threads, vc::HostGraph const& graph, vc::Options const& options) {
  auto const place = place_of<Space>(threads);
  auto const views = vc::to_views(device_of(place), graph);
  Kokkos::View<std::uint8_t*, typename Space::memory_space> const in_cover("taper::app::in_cover",
                                                                           graph.vertices());
  SolvedCover solved;
  solved.seconds = seconds_of([&] { solved.report = vc::solve(place, views, in_cover, options); });
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, in_cover);
  solved.in_cover.assign(host.data(), host.data() + host.extent(0));
  return solved;
}

}  // namespace

SolvedCover solve_cover(std::string_view backend, int threads, CoverProblem const& problem,
                        vc::Options options) {
  return solve_with_forced(problem, options,
                           [&](vc::HostGraph const& graph, vc::Options const& of_graph) {
                             SolvedCover solved;
                             with_backend(backend, [&]<class Space>(std::type_identity<Space>) {
                               solved = solve_on<Space>(threads, graph, of_graph);
                             });
                             return solved;
                           });
}

vc::HostGraph generate_graph(vc::Workload const& workload) {
  return vc::generate(workload);
}

}  // namespace taper::app
