// SPDX-License-Identifier: Apache-2.0
#include <taper/vertex_cover/branch_and_reduce/local_rules.hpp>

#include "reductions.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace taper::vertex_cover;
using namespace taper::vertex_cover::branch_and_reduce;
using taper::testing::expect_exact;
using taper::testing::live_part;
using taper::testing::random_graph;
using taper::testing::reduction_graph;
using taper::testing::small_graph;
using taper::testing::SmallGraph;

using Rule = bool (LocalRules::*)(ReductionGraph&, Vertex);

struct NamedRule {
  char const* name;
  Rule rule;
};
constexpr NamedRule rules[] = {{"low_degree", &LocalRules::low_degree},
                               {"unconfined", &LocalRules::unconfined},
                               {"twin", &LocalRules::twin},
                               {"funnel", &LocalRules::funnel},
                               {"desk", &LocalRules::desk},
                               {"apply", &LocalRules::apply}};

/// Applies one rule at one vertex; checks the live vertices and the size of the cover.
void expect_applies(Rule rule, Vertex v, SmallGraph const& original, unsigned live,
                    unsigned cover_size) {
  auto graph = reduction_graph(original);
  LocalRules applied;
  EXPECT_TRUE((applied.*rule)(graph, v));
  EXPECT_EQ(graph.live_vertices(), live);
  EXPECT_EQ(graph.cover_size(), cover_size);
  expect_exact(original, graph);
}

void expect_declines(Rule rule, Vertex v, SmallGraph const& original) {
  auto graph = reduction_graph(original);
  LocalRules applied;
  EXPECT_FALSE((applied.*rule)(graph, v));
  EXPECT_EQ(live_part(graph), original) << "the rule returned false but changed the graph";
}

TEST(LocalRules, DegreesZeroAndOneAndTrianglesAreExcluded) {
  expect_applies(&LocalRules::low_degree, 0, small_graph(3, {{1, 2}}), 2, 0);
  expect_applies(&LocalRules::low_degree, 0, small_graph(3, {{0, 1}, {1, 2}}), 1, 1);
  expect_applies(&LocalRules::low_degree, 0, small_graph(4, {{0, 1}, {0, 2}, {1, 2}, {2, 3}}), 1,
                 2);
  expect_declines(&LocalRules::low_degree, 0, small_graph(4, {{0, 1}, {0, 2}, {0, 3}}));
}

TEST(LocalRules, DegreeTwoFolds) {
  // A path folds to a path with two vertices less, a cycle to a cycle with two less.
  expect_applies(&LocalRules::low_degree, 2, small_graph(5, {{0, 1, 2, 3, 4}}), 3, 1);
  auto graph = reduction_graph(small_graph(5, {{0, 1, 2, 3, 4, 0}}));
  LocalRules applied;
  EXPECT_TRUE(applied.low_degree(graph, 0));
  EXPECT_EQ(graph.live_edges(), 3u);
  EXPECT_TRUE(applied.low_degree(graph, 2));
  EXPECT_EQ(graph.live_vertices(), 0u);
  EXPECT_EQ(graph.cover_size(), 3u);
}

TEST(LocalRules, DominatingAndUnconfinedVerticesAreIncluded) {
  // Dominance: 0 is adjacent to all neighbours of 1.
  expect_applies(&LocalRules::unconfined, 0,
                 small_graph(5, {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {0, 4}, {2, 4}, {3, 4}}),
                 4, 1);
  // 1's only neighbour outside N[0] is 3, so S becomes {0, 3}. Then 2 has no neighbour outside
  // N[S].
  expect_applies(&LocalRules::unconfined, 0, small_graph(7, {{0, 1, 3, 5, 6}, {0, 2, 4, 3}}), 6, 1);
  // The cube is vertex-transitive, and half of its vertices are independent.
  expect_declines(
      &LocalRules::unconfined, 0,
      small_graph(8, {{0, 1, 2, 3, 0}, {4, 5, 6, 7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}}));
}

TEST(LocalRules, DiamondsMakeAVertexUnconfined) {
  // 1 and 2, neighbours of 0, both have 4 and 5 outside N[0], which are adjacent. So 1 and 2 can be
  // exchanged for 0 and at most one of 4 and 5.
  expect_applies(&LocalRules::unconfined, 0,
                 small_graph(10, {{0, 1, 4, 2, 5, 1},
                                  {2, 0, 3},
                                  {4, 5},
                                  {4, 6, 9, 7, 5},
                                  {6, 3, 7},
                                  {3, 8, 6},
                                  {8, 9, 4}}),
                 9, 1);
}

