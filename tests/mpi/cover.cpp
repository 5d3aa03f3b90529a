// SPDX-License-Identifier: Apache-2.0
#include <taper/vertex_cover/distributed/distributed.hpp>

#include "processes.hpp"

#include <support/error_message.hpp>
#include <support/graph_oracles.hpp>
#include <vertex_cover/component_graphs.hpp>

#include <gtest/gtest.h>

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace {

namespace vc = taper::vertex_cover;
using taper::Status;
using taper::testing::covers;
using taper::testing::graph_count;
using taper::testing::message_of;
using taper::testing::minimum_size;
using taper::testing::nearly_regular_graph;
using taper::testing::own_process;
using taper::testing::process_count;
using taper::testing::random_graph;
using taper::testing::side_by_side;
using taper::testing::to_host_graph;
using vc::HostGraph;

/// No component is solved alone, so all are searched together.
vc::DistributedOptions together() {
  return {.nodes_alone = 0};
}

vc::DistributedOptions with_delays(std::chrono::microseconds longest, std::uint64_t seed) {
  return {.nodes_alone = 0, .at_poll = taper::testing::delays(longest, seed)};
}

struct Solved {
  vc::DistributedReport report;
  std::vector<std::uint8_t> in_cover;
};
Solved solve(HostGraph const& graph, vc::Options const& options = {},
             vc::DistributedOptions const& distributed = together()) {
  Solved solved;
  solved.in_cover.resize(graph.vertices());
  solved.report = vc::solve(MPI_COMM_WORLD, graph, solved.in_cover, options, distributed);
  return solved;
}

/// A cover, of the size that the report says.
void expect_cover(HostGraph const& graph, Solved const& solved) {
  EXPECT_TRUE(covers(graph, solved.in_cover));
  EXPECT_EQ(std::count(solved.in_cover.begin(), solved.in_cover.end(), 1),
            static_cast<std::ptrdiff_t>(solved.report.cover.cover_size));
  EXPECT_LE(solved.report.cover.lower_bound, solved.report.cover.cover_size);
}
void expect_minimum(HostGraph const& graph, Solved const& solved, std::uint64_t size) {
  expect_cover(graph, solved);
  EXPECT_EQ(solved.report.cover.status, Status::solved);
  EXPECT_EQ(solved.report.cover.cover_size, size);
  EXPECT_EQ(solved.report.cover.lower_bound, size);
}

/// The graphs that random numbers choose are alike in all processes.
std::uint64_t size_alone(HostGraph const& graph) {
  std::vector<std::uint8_t> in_cover(graph.vertices());
  return vc::branch_and_reduce::solve(graph, in_cover, {}).cover_size;
}

TEST(DistributedCover, FindsTheMinimumOfSmallGraphs) {
  std::mt19937_64 random(1);
  for (std::size_t i = 0; i < graph_count(); ++i) {
    auto const small = random_graph(22, random);
    auto const graph = to_host_graph(small);
    expect_minimum(graph, solve(graph), minimum_size(small));
  }
}

TEST(DistributedCover, FindsTheSizeOfOneProcessWhateverTheDelays) {
  std::mt19937_64 random(2);
  std::uint64_t given = 0;
  for (std::size_t i = 0; i < graph_count() / 5; ++i) {
    auto const part = nearly_regular_graph(110, 3 + i % 2, random);
    auto const graph =
        i % 3 != 0 ? part : side_by_side({part, nearly_regular_graph(90, 4, random)});
    auto const size = size_alone(graph);
    auto const distributed =
        i % 4 == 0 ? together() : with_delays(std::chrono::microseconds(i % 4 * 100), i);
    auto const solved = solve(graph, {}, distributed);
    expect_minimum(graph, solved, size);
    ASSERT_EQ(solved.report.processes.size(), process_count());
    std::uint64_t nodes = 0;
    for (auto const& process : solved.report.processes) {
      given += process.subproblems;
      nodes += process.nodes;
    }
    EXPECT_EQ(nodes, solved.report.cover.nodes);
  }
  EXPECT_EQ(given > 0, process_count() > 1);
}

TEST(DistributedCover, DecidesWhetherThereIsACoverOfKVertices) {
  std::mt19937_64 random(3);
  for (std::size_t i = 0; i < 6; ++i) {
    auto const graph =
        side_by_side({nearly_regular_graph(80, 4, random), nearly_regular_graph(90, 3, random)});
    auto const size = size_alone(graph);
    for (int const more : {-2, -1, 0, 1, 3}) {
      vc::Options options;
      options.k = static_cast<std::int64_t>(size) + more;
      auto const solved = solve(graph, options);
      expect_cover(graph, solved);
      EXPECT_EQ(solved.report.cover.status, Status::solved);
      EXPECT_EQ(solved.report.cover.found, more >= 0);
      if (more < 0) {
        EXPECT_GT(solved.report.cover.lower_bound, static_cast<std::uint64_t>(options.k));
      }
    }
  }
}

// Minutes of work for one process.
HostGraph hard_graph() {
  std::mt19937_64 random(4);
  return nearly_regular_graph(400, 5, random);
}

TEST(DistributedCover, EndsEverywhereIfOneProcessIsStopped) {
  auto const graph = hard_graph();
  for (std::uint32_t stopped = 0; stopped < process_count(); ++stopped) {
    std::atomic<bool> stop = false;
    vc::Options options;
    options.stop = &stop;
    auto distributed = together();
    distributed.at_poll = [&, polls = 0]() mutable {
      stop = ++polls > 100 && own_process() == stopped;
    };
    if (process_count() == 1) {
      stop = true;  // it never polls
    }
    auto const solved = solve(graph, options, distributed);
    expect_cover(graph, solved);
    EXPECT_EQ(solved.report.cover.status, Status::stopped);
    EXPECT_GT(solved.report.cover.lower_bound, 150u);
  }
}

TEST(DistributedCover, EndsEverywhereAtTheTimeLimitOfOneProcess) {
  auto const graph = hard_graph();
  for (double const seconds : {0.001, 0.3}) {
    vc::Options options;
    options.time_limit_s = own_process() + 1 == process_count() ? seconds : 0;
    auto const solved = solve(graph, options, {});
    expect_cover(graph, solved);
    EXPECT_EQ(solved.report.cover.status, Status::stopped);
  }
}

TEST(DistributedCover, TakesTheStartAndTheHeuristic) {
  std::mt19937_64 random(5);
  auto const graph = nearly_regular_graph(200, 3, random);
  auto const size = size_alone(graph);
  auto const best = solve(graph);
  expect_minimum(graph, best, size);
  vc::Options options;
  options.start = best.in_cover;
  options.heuristic = true;
  auto const solved = solve(graph, options);
  expect_cover(graph, solved);
  EXPECT_EQ(solved.report.cover.cover_size, size);
}

TEST(DistributedCover, SolvesGraphsWithNothingToShare) {
  expect_minimum({}, solve({}), 0);
  HostGraph edgeless;
  edgeless.offsets.assign(6, 0);
  expect_minimum(edgeless, solve(edgeless), 0);
  auto const path = to_host_graph(taper::testing::small_graph(5, {{0, 1, 2, 3, 4}}));
  expect_minimum(path, solve(path), 2);
}

TEST(DistributedCover, SharesTheCliqueSearchOfDenseGraphs) {
  std::mt19937_64 random(6);
  std::uint64_t given = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    auto const graph = taper::testing::gnp_graph(120 + 10 * i, 0.3, random);
    auto const size = size_alone(graph);
    auto const solved = solve(graph, {}, with_delays(std::chrono::microseconds(100), i));
    expect_minimum(graph, solved, size);
    vc::Options options;
    options.k = static_cast<std::int64_t>(size) - 1;
    auto const refuted = solve(graph, options);
    EXPECT_EQ(refuted.report.cover.status, Status::solved);
    EXPECT_FALSE(refuted.report.cover.found);
    for (auto const& process : solved.report.processes) {
      given += process.subproblems;
    }
  }
  EXPECT_EQ(given > 0, process_count() > 1);
}

