// SPDX-License-Identifier: Apache-2.0
#include <taper/vertex_cover/standard/max_clique.hpp>

#include <support/graph_oracles.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>

namespace {

using namespace taper::vertex_cover;
using namespace taper::vertex_cover::standard;
using taper::testing::has_edge;
using taper::testing::minimum_cover;
using taper::testing::random_graph;
using taper::testing::SmallGraph;
using taper::testing::to_host_graph;

void expect_independent(SmallGraph const& graph, std::vector<Vertex> const& set) {
  for (auto const u : set) {
    for (auto const v : set) {
      EXPECT_FALSE(has_edge(graph, u, v));
    }
  }
}

TEST(MaxClique, FindsLargestIndependentSets) {
  Interrupt interrupt{Options{}};
  std::mt19937_64 random(51);
  for (int repeat = 0; repeat < 3000 && !HasFailure(); ++repeat) {
    auto const graph = random_graph(24, random);
    auto const largest =
        graph.size() - static_cast<std::size_t>(std::popcount(minimum_cover(graph)));
    auto const host = to_host_graph(graph);
    for (std::size_t known = 0; known <= largest; known += 1 + largest / 2) {
      MaxClique clique(host, interrupt);
      EXPECT_TRUE(clique.run(known, graph.size()));
      EXPECT_EQ(clique.best().size(), known < largest ? largest : 0);
      expect_independent(graph, clique.best());
    }
    MaxClique proof(host, interrupt);
    EXPECT_TRUE(proof.run(largest, graph.size()));
    EXPECT_TRUE(proof.best().empty());
    if (largest > 1) {
      MaxClique enough(host, interrupt);
      EXPECT_TRUE(enough.run(0, largest - 1));
      EXPECT_GE(enough.best().size(), largest - 1);
      expect_independent(graph, enough.best());
    }
  }
}

TEST(MaxClique, MoreThanAWordOfVertices) {
  // A hundred and fifty vertices in cliques of three: one of each.
  Interrupt interrupt{Options{}};
  HostGraph host;
  for (Vertex v = 0; v < 150; ++v) {
    for (Vertex u = v / 3 * 3; u < v / 3 * 3 + 3; ++u) {
      if (u != v) {
        host.entries.push_back(u);
      }
    }
    host.offsets.push_back(host.entries.size());
  }
  MaxClique clique(host, interrupt);
  EXPECT_TRUE(clique.run(0, 150));
  EXPECT_EQ(clique.best().size(), 50u);
}

}  // namespace
