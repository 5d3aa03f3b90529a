// SPDX-License-Identifier: Apache-2.0
#include <taper/vertex_cover/branch_and_reduce/bounds.hpp>

#include "reductions.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <set>
#include <vector>

namespace {

using namespace taper::vertex_cover;
using namespace taper::vertex_cover::branch_and_reduce;
using taper::testing::minimum_size;
using taper::testing::never;
using taper::testing::random_graph;
using taper::testing::reduction_graph;
using taper::testing::small_graph;
using taper::testing::SmallGraph;

constexpr std::uint32_t never_enough = 1000;  ///< no bound reaches it

/// Checks that clique_of is a partition into cliques, and that `bound` is vertices minus cliques.
void expect_cliques(SmallGraph const& graph, std::vector<Vertex> const& clique_of,
                    std::uint32_t bound) {
  std::set<Vertex> cliques(clique_of.begin(), clique_of.end());
  EXPECT_EQ(cliques.size() + bound, graph.size());
  for (std::size_t u = 0; u < graph.size(); ++u) {
    for (std::size_t v = 0; v < u; ++v) {
      EXPECT_TRUE(clique_of[u] != clique_of[v] || taper::testing::has_edge(graph, u, v));
    }
  }
}

TEST(Bounds, CliqueCoverOfCliquesIsExact) {
  auto graph =
      reduction_graph(small_graph(9, {{0, 1, 2, 0}, {3, 4, 5, 3}, {3, 6, 4}, {5, 6}, {7, 8}}));
  std::vector<Vertex> clique_of;
  EXPECT_EQ(Bounds().clique_cover(graph, clique_of, 0, never_enough), 6u);
}

/// 3 is adjacent to the cliques {0, 1} and {2}, of which 4 extends the second alone. The others
/// give 4 its degree.
TEST(Bounds, VerticesExtendTheLargestClique) {
  auto graph =
      reduction_graph(small_graph(11, {{0, 1, 3, 0}, {3, 2, 4}, {4, 5, 6}, {4, 7, 8}, {4, 9, 10}}));
  std::vector<Vertex> clique_of;
  EXPECT_EQ(Bounds().clique_cover(graph, clique_of, 0, never_enough), 6u);
}

TEST(Bounds, CycleCoverCountsOddCyclesAndCliques) {
  struct Case {
    SmallGraph graph;
    std::uint32_t bound;
  };
  // An odd cycle: half of it, rounded up. A clique: all but one.
  Case const cases[] = {
      {small_graph(5, {{0, 1, 2, 3, 4, 0}}), 3},
      {small_graph(7, {{0, 1, 2, 3, 4, 5, 6, 0}}), 4},
      {small_graph(3, {{0, 1, 2, 0}}), 2},
  };
  for (auto const& [original, bound] : cases) {
    auto graph = reduction_graph(original);
    Matching matching;
    matching.assign(original.size());
    ASSERT_FALSE(Relaxation(never).reduce(graph, matching));
    EXPECT_EQ(Bounds().cycle_cover(graph, matching), bound);
  }
}

TEST(Bounds, CycleCoverSplitsEvenCyclesWithChords) {
  // The matching is the six-cycle 0 .. 5. The chords 1-3 and 0-4 split it into the triangles 1, 2,
  // 3 and 4, 5, 0.
  auto graph = reduction_graph(small_graph(6, {{0, 1, 2, 3, 4, 5, 0}, {1, 3}, {0, 4}}));
  Matching matching;
  matching.assign(6);
  for (Vertex v = 0; v < 6; ++v) {
    matching.right_of[v] = (v + 1) % 6;
    matching.left_of[(v + 1) % 6] = v;
  }
  EXPECT_EQ(Bounds().cycle_cover(graph, matching), 4u);
}

TEST(Bounds, NoBoundExceedsTheMinimum) {
  std::mt19937_64 random(31);
  Bounds bounds;
  Relaxation relaxation(never);
  for (int repeat = 0; repeat < 5000 && !HasFailure(); ++repeat) {
    auto const original = random_graph(18, random);
    auto const minimum = minimum_size(original);
    auto graph = reduction_graph(original);
    Matching matching;
    matching.assign(original.size());
    std::vector<Vertex> clique_of;
    std::uint32_t bound = bounds.clique_cover(graph, clique_of, 0, never_enough);
    for (int rounds = 0; rounds < 5; ++rounds) {
      EXPECT_LE(bound, minimum);
      expect_cliques(original, clique_of, bound);
      std::uint32_t const better = bounds.clique_cover(graph, clique_of, 1, never_enough);
      EXPECT_GE(better, bound);
      bound = better;
    }
    EXPECT_EQ(bounds.clique_cover(graph, clique_of, 1, 0), bound)
        << "the bound is enough: no round";
    while (graph.live_vertices() > 0 && relaxation.reduce(graph, matching)) {
    }
    // Reductions preserve cliques, so the partition is valid for the reduced graph, too.
    EXPECT_LE(graph.cover_size() + bounds.clique_cover(graph, clique_of, 0, never_enough), minimum);
    EXPECT_LE(graph.cover_size() + bounds.clique_cover(graph, clique_of, 3, never_enough), minimum);
    EXPECT_LE(graph.cover_size() + bounds.cycle_cover(graph, matching), minimum);
    EXPECT_LE(graph.cover_size() + (graph.live_vertices() + 1) / 2, minimum);
  }
}

}  // namespace
