// SPDX-License-Identifier: Apache-2.0
#include <taper/vertex_cover/component_search/root_reduction.hpp>
#include <vertex_cover/component_graphs.hpp>
#include <vertex_cover/interrupts.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <random>
#include <vector>

namespace {

namespace vc = taper::vertex_cover;
namespace oracle = taper::testing;

std::vector<std::uint32_t> neighbour_sets(vc::HostGraph const& graph) {
  std::vector<std::uint32_t> sets(graph.vertices(), 0);
  for (vc::Vertex v = 0; v < graph.vertices(); ++v) {
    for (vc::Vertex const w : graph.neighbours(v)) {
      sets[v] |= 1u << w;
    }
  }
  return sets;
}

/// By definition: some independent set has at most as many neighbours as vertices.
bool has_crown(vc::HostGraph const& graph) {
  auto const sets = neighbour_sets(graph);
  for (std::uint32_t chosen = 1; chosen < 1u << sets.size(); ++chosen) {
    std::uint32_t around = 0;
    for (std::size_t v = 0; v < sets.size(); ++v) {
      around |= (chosen >> v & 1) != 0 ? sets[v] : 0;
    }
    if ((around & chosen) == 0 && std::popcount(around) <= std::popcount(chosen)) {
      return true;
    }
  }
  return false;
}

TEST(GreedyCover, EveryVertexIsNeeded) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200; ++i) {
    auto const graph = oracle::gnp_graph(1 + random() % 40, 0.02 * (i % 30), random);
    auto const cover = vc::component_search::greedy_cover(graph, oracle::never);
    EXPECT_TRUE(oracle::covers(graph, cover.in_cover));
    EXPECT_EQ(
        static_cast<std::uint64_t>(std::count(cover.in_cover.begin(), cover.in_cover.end(), 1)),
        cover.size);
    EXPECT_GE(cover.size, oracle::CoverOracle(graph).minimum());
    for (vc::Vertex v = 0; v < graph.vertices(); ++v) {
      auto without = cover.in_cover;
      without[v] = 0;
      EXPECT_TRUE(cover.in_cover[v] == 0 || !oracle::covers(graph, without)) << v;
    }
  }
}

TEST(RootReduction, KeepsTheMinimumAndLeavesNoCrown) {
  std::mt19937_64 random(2);
  int irreducible = 0;  // runs that leave vertices
  for (int i = 0; i < 3000; ++i) {
    auto const graph = oracle::gnp_graph(1 + random() % 14, 0.05 + 0.02 * (i % 30), random);
    auto const greedy = vc::component_search::greedy_cover(graph, oracle::never);
    std::size_t const minimum = oracle::CoverOracle(graph).minimum();
    for (std::uint64_t const below : {greedy.size, minimum, minimum + 1, minimum + 3}) {
      vc::component_search::RootReduction reduction(graph, below);
      reduction.run(oracle::never);
      auto const induced = reduction.induce();
      EXPECT_EQ(vc::find_fault(induced.graph), std::nullopt);
      std::size_t const rest = oracle::CoverOracle(induced.graph).minimum();
      std::size_t const found = reduction.cover_size() + rest;
      // Covers of less than `below` vertices survive. Larger ones may be lost, but no new one
      // appears.
      if (minimum < below) {
        EXPECT_EQ(found, minimum);
      } else {
        EXPECT_GE(found, below);
      }
      EXPECT_TRUE(induced.graph.vertices() == 0 || !has_crown(induced.graph));
      for (vc::Vertex v = 0; v < induced.graph.vertices(); ++v) {
        EXPECT_GE(induced.graph.degree(v), 2u);
        EXPECT_LT(reduction.cover_size() + induced.graph.degree(v), below);
      }
      irreducible += induced.graph.vertices() > 0 ? 1 : 0;
    }
  }
  EXPECT_GT(irreducible, 100);
}

