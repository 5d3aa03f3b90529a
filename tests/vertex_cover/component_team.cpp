// SPDX-License-Identifier: Apache-2.0
#include <taper/vertex_cover/component_search/team_graph.hpp>

// This file specialises TeamShape for OpenMP before any template uses it: teams of two threads
// instead of one. Host teams of several threads use the barriers and atomics of GPU teams, so that
// sanitizers and debuggers can check these.
#ifdef KOKKOS_ENABLE_OPENMP
template <>
struct taper::vertex_cover::component_search::TeamShape<Kokkos::OpenMP> {
  static constexpr bool single_thread = false;

  int threads;
  int lanes;

  static TeamShape of(std::uint64_t, std::uint64_t) {
    return {Kokkos::OpenMP().concurrency() >= 2 ? 2 : 1, 1};
  }
};
#endif

#include <taper/vertex_cover/component_search/component_search.hpp>
#include <vertex_cover/component_graphs.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace {

namespace vc = taper::vertex_cover;
namespace oracle = taper::testing;

#ifdef KOKKOS_ENABLE_OPENMP

void expect_minimum(vc::HostGraph const& graph) {
  std::size_t const minimum = oracle::CoverOracle(graph).minimum();
  Kokkos::OpenMP const space;
  auto const views = vc::to_views(space, graph);
  Kokkos::View<std::uint8_t*, Kokkos::HostSpace> const in_cover("test::in_cover", graph.vertices());
  for (bool const induce : {false, true}) {
    for (bool const components : {false, true}) {
      vc::Options options;
      options.component_search =
          vc::ComponentSearchOptions{.components = components, .induce = induce};
      auto const report = vc::component_search::solve(space, views, in_cover, options);
      EXPECT_EQ(report.cover_size, minimum);
      EXPECT_TRUE(oracle::covers(graph, {in_cover.data(), in_cover.extent(0)}));
    }
  }
}

TEST(ComponentTeams, SeveralThreadsPerNode) {
  std::mt19937_64 random(7);
  for (unsigned i = 0; i < 10; ++i) {
    expect_minimum(oracle::gnp_graph(8 + 3 * i, 0.25, random));
    expect_minimum(oracle::nearly_regular_graph(24 + i, 3, random));
    expect_minimum(oracle::nested_graph(2, 2, 9, random));
  }
}

/// Stored components, loaded by a team whose degree array still has values of another node outside
/// their range; components that are solved at once; long rows.
TEST(ComponentTeams, SeveralThreadsPerComponent) {
  std::mt19937_64 random(8);
  std::vector<vc::HostGraph> graphs;
  for (std::size_t parts = 3; parts <= 5; ++parts) {
    graphs.push_back(oracle::chained_graph(parts, 3, random));
  }
  graphs.push_back(oracle::with_hub(oracle::side_by_side(
      {oracle::complete_graph(4), oracle::ring_graph(9), oracle::petersen_graph(),
       oracle::nearly_regular_graph(20, 3, random)})));
  graphs.push_back(oracle::dense_parts_graph(3, 24, random));
  graphs.push_back(oracle::gnp_graph(60, 0.5, random));
  Kokkos::OpenMP const space;
  for (auto const& graph : graphs) {
    std::size_t const minimum = oracle::CoverOracle(graph).minimum();
    auto const views = vc::to_views(space, graph);
    Kokkos::View<std::uint8_t*, Kokkos::HostSpace> const in_cover("test::in_cover",
                                                                  graph.vertices());
    for (vc::Balance const balance :
         {vc::Balance::none, vc::Balance::worklist, vc::Balance::steal}) {
      for (bool const bounds : {false, true}) {
        vc::Options options{.component_search = vc::ComponentSearchOptions{}};
        options.component_search->small_vertices = graph.vertices() % 2 == 0 ? 128 : 0;
        options.component_search->induce = false;
        options.component_search->balance = balance;
        options.component_search->bounds = bounds;
        options.component_search->teams = 2;
        auto const report = vc::component_search::solve(space, views, in_cover, options);
        EXPECT_EQ(report.cover_size, minimum);
        EXPECT_TRUE(oracle::covers(graph, {in_cover.data(), in_cover.extent(0)}));
      }
    }
  }
}

#else

TEST(ComponentTeams, SeveralThreadsPerNode) {
  GTEST_SKIP() << "this build of Kokkos has no OpenMP backend";
}

#endif

}  // namespace