TEST(DistributedCover, NamesTheProcessWithAWrongArgument) {
  auto const path = to_host_graph(taper::testing::small_graph(5, {{0, 1, 2, 3, 4}}));
  auto const other = to_host_graph(taper::testing::small_graph(5, {{0, 1, 2, 3}}));
  bool const last = own_process() + 1 == process_count();
  auto const call = [&](HostGraph const& graph, std::size_t marks, vc::Options const& options) {
    std::vector<std::uint8_t> in_cover(marks);
    vc::solve(MPI_COMM_WORLD, graph, in_cover, options);
  };
  auto const process = "process " + std::to_string(process_count() - 1);
  EXPECT_EQ(message_of([&] { call(path, last ? 4 : 5, {}); }),
            "taper::vertex_cover::solve: " + process +
                ": in_cover has 4 entries, the graph has 5 vertices");
  vc::Options options;
  options.mode = vc::Mode::component_search;
  EXPECT_NE(message_of([&] { call(path, 5, options); }).find("only Mode::taper"),
            std::string::npos);
  std::vector<std::uint8_t> const start{1, 0, 0, 1, 0};
  options = {};
  options.start = start;
  EXPECT_NE(message_of([&] { call(path, 5, options); }).find("it misses the edge 1 - 2"),
            std::string::npos);
  if (process_count() > 1) {
    EXPECT_EQ(message_of([&] { call(last ? other : path, 5, {}); }),
              "taper::vertex_cover::solve: the processes have different graphs or options");
  }
}

}  // namespace
