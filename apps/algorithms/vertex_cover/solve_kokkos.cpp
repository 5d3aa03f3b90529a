// SPDX-License-Identifier: Apache-2.0
//
// The only place where commands meet the templates of vertex_cover: each backend is compiled here,
// once.
#include "config_error.hpp"
#include "cover_problem.hpp"
#include "spaces.hpp"

#include <taper/duo.hpp>
#include <taper/vertex_cover/generate.hpp>
#include <taper/vertex_cover/vertex_cover.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <type_traits>

namespace taper::app {

namespace vc = vertex_cover;

namespace {

template <class Space>
auto place_of(Space const& space) {
  if constexpr (is_host_space<Space>) {
    return space;
  } else {
    return Duo<Space, Kokkos::DefaultHostExecutionSpace>{};
  }
}

template <class Space>
SolvedCover solve_on(Space const& space, vc::HostGraph const& graph, vc::Options const& options) {
  auto const views = vc::to_views(space, graph);
  Kokkos::View<std::uint8_t*, typename Space::memory_space> const in_cover("taper::app::in_cover",
                                                                           graph.vertices());
  SolvedCover solved;
  auto const begun = std::chrono::steady_clock::now();
  solved.report = vc::solve(place_of(space), views, in_cover, options);
  solved.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, in_cover);
  solved.in_cover.assign(host.data(), host.data() + host.extent(0));
  return solved;
}

/// More vertices are forced than k: no search is needed for the answer.
SolvedCover too_many_forced(CoverProblem const& problem) {
  SolvedCover solved;
  solved.report.found = false;
  solved.report.cover_size = problem.vertices() - problem.forced.size();
  solved.in_cover.assign(problem.vertices(), 1);
  return solved;
}

}  // namespace

SolvedCover solve_cover(std::string_view backend, CoverProblem const& problem,
                        vc::Options options) {
  auto const forced = problem.forced.size();
  SolvedCover solved;
  if (options.k >= 0 && static_cast<std::size_t>(options.k) < forced) {
    solved = too_many_forced(problem);
  } else {
    if (options.k >= 0) {
      options.k -= static_cast<std::int64_t>(forced);
    }
    auto const known =
        any_space([&]<class Space>(std::string_view name, std::type_identity<Space>) {
          if (name == backend) {
            solved = solve_on(Space{}, problem.graph, options);
          }
          return name == backend;
        });
    if (!known) {
      throw ConfigError("this build has no backend " + std::string(backend));
    }
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
