// SPDX-License-Identifier: Apache-2.0
#include <taper/vertex_cover/branch_and_reduce/relaxation.hpp>

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
using taper::testing::expect_exact;
using taper::testing::live_part;
using taper::testing::never;
using taper::testing::random_graph;
using taper::testing::reduction_graph;
using taper::testing::small_graph;
using taper::testing::SmallGraph;

struct Reduced {
  ReductionGraph graph;
  Matching matching;
  bool any = false;

  explicit Reduced(SmallGraph const& original) : graph(reduction_graph(original)) {
    matching.assign(original.size());
    Relaxation relaxation(never);
    while (graph.live_vertices() > 0 && relaxation.reduce(graph, matching)) {
      any = true;
    }
  }
};

/// Twice the optimum of the relaxation, by trial of every half-integral assignment; for at most 9
/// vertices. With not_half >= 0: the optimum without 1/2 for that vertex.
int twice_the_relaxation(SmallGraph const& graph, int not_half = -1) {
  std::vector<int> x(graph.size(), 0);
  int best = 2 * static_cast<int>(graph.size());
  for (;;) {
    bool fits = not_half < 0 || x[static_cast<std::size_t>(not_half)] != 1;
    int sum = 0;
    for (std::size_t u = 0; u < graph.size() && fits; ++u) {
      sum += x[u];
      for (std::size_t v = 0; v < u && fits; ++v) {
        fits = !taper::testing::has_edge(graph, u, v) || x[u] + x[v] >= 2;
      }
    }
    best = fits ? std::min(best, sum) : best;
    std::size_t digit = 0;
    while (digit < x.size() && ++x[digit] == 3) {
      x[digit++] = 0;
    }
    if (digit == x.size()) {
      return best;
    }
  }
}

TEST(Relaxation, SolvesBipartiteGraphs) {
  // A path, a star, a grid, an even cycle: the relaxation has an optimum without halves.
  for (auto const& graph :
       {small_graph(4, {{0, 1, 2, 3}}), small_graph(5, {{0, 1}, {0, 2}, {0, 3}, {0, 4}}),
        small_graph(9, {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6}, {1, 4, 7}, {2, 5, 8}}),
        small_graph(6, {{0, 1, 2, 3, 4, 5, 0}})}) {
    Reduced reduced(graph);
    EXPECT_EQ(reduced.graph.live_vertices(), 0u);
    expect_exact(graph, reduced.graph);
  }
}

TEST(Relaxation, KeepsOddCyclesAndCliques) {
  for (auto const& graph :
       {small_graph(5, {{0, 1, 2, 3, 4, 0}}), small_graph(4, {{0, 1, 2, 3, 0}, {0, 2}, {1, 3}})}) {
    Reduced reduced(graph);
    EXPECT_FALSE(reduced.any);
    EXPECT_EQ(live_part(reduced.graph), graph);
  }
}

TEST(Relaxation, RemovesCrowns) {
  // A crown: 3 and 4 are the only neighbours of 0, 1 and 2. A five-cycle hangs on 3 and 4.
  auto const graph = small_graph(10, {{0, 3, 1, 4, 2}, {3, 4}, {3, 5}, {4, 7}, {5, 6, 7, 8, 9, 5}});
  Reduced reduced(graph);
  EXPECT_EQ(reduced.graph.live_vertices(), 5u);
  EXPECT_EQ(reduced.graph.cover_size(), 2u);
  expect_exact(graph, reduced.graph);
}

TEST(Relaxation, KeepsOnlyVerticesThatAreHalfInEveryOptimum) {
  std::mt19937_64 random(21);
  int left = 0;
  for (int repeat = 0; repeat < 150; ++repeat) {
    auto const original = random_graph(8, random);
    Reduced reduced(original);
    expect_exact(original, reduced.graph);
    SmallGraph const live = live_part(reduced.graph);
    int const halves = static_cast<int>(reduced.graph.live_vertices());
    EXPECT_EQ(twice_the_relaxation(live), halves);
    EXPECT_EQ(twice_the_relaxation(original),
              2 * static_cast<int>(reduced.graph.cover_size()) + halves);
    for (Vertex v = 0; v < reduced.graph.vertices(); ++v) {
      if (reduced.graph.alive(v)) {
        ++left;
        EXPECT_GT(twice_the_relaxation(live, static_cast<int>(v)), halves)
            << "another optimum decides " << v;
      }
    }
  }
  EXPECT_GT(left, 0);
}

TEST(Relaxation, PreservesTheMinimumAndAPerfectMatching) {
  std::mt19937_64 random(22);
  for (int repeat = 0; repeat < 3000 && !HasFailure(); ++repeat) {
    auto const original = random_graph(20, random);
    Reduced reduced(original);
    expect_exact(original, reduced.graph);
    for (Vertex v = 0; v < reduced.graph.vertices(); ++v) {
      if (reduced.graph.alive(v)) {
        Vertex const right = reduced.matching.right_of[v];
        ASSERT_NE(right, none);
        EXPECT_TRUE(reduced.graph.alive(right) && reduced.graph.adjacent(v, right));
        EXPECT_EQ(reduced.matching.left_of[right], v);
      }
    }
  }
}

}  // namespace
