// SPDX-License-Identifier: Apache-2.0
#include <support/graph_oracles.hpp>
#include <vertex_cover/branch_and_reduce/expect_solved.hpp>
#include <vertex_cover/component_graphs.hpp>
#include <vertex_cover/interrupts.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace taper::vertex_cover;
using taper::Status;
using taper::testing::expect_cover;
using taper::testing::expect_solved;
using taper::testing::for_each_graph;
using taper::testing::is_cover;
using taper::testing::minimum_cover;
using taper::testing::minimum_cover_by_trial;
using taper::testing::minimum_size;
using taper::testing::nearly_regular_graph;
using taper::testing::never;
using taper::testing::random_graph;
using taper::testing::small_graph;
using taper::testing::SmallGraph;
using taper::testing::to_bits;
using taper::testing::to_host_graph;

TEST(CoverOracle, KnownAnswers) {
  auto const path = small_graph(4, {{0, 1, 2, 3}});
  EXPECT_TRUE(is_cover(path, 0b0110));
  EXPECT_TRUE(is_cover(path, 0b0101 | 0b0010));
  EXPECT_FALSE(is_cover(path, 0b0010)) << "2-3 is not covered";
  EXPECT_FALSE(is_cover(path, 0b1001)) << "1-2 is not covered";
  EXPECT_EQ(minimum_cover_by_trial(path), 2);
  EXPECT_EQ(minimum_cover_by_trial(small_graph(5, {{0, 1, 2, 3, 4, 0}})), 3);
  EXPECT_EQ(minimum_cover_by_trial(small_graph(3, {})), 0);
}

TEST(BranchAndReduce, SolvesEveryGraphOfUpToSixVertices) {
  for (std::size_t n = 1; n <= 6; ++n) {
    for_each_graph(n, [&](SmallGraph const& graph) {
      if (!HasFailure()) {
        int const minimum = minimum_cover_by_trial(graph);
        ASSERT_EQ(std::popcount(minimum_cover(graph)), minimum) << "the oracles disagree";
        expect_solved(to_host_graph(graph), static_cast<std::uint64_t>(minimum));
      }
    });
  }
}

TEST(BranchAndReduce, SolvesRandomGraphs) {
  std::mt19937_64 random(61);
  for (int repeat = 0; repeat < 20'000 && !HasFailure(); ++repeat) {
    auto const graph = random_graph(16, random);
    expect_solved(to_host_graph(graph), minimum_size(graph));
  }
  for (int repeat = 0; repeat < 1000 && !HasFailure(); ++repeat) {
    auto const graph = random_graph(30, random);
    expect_solved(to_host_graph(graph), minimum_size(graph));
  }
}

/// Covers to begin with: from all vertices down to a minimum. Also with k, and if nothing may run.
TEST(BranchAndReduce, StartsFromACover) {
  std::mt19937_64 random(63);
  std::atomic<bool> const stop{true};
  for (int repeat = 0; repeat < 3000 && !HasFailure(); ++repeat) {
    auto const graph = random_graph(repeat < 2000 ? 12 : 28, random);
    auto const host = to_host_graph(graph);
    std::uint32_t const best = minimum_cover(graph);
    std::uint32_t const bits = repeat % 3 == 0 ? best : best | static_cast<std::uint32_t>(random());
    std::vector<std::uint8_t> start(graph.size());
    for (std::size_t v = 0; v < graph.size(); ++v) {
      start[v] = static_cast<std::uint8_t>(3 * (bits >> v & 1));  // any mark but 0 counts
    }
    auto const minimum = static_cast<std::uint64_t>(std::popcount(best));
    auto const size = graph.size() - static_cast<std::size_t>(std::ranges::count(start, 0));
    std::vector<std::uint8_t> in_cover(graph.size(), 7);
    for (auto const k : {std::int64_t{-1}, static_cast<std::int64_t>(minimum) - 1,
                         static_cast<std::int64_t>(minimum), static_cast<std::int64_t>(size)}) {
      Options options;
      options.start = start;
      options.k = k;
      Report const report = branch_and_reduce::solve(host, in_cover, options);
      EXPECT_EQ(report.status, Status::solved);
      EXPECT_EQ(report.found, k < 0 || k >= static_cast<std::int64_t>(minimum));
      EXPECT_LE(report.cover_size, k < 0 ? minimum : size);
      EXPECT_LE(report.lower_bound, minimum);
      expect_cover(host, report, in_cover);
      options.stop = &stop;
      Report const stopped = branch_and_reduce::solve(host, in_cover, options);
      EXPECT_LE(stopped.cover_size, size);
      EXPECT_LE(stopped.lower_bound, minimum);
      expect_cover(host, stopped, in_cover);
    }
  }
}