TEST(LocalRules, TwinsFold) {
  expect_applies(&LocalRules::twin, 0,
                 small_graph(8, {{0, 2, 1}, {0, 3, 1}, {0, 4, 1}, {2, 5, 6, 3}, {4, 7}}), 4, 2);
  // With an edge between their neighbours, twins are excluded.
  expect_applies(&LocalRules::twin, 0,
                 small_graph(8, {{0, 2, 1}, {0, 3, 1}, {0, 4, 1}, {5, 2, 3, 6}, {4, 7}}), 4, 3);
  expect_declines(&LocalRules::twin, 0, small_graph(6, {{0, 2, 1}, {0, 3, 1}, {0, 4}, {1, 5}}));
}

TEST(LocalRules, FunnelsJoin) {
  // 0's neighbours other than 1 are the edge 2-3. The other neighbours of 1, 4 and 5, are joined to
  // both.
  SmallGraph const funnel =
      small_graph(10, {{0, 1}, {0, 2, 3, 0}, {4, 1, 5}, {2, 6}, {3, 7}, {4, 8, 9, 5}});
  expect_applies(&LocalRules::funnel, 0, funnel, 8, 1);
  auto graph = reduction_graph(funnel);
  LocalRules applied;
  applied.funnel(graph, 0);
  for (Vertex const u : {4u, 5u}) {
    EXPECT_TRUE(graph.adjacent(u, 2));
    EXPECT_TRUE(graph.adjacent(u, 3));
  }
  expect_declines(&LocalRules::funnel, 0, small_graph(5, {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2}}));
}

TEST(LocalRules, DesksJoin) {
  SmallGraph const desk =
      small_graph(12, {{0, 1, 2, 3, 0}, {0, 4, 8, 5, 2}, {1, 6, 9, 7, 3}, {4, 10, 6}, {5, 11, 7}});
  expect_applies(&LocalRules::desk, 0, desk, 8, 2);
  // A chord, or a neighbour that both sides have.
  auto chord = desk;
  taper::testing::add_edge(chord, 0, 2);
  expect_declines(&LocalRules::desk, 0, chord);
  expect_declines(&LocalRules::desk, 0, small_graph(7, {{0, 1, 2, 3, 0, 4, 1}, {2, 5}, {3, 6}}));
}

/// 4 is adjacent to one neighbour of 0 alone, 3. The largest independent set has 1, 2 and 4.
TEST(LocalRules, TwinsHaveTheSameDegree) {
  expect_declines(&LocalRules::twin, 0,
                  small_graph(10, {{1, 0, 2},
                                   {0, 3, 4},
                                   {3, 5},
                                   {6, 1, 7, 2, 8, 1},
                                   {2, 6},
                                   {6, 7, 8, 9, 6},
                                   {6, 8},
                                   {7, 9}}));
}

/// Each rule alone, at every vertex of many graphs, repeated while it applies.
TEST(LocalRules, EachPreservesTheMinimumAndLifts) {
  for (NamedRule const& named : rules) {
    SCOPED_TRACE(named.name);
    std::mt19937_64 random(11);
    int applications = 0;
    for (int repeat = 0; repeat < 3000 && !HasFailure(); ++repeat) {
      auto const original = random_graph(16, random);
      auto graph = reduction_graph(original);
      LocalRules applied;
      for (Vertex v = 0; v < graph.vertices(); ++v) {
        if (graph.alive(v) && (applied.*named.rule)(graph, v)) {
          ++applications;
          expect_exact(original, graph);
          v = 0;
        }
      }
    }
    EXPECT_GT(applications, named.rule == &LocalRules::desk ? 0 : 20);
  }
}

/// All rules, in the order of the queue, until none applies: this folds folded vertices, too.
TEST(LocalRules, FoldsOfFoldsLift) {
  std::mt19937_64 random(12);
  for (int repeat = 0; repeat < 3000 && !HasFailure(); ++repeat) {
    std::size_t const n = 10 + random() % 16;
    auto const original = random_graph(
        n, (2.0 + static_cast<double>(random() % 20) / 10) / static_cast<double>(n), random);
    auto graph = reduction_graph(original);
    LocalRules applied;
    graph.touch_all();
    for (Vertex v = graph.next_touched(); v != none; v = graph.next_touched()) {
      applied.apply(graph, v);
    }
    expect_exact(original, graph);
  }
}

}  // namespace
