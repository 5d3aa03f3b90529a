// SPDX-License-Identifier: Apache-2.0
#include <vertex_cover/branch_and_reduce/expect_solved.hpp>
#include <vertex_cover/component_graphs.hpp>
#include <vertex_cover/interrupts.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <vector>

// Graphs on which a part of the solver would need excessive time or memory without its limits; and
// parts that must notice an interrupt within one search node.

namespace {

using namespace taper::vertex_cover;
using namespace taper::vertex_cover::branch_and_reduce;
using taper::Status;
using taper::testing::covers;
using taper::testing::expect_cover;
using taper::testing::nearly_regular_graph;
using taper::testing::never;
using taper::testing::Stopped;

constexpr std::uint32_t all = std::numeric_limits<std::uint32_t>::max();

TEST(Interrupt, HugeAndInvalidTimeLimitsAreNone) {
  for (double const limit : {0.0, -1.0, 1e9, 1e300, std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()}) {
    Options options;
    options.time_limit_s = limit;
    EXPECT_FALSE(Interrupt(options).stopped()) << limit;
  }
  Options options;
  options.time_limit_s = 1e-9;
  Interrupt interrupt(options);
  while (!interrupt.stopped()) {
  }
  EXPECT_TRUE(interrupt.stopped_after(0)) << "it must stay stopped";
}

TEST(Interrupt, ChecksOnlyAfterSomeWork) {
  Stopped run;
  EXPECT_FALSE(run.interrupt.stopped_after(1));
  EXPECT_TRUE(run.interrupt.stopped_after(std::uint64_t{1} << 40));
  EXPECT_TRUE(run.interrupt.stopped_after(1));
}

/// The square of a cycle: a confining set would grow by every third vertex, all around the cycle.
TEST(Limits, ConfiningSetsStayBounded) {
  constexpr Vertex n = 30'000;
  std::vector<Edge> edges;
  for (Vertex v = 0; v < n; ++v) {
    edges.emplace_back(v, (v + 1) % n);
    edges.emplace_back(v, (v + 2) % n);
  }
  auto const square = make_graph(n, edges).graph;
  ReductionGraph graph;
  graph.assign(square);
  LocalRules rules;
  for (Vertex v = 0; v < n; ++v) {
    ASSERT_FALSE(rules.unconfined(graph, v));
    auto const confining = rules.confining_set();
    ASSERT_LT(confining.size(), 100u);
    ASSERT_TRUE(
        std::all_of(confining.begin(), confining.end(), [&](Vertex u) { return u % 3 == v % 3; }));
  }
  EXPECT_LT(rules.work() / n, 2000u) << "entries per vertex";
}

/// Cliques of four, each joined to a hub by a path of two edges: every path folds into the hub.
TEST(Limits, ManyFoldsIntoOneHubAreCheap) {
  constexpr Vertex cliques = 30'000;
  std::vector<Edge> edges;
  for (Vertex i = 0; i < cliques; ++i) {
    Vertex const centre = 1 + 6 * i;
    Vertex const end = centre + 1;
    edges.insert(edges.end(), {{0, centre}, {centre, end}, {end, end + 1}, {end, end + 2}});
    for (Vertex u = end + 1; u <= end + 4; ++u) {
      for (Vertex v = u + 1; v <= end + 4; ++v) {
        edges.emplace_back(u, v);
      }
    }
  }
  constexpr Vertex n = 1 + 6 * cliques;
  auto const graph = make_graph(n, edges).graph;

  ReductionGraph folded;
  folded.assign(graph);
  for (Vertex i = 0; i < cliques; ++i) {
    Vertex const centre = 1 + 6 * i;
    Vertex const end = centre + 1;
    folded.fold(std::span(&centre, 1), 0, std::span(&end, 1));
  }
  EXPECT_EQ(folded.degree(0), 2 * cliques);
  EXPECT_EQ(folded.neighbours(0).size(), 2 * cliques);
  EXPECT_EQ(folded.live_vertices(), 1 + 4 * cliques);
  EXPECT_EQ(folded.live_edges(), 8 * cliques);
  std::size_t touched = 0;
  while (folded.next_touched() != none) {
    ++touched;
  }
  EXPECT_EQ(touched, 1 + 2 * cliques) << "the hub and its new neighbours, each once";

  std::vector<std::uint8_t> in_cover(n);
  Report const report = solve(graph, in_cover, {});
  EXPECT_EQ(report.status, Status::solved);
  EXPECT_EQ(report.cover_size, 4 * cliques);
  EXPECT_TRUE(covers(graph, in_cover));
}

TEST(Limits, AVertexIsQueuedOnceHoweverOftenItIsTouched) {
  ReductionGraph graph;
  std::vector<Edge> edges{{0, 1}, {1, 2}};
  graph.assign(make_graph(3, edges).graph);
  for (int i = 0; i < 5; ++i) {
    graph.touch(1);
  }
  EXPECT_EQ(graph.next_touched(), 1u);
  EXPECT_EQ(graph.next_touched(), none);
  graph.touch(1);
  EXPECT_EQ(graph.next_touched(), 1u);
}

/// Without a time limit, the memory limit of the search nodes ends the search.
TEST(Limits, TheMemoryLimitEndsASearch) {
  std::mt19937_64 random(91);
  auto const graph = nearly_regular_graph(2000, 5, random);
  for (std::uint64_t const max_bytes : {std::uint64_t{0}, std::uint64_t{1} << 21}) {
    std::vector<std::uint8_t> in_cover(graph.vertices());
    Report const report = solve(graph, in_cover, {}, {}, max_bytes);
    EXPECT_EQ(report.status, Status::stopped);
    expect_cover(graph, report, in_cover);
    EXPECT_GE(report.lower_bound, 1000u);
    EXPECT_LT(report.lower_bound, report.cover_size);
    EXPECT_LT(report.nodes, 1000u);
  }
}

/// The reduced graph of a sparse random graph, on which every bound is far from every cover.
class FarBounds {
 public:
  explicit FarBounds(HostGraph const& graph) : search_(interrupt, report, nullptr) {
    root.graph.assign(graph);
    root.matching.assign(graph.vertices());
    root.graph.touch_all();
    search_.reduce(root, no_cover);
  }
  std::uint64_t size() const { return root.graph.live_vertices() + root.graph.live_edges(); }