/// Graphs that need a search: a start that is a minimum needs the proof alone, a worse one both.
TEST(BranchAndReduce, ProvesThatAStartIsTheMinimum) {
  std::mt19937_64 random(64);
  for (auto const n : {std::size_t{60}, std::size_t{90}, std::size_t{140}}) {
    auto const graph = n < 140 ? nearly_regular_graph(n, 6, random)
                               : nearly_regular_graph(n, 3, random);  // has components
    std::vector<std::uint8_t> best(n);
    Report const first = branch_and_reduce::solve(graph, best, {});
    ASSERT_EQ(first.status, Status::solved);
    std::vector<std::uint8_t> start = best;
    for (int more = 0; more < 3; ++more) {
      std::vector<std::uint8_t> in_cover(n);
      Options options;
      options.start = start;
      Report const report = branch_and_reduce::solve(graph, in_cover, options);
      EXPECT_EQ(report.status, Status::solved);
      EXPECT_EQ(report.cover_size, first.cover_size);
      EXPECT_EQ(report.lower_bound, first.cover_size);
      expect_cover(graph, report, in_cover);
      *std::ranges::find(start, 0) = 1;
    }
  }
}

/// Options::heuristic: covers near the minimum, and a bound. Without a search, few are proved.
TEST(BranchAndReduce, AHeuristicFindsCoversAndProvesLittle) {
  std::mt19937_64 random(65);
  for (int repeat = 0; repeat < 1000 && !HasFailure(); ++repeat) {
    auto const graph = random_graph(24, random);
    auto const host = to_host_graph(graph);
    auto const minimum = minimum_size(graph);
    std::vector<std::uint8_t> in_cover(graph.size(), 7);
    Options options;
    options.heuristic = true;
    Report const report = branch_and_reduce::solve(host, in_cover, options);
    EXPECT_LE(report.cover_size, minimum + 1);
    EXPECT_LE(report.lower_bound, minimum);
    EXPECT_EQ(report.status == Status::solved, report.lower_bound == report.cover_size);
    expect_cover(host, report, in_cover);
    options.k = minimum + 1;
    EXPECT_TRUE(branch_and_reduce::solve(host, in_cover, options).found);
    options.k = minimum > 0 ? static_cast<std::int64_t>(minimum) - 1 : 0;
    EXPECT_EQ(branch_and_reduce::solve(host, in_cover, options).found, minimum == 0);
  }
  auto const graph = nearly_regular_graph(90, 6, random);
  std::vector<std::uint8_t> in_cover(graph.vertices());
  auto const minimum = branch_and_reduce::solve(graph, in_cover, {}).cover_size;
  Options options;
  options.heuristic = true;
  Report const report = branch_and_reduce::solve(graph, in_cover, options);
  EXPECT_EQ(report.status, Status::stopped);
  EXPECT_EQ(report.nodes + report.conflicts, 0u);
  EXPECT_LE(report.cover_size, minimum + 2);
  EXPECT_LT(report.lower_bound, minimum);
  expect_cover(graph, report, in_cover);
}

TEST(BranchAndReduce, ReductionsAloneSolveSimpleGraphs) {
  auto const expect_at_once = [](std::size_t n, std::vector<Edge> const& edges,
                                 std::uint64_t minimum) {
    std::vector<std::uint8_t> in_cover(n);
    Report const report = branch_and_reduce::solve(make_graph(n, edges).graph, in_cover, {});
    EXPECT_EQ(report.cover_size, minimum);
    EXPECT_EQ(report.status, Status::solved);
    EXPECT_EQ(report.nodes, 0u);
    EXPECT_EQ(report.kernel_vertices, 0u);
  };
  expect_at_once(0, {}, 0);
  expect_at_once(1, {}, 0);
  expect_at_once(1000, {}, 0);
  expect_at_once(2, {{0, 1}}, 1);
  std::vector<Edge> star;
  std::vector<Edge> cycle;
  std::vector<Edge> odd_cycle{{1000, 0}};
  std::vector<Edge> complete;
  std::vector<Edge> components;
  for (Vertex v = 0; v < 1000; ++v) {
    star.emplace_back(1000, v);
    cycle.emplace_back(v, (v + 1) % 1000);
    odd_cycle.emplace_back(v, v + 1);
    components.emplace_back(2 * v, 2 * v + 1);
    for (Vertex u = 0; u < v && v < 60; ++u) {
      complete.emplace_back(u, v);
    }
  }
  expect_at_once(1001, star, 1);
  expect_at_once(1000, cycle, 500);
  expect_at_once(1001, odd_cycle, 501);
  expect_at_once(60, complete, 59);
  expect_at_once(2000, components, 1000);
}

