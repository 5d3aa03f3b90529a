// SPDX-License-Identifier: Apache-2.0
#include <taper/vertex_cover/branch_and_reduce/packing.hpp>
#include <taper/vertex_cover/branch_and_reduce/search.hpp>

#include <support/graph_oracles.hpp>
#include <vertex_cover/branch_and_reduce/reductions.hpp>
#include <vertex_cover/component_graphs.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace {

using namespace taper::vertex_cover;
using branch_and_reduce::Packing;
using branch_and_reduce::PackingRule;
using branch_and_reduce::ReductionGraph;
using taper::testing::for_each_graph;
using taper::testing::is_cover;
using taper::testing::minimum_cover;
using taper::testing::minimum_cover_by_trial;
using taper::testing::random_graph;
using taper::testing::reduction_graph;
using taper::testing::small_graph;
using taper::testing::SmallGraph;
using taper::testing::to_bits;

std::vector<Vertex> members_of(Packing const& packing, std::size_t i) {
  auto const& constraint = packing.constraints[i];
  auto const begin = packing.members.begin() + static_cast<std::ptrdiff_t>(constraint.begin);
  std::vector<Vertex> members(begin, begin + constraint.size);
  std::sort(members.begin(), members.end());
  return members;
}

bool satisfies(Packing const& packing, std::uint32_t cover) {
  for (std::size_t i = 0; i < packing.constraints.size(); ++i) {
    auto const members = members_of(packing, i);
    auto const in_cover = std::count_if(members.begin(), members.end(),
                                        [&](Vertex v) { return (cover >> v & 1) != 0; });
    if (static_cast<std::uint32_t>(in_cover) > packing.constraints[i].max_in_cover) {
      return false;
    }
  }
  return true;
}

/// The minimum size of a cover that includes v, or that excludes it; n + 1: there is none.
int smallest(SmallGraph const& graph, Vertex v, bool includes) {
  int best = static_cast<int>(graph.size()) + 1;
  for (std::uint32_t cover = 0; cover < std::uint32_t{1} << graph.size(); ++cover) {
    if (((cover >> v & 1) != 0) == includes && is_cover(graph, cover)) {
      best = std::min(best, std::popcount(cover));
    }
  }
  return best;
}

/// If no minimum cover includes v, all minimum covers satisfy the constraints of
/// add_for_excluded(), and apply() keeps the minimum.
TEST(Packing, MinimumCoversSatisfyTheConstraintsOfAnExcludedVertex) {
  std::size_t infeasible = 0;
  std::size_t decided = 0;
  auto const check = [&](SmallGraph const& graph) {
    for (Vertex v = 0; v < graph.size() && !HasFailure(); ++v) {
      if (graph[v] == 0) {
        continue;
      }
      PackingRule rule;
      Packing packing;
      ReductionGraph left = reduction_graph(graph);
      bool const no_minimum_includes_v = smallest(graph, v, true) > smallest(graph, v, false);
      if (!rule.add_for_excluded(left, std::span(&v, 1), packing)) {
        EXPECT_FALSE(no_minimum_includes_v);
        ++infeasible;
        continue;
      }
      if (!no_minimum_includes_v) {
        continue;
      }
      int const minimum = minimum_cover_by_trial(graph);
      for (std::uint32_t cover = 0; cover < std::uint32_t{1} << graph.size(); ++cover) {
        if (std::popcount(cover) == minimum && is_cover(graph, cover)) {
          EXPECT_TRUE(satisfies(packing, cover));
        }
      }
      left.exclude(v);
      auto effect = PackingRule::Effect::changed;
      while (effect == PackingRule::Effect::changed) {
        effect = rule.apply(left, packing);
        decided += effect == PackingRule::Effect::changed ? 1 : 0;
      }
      EXPECT_EQ(effect, PackingRule::Effect::nothing);
      taper::testing::expect_exact(graph, left);
    }
  };
  for (std::size_t n = 2; n <= 5; ++n) {
    for_each_graph(n, check);
  }
  std::mt19937_64 random(91);
  for (int repeat = 0; repeat < 2000 && !HasFailure(); ++repeat) {
    check(random_graph(8 + random() % 4, 0.2 + 0.02 * (repeat % 10), random));
  }
  EXPECT_GT(infeasible, 0u);
  EXPECT_GT(decided, 0u);
}

/// Two paths from 0, 0-1-2-3 and 0-4-5-6, an edge 2-5, and leaves at 0, 4 and 6.
SmallGraph two_paths() {
  return small_graph(
      10, {{0, 1}, {1, 2}, {2, 3}, {0, 4}, {4, 5}, {5, 6}, {2, 5}, {0, 7}, {4, 8}, {6, 9}});
}

TEST(Packing, OnlyNeighboursOfOneExcludedVertexGiveConstraints) {
  auto graph = reduction_graph(small_graph(6, {{0, 2}, {0, 3}, {1, 3}, {2, 4}, {2, 5}, {2, 3}}));
  PackingRule rule;
  Packing packing;
  std::vector<Vertex> const excluded{0, 1};
  EXPECT_TRUE(rule.add_for_excluded(graph, excluded, packing));
  // 3 is adjacent to both, so it gives none. 2 is adjacent to 3, which is in the cover as well.
  ASSERT_EQ(packing.constraints.size(), 1u);
  EXPECT_EQ(members_of(packing, 0), (std::vector<Vertex>{4, 5}));
  EXPECT_EQ(packing.constraints[0].max_in_cover, 1u);
}