/// The published form finds fewer crowns. What it takes, some minimum cover contains.
TEST(RootReduction, PublishedCrownsKeepTheMinimum) {
  std::mt19937_64 random(7);
  int with_crown = 0;  // graphs in which it finds a crown
  for (int i = 0; i < 1000; ++i) {
    // Vertices outside of a core, each with a few neighbours in it.
    auto const core = static_cast<vc::Vertex>(4 + random() % 5);
    auto const inner = oracle::gnp_graph(core, 0.2 + 0.02 * (i % 30), random);
    vc::Vertex n = 0;
    std::vector<vc::Edge> edges;
    oracle::append(edges, inner, n);
    for (auto const end = static_cast<vc::Vertex>(n + 3 + random() % 7); n < end; ++n) {
      for (int spoke = 0; spoke < 4; ++spoke) {
        edges.emplace_back(n, static_cast<vc::Vertex>(random() % core));
      }
    }
    auto const graph = oracle::graph_of(n, edges);
    std::size_t const minimum = oracle::CoverOracle(graph).minimum();
    std::vector<std::size_t> left;
    for (vc::Crown const crown : {vc::Crown::off, vc::Crown::published, vc::Crown::complete}) {
      vc::component_search::RootReduction reduction(graph, graph.vertices() + 1, crown);
      reduction.run(oracle::never);
      auto const rest = reduction.induce_in_order();
      EXPECT_EQ(reduction.cover_size() + oracle::CoverOracle(rest.graph).minimum(), minimum);
      left.push_back(rest.graph.vertices());
    }
    EXPECT_GE(left[0], left[1]);
    EXPECT_GE(left[1], left[2]);
    with_crown += left[1] < left[0] ? 1 : 0;
  }
  EXPECT_GT(with_crown, 100);
}

/// Ten vertices around the same three: unmatched vertices are a crown. In the complete bipartite
/// graph every vertex is matched, and only the complete rule finds a crown.
TEST(RootReduction, CrownsOfEachForm) {
  auto const left = [](vc::Vertex a, vc::Vertex b, vc::Crown crown) {
    auto const graph = oracle::complete_bipartite_graph(a, b);
    vc::component_search::RootReduction reduction(graph, a + b, crown);
    reduction.run(oracle::never);
    return reduction.induce().graph.vertices();
  };
  EXPECT_EQ(left(10, 3, vc::Crown::off), 13u);
  EXPECT_EQ(left(10, 3, vc::Crown::published), 0u);
  EXPECT_EQ(left(10, 3, vc::Crown::complete), 0u);
  EXPECT_EQ(left(4, 4, vc::Crown::published), 8u);
  EXPECT_EQ(left(4, 4, vc::Crown::complete), 0u);
}

TEST(RootReduction, ExtendsToACoverOfTheInput) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 300; ++i) {
    auto const graph = oracle::gnp_graph(20, 0.1 + 0.01 * (i % 20), random);
    vc::component_search::RootReduction reduction(graph, graph.vertices());
    reduction.run(oracle::never);
    auto const induced = reduction.induce();
    auto const rest = vc::component_search::greedy_cover(induced.graph, oracle::never);
    std::vector<std::uint8_t> cover(graph.vertices(), 0);
    for (vc::Vertex v = 0; v < graph.vertices(); ++v) {
      cover[v] = reduction.in_cover(v) ? 1 : 0;
    }
    for (vc::Vertex v = 0; v < induced.graph.vertices(); ++v) {
      cover[induced.original[v]] = rest.in_cover[v];
    }
    EXPECT_TRUE(oracle::covers(graph, cover));
  }
}

/// After a stop, partial results are still correct.
TEST(RootReduction, StoppedEarlyItIsStillCorrect) {
  oracle::Stopped run;
  vc::Interrupt& stopped = run.interrupt;
  ASSERT_TRUE(stopped.stopped());
  std::mt19937_64 random(6);
  for (int i = 0; i < 200; ++i) {
    auto const graph = oracle::gnp_graph(1 + random() % 40, 0.02 * (i % 30), random);
    auto const greedy = vc::component_search::greedy_cover(graph, stopped);
    EXPECT_TRUE(oracle::covers(graph, greedy.in_cover));
    EXPECT_EQ(
        static_cast<std::uint64_t>(std::count(greedy.in_cover.begin(), greedy.in_cover.end(), 1)),
        greedy.size);
    vc::component_search::RootReduction reduction(graph, graph.vertices() + 1);
    reduction.run(stopped);
    EXPECT_EQ(reduction.cover_size() + oracle::CoverOracle(reduction.induce().graph).minimum(),
              oracle::CoverOracle(graph).minimum());
  }
  // Only the crown rule applies: every vertex has at least three neighbours.
  auto const graph = oracle::complete_bipartite_graph(10, 3);
  vc::component_search::RootReduction reduction(graph, 100);
  reduction.run(stopped);
  EXPECT_EQ(reduction.cover_size(), 0u);
}