/// The search alone: no local search before it, no clique search.
TEST(Search, FindsMinimaWithoutAFirstCover) {
  std::mt19937_64 random(62);
  for (int repeat = 0; repeat < 3000 && !HasFailure(); ++repeat) {
    auto const graph = random_graph(26, random);
    auto const minimum = minimum_size(graph);
    Report report;
    auto const host = to_host_graph(graph);
    for (std::uint32_t const limit : {branch_and_reduce::no_cover, minimum + 1, minimum}) {
      branch_and_reduce::Search search(never, report, nullptr);
      branch_and_reduce::Node root;
      root.graph.assign(host);
      root.matching.assign(graph.size());
      std::uint32_t const lower = search.run(root, limit, 0);
      if (limit > minimum) {
        EXPECT_EQ(lower, minimum);
        EXPECT_EQ(root.best_size, minimum);
        EXPECT_TRUE(is_cover(graph, to_bits(root.best)));
        EXPECT_EQ(std::popcount(to_bits(root.best)), static_cast<int>(minimum));
      } else {
        EXPECT_EQ(lower, minimum);
        EXPECT_EQ(root.best_size, branch_and_reduce::no_cover);
      }
    }
  }
}

/// For every limit and `enough`, and after any number of nodes: the returned value is a lower bound
/// of the minimum, and the cover an upper bound.
TEST(Search, BoundsHoldForEveryGoalAndEnd) {
  std::mt19937_64 random(65);
  for (int repeat = 0; repeat < 200 && !HasFailure(); ++repeat) {
    auto const graph = random_graph(28, 0.1 + 0.05 * (repeat % 6), random);
    auto const minimum = minimum_size(graph);
    auto const host = to_host_graph(graph);
    Report report;
    branch_and_reduce::Search search(never, report, nullptr);
    for (std::uint32_t const limit : {minimum - 1, minimum, minimum + 1, minimum + 3, 28u}) {
      for (std::uint32_t const enough : {0u, minimum - 1, minimum, minimum + 1, minimum + 5}) {
        for (std::uint64_t const max_nodes : {1u, 2u, 3u, 5u, 9u, 1u << 30}) {
          if (enough >= limit) {
            continue;
          }
          branch_and_reduce::Node root;
          root.graph.assign(host);
          root.matching.assign(graph.size());
          root.graph.touch_all();
          std::uint32_t const lower = search.run(root, limit, enough, max_nodes);
          EXPECT_LE(lower, minimum) << limit << ' ' << enough << ' ' << max_nodes;
          if (root.best_size != branch_and_reduce::no_cover) {
            EXPECT_GE(root.best_size, minimum);
            EXPECT_LT(root.best_size, limit);
            EXPECT_TRUE(is_cover(graph, to_bits(root.best)));
            EXPECT_EQ(std::popcount(to_bits(root.best)), static_cast<int>(root.best_size));
          }
          if (max_nodes == 1u << 30) {
            EXPECT_EQ(lower >= limit, limit <= minimum);
            EXPECT_EQ(root.best_size == branch_and_reduce::no_cover, limit <= minimum);
          }
        }
      }
    }
  }
}

HostGraph hard_graph() {
  std::mt19937_64 random(63);
  std::vector<Edge> edges;
  for (int i = 0; i < 9000; ++i) {
    edges.emplace_back(random() % 3000, random() % 3000);
  }
  return make_graph(3000, edges).graph;
}

void expect_stopped_cover(HostGraph const& graph, Report const& report,
                          std::vector<std::uint8_t> const& in_cover) {
  EXPECT_EQ(report.status, Status::stopped);
  expect_cover(graph, report, in_cover);
}

/// Checks the cover and the bounds, whether the run was solved or stopped.
void expect_bounds(HostGraph const& graph, Options const& options, std::uint64_t minimum) {
  SCOPED_TRACE("k = " + std::to_string(options.k));
  std::vector<std::uint8_t> in_cover(graph.vertices());
  Report const report = branch_and_reduce::solve(graph, in_cover, options);
  expect_cover(graph, report, in_cover);
  EXPECT_LE(report.lower_bound, minimum);
  EXPECT_GE(report.cover_size, minimum);
  if (report.status == Status::solved) {
    bool const exists = options.k < 0 || static_cast<std::uint64_t>(options.k) >= minimum;
    EXPECT_EQ(report.found, exists);
    EXPECT_TRUE(!exists || options.k >= 0 || report.cover_size == minimum);
    EXPECT_TRUE(exists || report.lower_bound > static_cast<std::uint64_t>(options.k));
  }
}

