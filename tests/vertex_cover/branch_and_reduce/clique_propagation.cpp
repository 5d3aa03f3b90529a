// SPDX-License-Identifier: Apache-2.0
#include <taper/vertex_cover/branch_and_reduce/clique_propagation.hpp>

#include <taper/vertex_cover/branch_and_reduce/bounds.hpp>

#include "reductions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <random>
#include <vector>

namespace {

using namespace taper::vertex_cover;
using namespace taper::vertex_cover::branch_and_reduce;
using taper::testing::add_edge;
using taper::testing::minimum_size;
using taper::testing::never;
using taper::testing::random_graph;
using taper::testing::reduction_graph;
using taper::testing::small_graph;
using taper::testing::SmallGraph;

constexpr std::uint32_t all = 1000;

TEST(CliquePropagation, AFiveCycleIsAContradiction) {
  // Cliques: two edges and a vertex. An independent set would have three vertices of a five-cycle.
  auto graph = reduction_graph(small_graph(5, {{0, 1, 2, 3, 4, 0}}));
  CliquePropagation propagation(never);
  EXPECT_EQ(propagation.count_contradictions(graph, {0, 0, 2, 2, 4}, all), 1u);
  EXPECT_EQ(propagation.count_contradictions(graph, {0, 0, 2, 2, 4}, 0), 0u);
}

TEST(CliquePropagation, FindsFailingVerticesWithoutAContradiction) {
  // A six-cycle in three edges: the sets 0, 2, 4 and 1, 3, 5 meet all. With an edge 0-2 only the
  // latter.
  auto original = small_graph(6, {{0, 1, 2, 3, 4, 5, 0}});
  auto graph = reduction_graph(original);
  CliquePropagation propagation(never);
  std::vector<Vertex> const cliques{0, 0, 2, 2, 4, 4};
  EXPECT_EQ(propagation.count_contradictions(graph, cliques, all), 0u);
  EXPECT_TRUE(propagation.failing_vertices(graph).empty());
  add_edge(original, 0, 2);
  graph = reduction_graph(original);
  EXPECT_EQ(propagation.count_contradictions(graph, cliques, all), 0u);
  EXPECT_EQ(propagation.failing_vertices(graph), (std::vector<Vertex>{0, 2, 4}));
}

/// All independent sets, by trial: the maximum size, and the vertices of large ones.
struct Independent {
  int max_size = 0;
  std::uint32_t members = 0;  ///< of the sets with at least `wanted` vertices

  Independent(SmallGraph const& graph, int wanted) {
    auto const everything = (std::uint32_t{1} << graph.size()) - 1;
    for (std::uint32_t set = 0; set <= everything; ++set) {
      if (taper::testing::is_cover(graph, everything & ~set)) {
        max_size = std::max(max_size, std::popcount(set));
        members |= std::popcount(set) >= wanted ? set : 0;
      }
    }
  }
};

TEST(CliquePropagation, BoundsHoldAndFailingVerticesAreInEverySmallCover) {
  std::mt19937_64 random(81);
  Bounds bounds;
  CliquePropagation propagation(never);
  std::uint32_t found = 0;
  std::size_t forced = 0;
  for (unsigned repeat = 0; repeat < 3000 && !HasFailure(); ++repeat) {
    auto const original = random_graph(11, random);
    auto graph = reduction_graph(original);
    auto const n = static_cast<std::uint32_t>(original.size());
    std::vector<Vertex> clique_of;
    std::uint32_t const cliques = bounds.clique_cover(graph, clique_of, repeat % 3, all);
    std::uint32_t const more = propagation.count_contradictions(graph, clique_of, all);
    EXPECT_LE(cliques + more, minimum_size(original));
    found += more;
    // No cover has fewer than cliques + more vertices; one with exactly that many has all failing
    // ones.
    auto const failing = propagation.failing_vertices(graph);
    Independent const sets(original, static_cast<int>(n - cliques - more));
    for (Vertex const v : failing) {
      EXPECT_EQ(sets.members >> v & 1, 0u);
    }
    forced += failing.size();
  }
  EXPECT_GT(found, 100u);
  EXPECT_GT(forced, 100u);
}

TEST(CliquePropagation, BoundsHoldOnLargerGraphs) {
  std::mt19937_64 random(82);
  Bounds bounds;
  CliquePropagation propagation(never);
  for (unsigned repeat = 0; repeat < 3000 && !HasFailure(); ++repeat) {
    auto const original = random_graph(30, random);
    auto graph = reduction_graph(original);
    std::vector<Vertex> clique_of;
    std::uint32_t const cliques = bounds.clique_cover(graph, clique_of, repeat % 3, all);
    std::uint32_t const more = propagation.count_contradictions(graph, clique_of, all);
    EXPECT_LE(cliques + more, minimum_size(original));
  }
}

}  // namespace