TEST(RootReduction, SolvesBipartiteGraphs) {
  std::mt19937_64 random(4);
  for (unsigned i = 0; i < 200; ++i) {
    auto const half = static_cast<vc::Vertex>(2 + random() % 40);
    std::vector<vc::Edge> edges;
    for (vc::Vertex e = 0; e < half * (1 + i % 5); ++e) {
      edges.emplace_back(random() % half, half + random() % half);
    }
    auto const graph = oracle::graph_of(2 * half, edges);
    vc::component_search::RootReduction reduction(graph, graph.vertices());
    reduction.run(oracle::never);
    EXPECT_EQ(reduction.induce().graph.vertices(), 0u);
    EXPECT_EQ(reduction.cover_size(), oracle::CoverOracle(graph).minimum());
  }
}

TEST(RootReduction, OrdersComponentsBySize) {
  std::mt19937_64 random(5);
  std::vector<vc::Edge> edges;
  vc::Vertex n = 0;
  for (vc::Vertex const size : {5u, 9u, 7u, 9u}) {  // circulant graphs: no rule applies
    for (vc::Vertex v = 0; v < size; ++v) {
      edges.emplace_back(n + v, n + (v + 1) % size);
      edges.emplace_back(n + v, n + (v + 2) % size);
    }
    n += size;
  }
  auto const graph = oracle::graph_of(n, edges);
  vc::component_search::RootReduction reduction(graph, n);
  reduction.run(oracle::never);
  auto const induced = reduction.induce();
  EXPECT_EQ(induced.component_begin, (std::vector<vc::Vertex>{0, 9, 18, 25, 30}));
  for (std::size_t i = 0; i + 1 < induced.component_begin.size(); ++i) {
    for (vc::Vertex v = induced.component_begin[i]; v < induced.component_begin[i + 1]; ++v) {
      for (vc::Vertex const w : induced.graph.neighbours(v)) {
        EXPECT_GE(w, induced.component_begin[i]);
        EXPECT_LT(w, induced.component_begin[i + 1]);
      }
    }
  }
}

TEST(RootReduction, SolvesCliquesAndCycles) {
  auto const graph =
      oracle::side_by_side({oracle::complete_graph(4), oracle::complete_graph(7),
                            oracle::ring_graph(3), oracle::ring_graph(5), oracle::ring_graph(6),
                            oracle::ring_graph(11), oracle::petersen_graph()});
  std::size_t const others = graph.vertices() - 10;
  vc::component_search::RootReduction reduction(graph, graph.vertices());
  reduction.run(oracle::never);
  reduction.solve_cliques_and_cycles();
  auto const induced = reduction.induce();
  EXPECT_EQ(induced.graph.vertices(), 10u);
  EXPECT_TRUE(std::all_of(induced.original.begin(), induced.original.end(),
                          [&](vc::Vertex v) { return v >= others; }));
  EXPECT_EQ(reduction.cover_size(), 3u + 6u + 2u + 3u + 3u + 6u);
}

/// The triangle rule tests the adjacency of the two hubs once per common neighbour.
TEST(RootReduction, TwoHubsOfAllOtherVerticesTakeNearLinearTime) {
  vc::Vertex const others = 200'000;
  auto const graph = oracle::complete_bipartite_graph(others, 2);
  vc::component_search::RootReduction reduction(graph, others);
  reduction.run(oracle::never);
  EXPECT_EQ(reduction.cover_size(), 2u);
}

}  // namespace