  /// The work per node and entry of the graph, of the first `nodes` nodes.
  std::uint64_t work_of(std::uint64_t nodes) {
    auto const before = interrupt.work();
    search_.run(root, no_cover, 0, nodes);
    return (interrupt.work() - before) / nodes / size();
  }

  Interrupt interrupt{Options{}};
  Report report;
  Node root;

 private:
  Search search_;
};

/// A random graph of mean degree 3 and 10^6 vertices spent minutes in bounds that could not prune.
TEST(Limits, ANodeFarFromItsLimitReadsItsGraphAFewTimes) {
  std::mt19937_64 random(96);
  FarBounds far(nearly_regular_graph(10'000, 5, random));
  ASSERT_GT(far.size(), 30'000u);
  EXPECT_LT(far.work_of(60), 8u);
  EXPECT_GE(far.report.nodes, 60u);
}

/// The memory limit ends branch and reduce soon, so that local search alone can find the difference.
TEST(Limits, LocalSearchGoesOnWhileItFindsSmallerCovers) {
  std::mt19937_64 random(97);
  auto const graph = nearly_regular_graph(8'000, 4, random);
  FarBounds const far(graph);
  auto const kernel = far.size();
  LocalSearch first(graph, never);
  first.run(1000 * kernel, 0);
  std::vector<std::uint8_t> in_cover(graph.vertices());
  Report const report = solve(graph, in_cover, {}, {}, 1 << 22);
  EXPECT_EQ(report.status, Status::stopped);
  expect_cover(graph, report, in_cover);
  EXPECT_LT(report.cover_size, first.cover_size());
}

TEST(Limits, AStoppedRunHasABoundAndACover) {
  std::mt19937_64 random(94);
  auto const graph = nearly_regular_graph(2000, 5, random);
  Stopped const run;
  std::vector<std::uint8_t> in_cover(graph.vertices());
  Report const report = solve(graph, in_cover, run.options);
  EXPECT_EQ(report.status, Status::stopped);
  expect_cover(graph, report, in_cover);
  EXPECT_GT(report.lower_bound, 700u) << "the matching bound";
  EXPECT_LT(report.lower_bound, report.cover_size);
}

TEST(Limits, LocalSearchStopsInItsConstructor) {
  std::mt19937_64 random(95);
  auto const graph = nearly_regular_graph(400'000, 3, random);
  auto const at_start = LocalSearch(graph, never).cover_size();
  Stopped run;
  ASSERT_TRUE(run.interrupt.stopped());
  LocalSearch local(graph, run.interrupt);
  EXPECT_TRUE(covers(graph, local.cover()));
  EXPECT_GT(local.cover_size(), at_start);
}

TEST(Limits, CliqueSearchStopsWithinFewNodes) {
  Stopped run;
  std::mt19937_64 random(92);
  auto const graph = nearly_regular_graph(1000, 300, random);
  MaxClique clique(graph, run.interrupt);
  EXPECT_FALSE(clique.run(0, graph.vertices()));
  EXPECT_LT(clique.nodes(), 100u);
}

TEST(Limits, CliquePropagationStops) {
  // Cycles of five vertices, in cliques of two, two and one: each cycle is a contradiction.
  constexpr Vertex cycles = 80'000;
  std::vector<Edge> edges;
  std::vector<Vertex> clique_of;
  for (Vertex v = 0; v < 5 * cycles; ++v) {
    edges.emplace_back(v, v / 5 * 5 + (v + 1) % 5);
    clique_of.push_back(v / 5 * 5 + v % 5 / 2 * 2);
  }
  ReductionGraph graph;
  graph.assign(make_graph(5 * cycles, edges).graph);
  EXPECT_EQ(CliquePropagation(never).count_contradictions(graph, clique_of, all), cycles);

  Stopped run;
  CliquePropagation propagation(run.interrupt);
  EXPECT_LT(propagation.count_contradictions(graph, clique_of, all), cycles);
  EXPECT_TRUE(propagation.failing_vertices(graph).empty());
}

TEST(Limits, RelaxationStopsAndDecidesNothing) {
  std::mt19937_64 random(93);
  std::vector<Edge> edges;
  for (int i = 0; i < 20'000; ++i) {
    edges.emplace_back(random() % 5000, 5000 + random() % 5000);
  }
  ReductionGraph graph;
  graph.assign(make_graph(10'000, edges).graph);
  Matching matching;
  matching.assign(graph.vertices());
  Stopped run;
  EXPECT_FALSE(Relaxation(run.interrupt).reduce(graph, matching));
  EXPECT_EQ(graph.live_vertices(), 10'000u);
  EXPECT_TRUE(Relaxation(never).reduce(graph, matching)) << "bipartite: it decides vertices";
}

}  // namespace