TEST(Packing, VerticesThatMayNotBeInTheCoverAreExcluded) {
  auto graph = reduction_graph(two_paths());
  PackingRule rule;
  Packing packing;
  packing.add(std::vector<Vertex>{1, 3, 5}, 1);
  graph.include(3);
  EXPECT_EQ(rule.apply(graph, packing), PackingRule::Effect::changed);
  for (Vertex const v : {0u, 2u, 4u, 6u}) {
    EXPECT_EQ(graph.in_cover()[v], 1);
  }
  for (Vertex const v : {1u, 5u, 7u, 8u, 9u}) {
    EXPECT_FALSE(graph.alive(v)) << "otherwise 7, 8 and 9 could be exchanged for 1 or 5";
    EXPECT_EQ(graph.in_cover()[v], 0);
  }

  auto adjacent = reduction_graph(two_paths());
  packing.clear();
  packing.add(std::vector<Vertex>{1, 2}, 0);
  EXPECT_EQ(rule.apply(adjacent, packing), PackingRule::Effect::infeasible);

  auto violated = reduction_graph(two_paths());
  packing.clear();
  packing.add(std::vector<Vertex>{1, 2, 4}, 1);
  violated.include(1);
  violated.include(4);
  EXPECT_EQ(rule.apply(violated, packing), PackingRule::Effect::infeasible);
}

TEST(Packing, AVertexWithTooManyNeighboursInAConstraintIsIncluded) {
  auto graph = reduction_graph(two_paths());
  PackingRule rule;
  Packing packing;
  packing.add(std::vector<Vertex>{1, 4, 6}, 1);
  EXPECT_EQ(rule.apply(graph, packing), PackingRule::Effect::changed);
  EXPECT_EQ(graph.cover_size(), 2u);
  EXPECT_EQ(graph.in_cover()[0], 1) << "adjacent to 1 and 4";
  EXPECT_EQ(graph.in_cover()[5], 1) << "adjacent to 4 and 6";
  EXPECT_EQ(packing.constraints.size(), 1u);
}

TEST(Packing, ConstraintsThatHoldOrHaveFoldedVerticesAreDropped) {
  auto graph = reduction_graph(two_paths());
  PackingRule rule;
  Packing packing;
  packing.add(std::vector<Vertex>{1, 4}, 2);
  packing.add(std::vector<Vertex>{1, 3, 6}, 2);
  graph.exclude(6);
  EXPECT_EQ(rule.apply(graph, packing), PackingRule::Effect::nothing);
  EXPECT_TRUE(packing.constraints.empty());

  Vertex const centre = 1;
  Vertex const other = 2;
  packing.clear();
  packing.add(std::vector<Vertex>{2, 7}, 0);
  graph.fold(std::span(&centre, 1), 0, std::span(&other, 1));
  EXPECT_TRUE(graph.folded(1) && graph.folded(2) && !graph.folded(6));
  EXPECT_EQ(rule.apply(graph, packing), PackingRule::Effect::nothing);
  EXPECT_TRUE(packing.constraints.empty() && graph.alive(7));
}

TEST(Packing, AChildCopiesTheConstraintsThatLieInIt) {
  Packing packing;
  packing.add(std::vector<Vertex>{1, 3}, 1);
  packing.add(std::vector<Vertex>{3, 4}, 1);
  std::vector<Vertex> const part{3, 1};
  std::vector<Vertex> const new_id{9, 1, 0, 0, 1};
  Packing child;  // of the vertices 3 and 1, renumbered to 0 and 1
  child.assign(packing, part, new_id);
  ASSERT_EQ(child.constraints.size(), 1u);
  EXPECT_EQ(members_of(child, 0), (std::vector<Vertex>{0, 1}));
}

TEST(Packing, SearchesFindTheSameMinimaWithFewerNodes) {
  std::mt19937_64 random(92);
  std::uint64_t nodes[2] = {0, 0};
  for (int repeat = 0; repeat < 5; ++repeat) {
    auto const graph = taper::testing::nearly_regular_graph(220, 3, random);
    std::uint32_t size[2];
    for (bool const packing : {false, true}) {
      Report report;
      branch_and_reduce::Search search(taper::testing::never, report, nullptr,
                                       branch_and_reduce::Search::default_bytes, packing);
      branch_and_reduce::Node root;
      root.graph.assign(graph);
      root.matching.assign(graph.vertices());
      root.graph.touch_all();
      size[packing] = search.run(root, branch_and_reduce::no_cover, 0);
      EXPECT_EQ(root.best_size, size[packing]);
      nodes[packing] += report.nodes;
    }
    EXPECT_EQ(size[1], size[0]);
  }
  EXPECT_LT(nodes[1], nodes[0]);
}

}  // namespace
