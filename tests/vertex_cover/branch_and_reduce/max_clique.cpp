// SPDX-License-Identifier: Apache-2.0
#include <taper/vertex_cover/branch_and_reduce/max_clique.hpp>

#include <support/graph_oracles.hpp>
#include <vertex_cover/interrupts.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

namespace {

using namespace taper::vertex_cover;
using namespace taper::vertex_cover::branch_and_reduce;
using taper::testing::has_edge;
using taper::testing::minimum_size;
using taper::testing::never;
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

/// Checks that one search proves that no set has more than `largest` vertices, and that another
/// ends at a set of `enough` vertices.
void expect_proof_and_enough(SmallGraph const& graph, std::size_t largest, Workers const& workers) {
  auto const host = to_host_graph(graph);
  MaxClique proof(host, never, workers);
  EXPECT_TRUE(proof.run(largest, graph.size()));
  EXPECT_TRUE(proof.best().empty());
  if (largest > 1) {
    MaxClique enough(host, never, workers);
    EXPECT_TRUE(enough.run(0, largest - 1));
    EXPECT_GE(enough.best().size(), largest - 1);
    expect_independent(graph, enough.best());
  }
}

TEST(MaxClique, FindsLargestIndependentSets) {
  std::mt19937_64 random(51);
  for (int repeat = 0; repeat < 3000 && !HasFailure(); ++repeat) {
    auto const graph = random_graph(24, random);
    auto const largest = graph.size() - minimum_size(graph);
    auto const host = to_host_graph(graph);
    for (std::size_t known = 0; known <= largest; known += 1 + largest / 2) {
      MaxClique clique(host, never);
      EXPECT_TRUE(clique.run(known, graph.size()));
      EXPECT_EQ(clique.best().size(), known < largest ? largest : 0);
      expect_independent(graph, clique.best());
    }
    expect_proof_and_enough(graph, largest, {});
  }
}

/// Workers that are threads. Each takes the next task when it has done one.
Workers threads(std::uint32_t count) {
  return {count, [count](std::size_t tasks, Workers::Task const& task) {
            std::atomic<std::size_t> next{0};
            std::vector<std::thread> workers;
            for (std::uint32_t worker = 0; worker < count; ++worker) {
              workers.emplace_back([&, worker] {
                for (std::size_t i = next++; i < tasks; i = next++) {
                  task(i, worker);
                }
              });
            }
            for (auto& worker : workers) {
              worker.join();
            }
          }};
}

TEST(MaxClique, SeveralWorkersFindTheSameSize) {
  std::mt19937_64 random(52);
  for (std::uint32_t repeat = 0; repeat < 300 && !HasFailure(); ++repeat) {
    auto const graph = random_graph(24, random);
    auto const largest = graph.size() - minimum_size(graph);
    auto const host = to_host_graph(graph);
    MaxClique clique(host, never, threads(1 + repeat % 4));
    EXPECT_TRUE(clique.run(0, graph.size()));
    EXPECT_EQ(clique.best().size(), largest);
    expect_independent(graph, clique.best());
    expect_proof_and_enough(graph, largest, threads(3));
  }
}

TEST(MaxClique, SeveralWorkersShareALargerSearch) {
  // Large enough that tasks are trees, not single nodes. One worker is the oracle.
  std::mt19937_64 random(53);
  constexpr Vertex n = 90;
  std::vector<Edge> edges;
  for (Vertex v = 0; v < n; ++v) {
    for (Vertex u = 0; u < v; ++u) {
      if (random() % 4 == 0) {
        edges.emplace_back(u, v);
      }
    }
  }
  HostGraph const host = make_graph(n, edges).graph;
  MaxClique alone(host, never);
  EXPECT_TRUE(alone.run(0, n));
  MaxClique shared(host, never, threads(4));
  EXPECT_TRUE(shared.run(0, n));
  EXPECT_EQ(shared.best().size(), alone.best().size());
  EXPECT_GT(shared.nodes(), 256u) << "no more nodes than tasks: the tree was not shared";
  MaxClique proof(host, never, threads(4));
  EXPECT_TRUE(proof.run(alone.best().size(), n));
  EXPECT_TRUE(proof.best().empty());
}

TEST(MaxClique, AnInterruptStopsAllWorkers) {
  taper::testing::Stopped run;
  EXPECT_TRUE(run.interrupt.stopped());
  MaxClique clique(to_host_graph(SmallGraph(20)), run.interrupt, threads(3));
  EXPECT_FALSE(clique.run(0, 20));
}

TEST(MaxClique, RowsOfSeveralWords) {
  // 150 vertices in cliques of three: a maximum independent set has one vertex of each.
  HostGraph host;
  for (Vertex v = 0; v < 150; ++v) {
    for (Vertex u = v / 3 * 3; u < v / 3 * 3 + 3; ++u) {
      if (u != v) {
        host.entries.push_back(u);
      }
    }
    host.offsets.push_back(host.entries.size());
  }
  MaxClique clique(host, never);
  EXPECT_TRUE(clique.run(0, 150));
  EXPECT_EQ(clique.best().size(), 50u);
}

}  // namespace