/// `fives` cycles of five vertices, of which a cover needs three each, and random other edges. One
/// cover of 3 * fives vertices leaves out vertices 0 and 2 of each cycle. No other edge joins two
/// of these, so that its size is the minimum.
HostGraph planted(Vertex fives, std::uint64_t edges, std::mt19937_64& random) {
  std::vector<Vertex> number(5 * fives);
  std::iota(number.begin(), number.end(), Vertex{0});
  std::shuffle(number.begin(), number.end(), random);
  std::vector<Edge> list;
  for (Vertex v = 0; v < 5 * fives; ++v) {
    list.emplace_back(number[v], number[v / 5 * 5 + (v + 1) % 5]);
  }
  auto const left_out = [](std::uint64_t v) { return v % 5 == 0 || v % 5 == 2; };
  while (list.size() < 5 * fives + edges) {
    std::uint64_t const u = random() % number.size();
    std::uint64_t const v = random() % number.size();
    if (u != v && !(left_out(u) && left_out(v))) {
      list.emplace_back(number[u], number[v]);
    }
  }
  return make_graph(5 * fives, list).graph;
}

/// A graph whose reduced graph is too large for the clique search, many k near the minimum, and
/// limits that end the search at any time.
TEST(BranchAndReduce, BoundsHoldForEveryKAndAtEveryStop) {
  std::mt19937_64 random(66);
  for (unsigned repeat = 0; repeat < 8 && !HasFailure(); ++repeat) {
    Vertex const fives = 80;
    auto const graph = planted(fives, 500 + 50u * (repeat % 4), random);
    std::uint64_t const minimum = 3 * fives;
    for (int const offset : {-20, -5, -1, 0, 1, 5, 20}) {
      Options options;
      options.k = static_cast<std::int64_t>(minimum) + offset;
      options.time_limit_s = 0.02 * (1 + repeat % 3);
      expect_bounds(graph, options, minimum);

      Progress progress;
      std::atomic<bool> stop{false};
      options.progress = &progress;
      options.stop = &stop;
      std::jthread const watch([&](std::stop_token const& done) {
        while (!done.stop_requested() && progress.nodes < 1 + 20 * repeat) {
          std::this_thread::yield();
        }
        stop = true;
      });
      expect_bounds(graph, options, minimum);
    }
  }
}

TEST(BranchAndReduce, StopsWithACoverAndABound) {
  auto const graph = hard_graph();
  std::vector<std::uint8_t> in_cover(graph.vertices());
  Options options;
  options.time_limit_s = 0.2;
  Progress progress;
  options.progress = &progress;
  Report const timed = branch_and_reduce::solve(graph, in_cover, options);
  expect_stopped_cover(graph, timed, in_cover);
  EXPECT_LE(timed.cover_size, 2000u);
  EXPECT_EQ(progress.best.load(), timed.cover_size);
  EXPECT_EQ(progress.nodes.load(), timed.nodes);
  EXPECT_LE(progress.lower_bound.load(), timed.lower_bound);

  std::atomic<bool> stop{true};
  options.stop = &stop;
  options.progress = nullptr;
  expect_stopped_cover(graph, branch_and_reduce::solve(graph, in_cover, options), in_cover);
}

TEST(BranchAndReduce, SolvesThousandsOfComponents) {
  std::mt19937_64 random(64);
  std::vector<Edge> edges;
  std::uint64_t minimum = 0;
  for (Vertex component = 0; component < 2000; ++component) {
    auto const small = random_graph(14, 0.3, random);
    minimum += minimum_size(small);
    for (Vertex u = 0; u < 14; ++u) {
      for (Vertex v = 0; v < u; ++v) {
        if (taper::testing::has_edge(small, u, v)) {
          // The vertex numbers of different components interleave.
          edges.emplace_back(component + 2000 * u, component + 2000 * v);
        }
      }
    }
  }
  std::vector<std::uint8_t> in_cover(28'000);
  auto const graph = make_graph(28'000, edges).graph;
  Report const report = branch_and_reduce::solve(graph, in_cover, {});
  EXPECT_EQ(report.status, Status::solved);
  EXPECT_EQ(report.cover_size, minimum);
  expect_cover(graph, report, in_cover);
}

}  // namespace
