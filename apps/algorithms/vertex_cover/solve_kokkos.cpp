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

/// The answer without a search if more than k vertices are forced: no cover of k vertices exists.
SolvedCover too_many_forced(CoverProblem const& problem) {
  SolvedCover solved;
  solved.report.found = false;
  solved.report.cover_size = problem.vertices() - problem.forced.size();
  solved.in_cover.assign(problem.vertices(), 1);
  return solved;
}

}  // namespace

SolvedCover solve_cover(std::string_view backend, int threads, CoverProblem const& problem,
                        vc::Options options) {
  auto const forced = problem.forced.size();
  SolvedCover solved;
  if (options.k >= 0 && static_cast<std::size_t>(options.k) < forced) {
    solved = too_many_forced(problem);
  } else {
    std::vector<std::uint8_t> start(options.start.begin(), options.start.end());
    for (std::size_t i = 0; i < forced && !start.empty(); ++i) {
      start[problem.forced[i]] = 0;  // without edges, so no cover of the graph needs it
    }
    options.start = start;
    if (options.k >= 0) {
      options.k -= static_cast<std::int64_t>(forced);
    }
    with_backend(backend, [&]<class Space>(std::type_identity<Space>) {
      solved = solve_on<Space>(threads, problem.graph, options);
    });
  }
  for (auto const vertex : problem.forced) {
    solved.in_cover[vertex] = 1;
  }
  solved.report.cover_size += forced;
  solved.report.lower_bound += forced;
  return solved;
}

vc::HostGraph generate_graph(vc::Workload const& workload) {
  return vc::generate(workload);
}

}  // namespace taper::app
