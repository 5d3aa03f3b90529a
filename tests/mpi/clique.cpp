// SPDX-License-Identifier: Apache-2.0
#include <taper/clique/distributed/distributed.hpp>

#include "processes.hpp"

#include <support/clique_oracles.hpp>
#include <support/error_message.hpp>
#include <support/graph_oracles.hpp>
#include <taper/vertex_cover/branch_and_reduce/branch_and_reduce.hpp>
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
#include <utility>
#include <vector>

namespace {

namespace clique = taper::clique;
namespace vc = taper::vertex_cover;
using taper::Status;
using taper::testing::gnp_graph;
using taper::testing::graph_count;
using taper::testing::message_of;
using taper::testing::own_process;
using taper::testing::process_count;
using vc::HostGraph;

/// No graph is searched alone, and the processes may have delays.
clique::DistributedOptions together(std::chrono::microseconds longest = {},
                                    std::uint64_t seed = 0) {
  clique::DistributedOptions options{.vertices_alone = 0};
  if (longest.count() > 0) {
    options.at_poll = taper::testing::delays(longest, seed);
  }
  return options;
}

struct Solved {
  clique::DistributedReport report;
  std::vector<std::uint8_t> in_clique;
};
Solved solve(HostGraph const& graph, clique::Options const& options = {},
             clique::DistributedOptions const& distributed = together()) {
  Solved solved;
  solved.in_clique.resize(graph.vertices());
  solved.report = clique::solve(MPI_COMM_WORLD, graph, solved.in_clique, options, distributed);
  return solved;
}

/// A clique, of the size that the report says, and the same in all processes.
void expect_clique(HostGraph const& graph, Solved const& solved) {
  auto const& report = solved.report.clique;
  EXPECT_EQ(clique::find_missing_edges(graph, solved.in_clique, 1).count, 0u);
  EXPECT_EQ(
      static_cast<std::uint64_t>(std::count(solved.in_clique.begin(), solved.in_clique.end(), 1)),
      report.clique_size);
  EXPECT_LE(report.clique_weight, report.upper_bound);
  taper::distributed::Fingerprint print;
  print.add_all(solved.in_clique);
  for (std::uint64_t const value : {static_cast<std::uint64_t>(report.upper_bound), report.nodes,
                                    report.subproblems, report.kernel_vertices}) {
    print.add(value);
  }
  taper::distributed::Communicator const processes("test", MPI_COMM_WORLD);
  EXPECT_TRUE(processes.same(print.value()));
}
void expect_maximum(HostGraph const& graph, Solved const& solved, std::uint64_t size) {
  expect_clique(graph, solved);
  EXPECT_EQ(solved.report.clique.status, Status::solved);
  EXPECT_EQ(solved.report.clique.clique_size, size);
  EXPECT_EQ(solved.report.clique.upper_bound, static_cast<clique::Weight>(size));
}

std::uint64_t given_in(Solved const& solved) {
  std::uint64_t given = 0;
  for (auto const& process : solved.report.processes) {
    given += process.subproblems;
  }
  return given;
}

/// All vertices but those of a minimum cover of the complement: another search, in one process.
std::uint64_t size_by_cover(HostGraph const& graph) {
  auto const n = static_cast<vc::Vertex>(graph.vertices());
  std::vector<vc::Edge> missing;
  for (vc::Vertex v = 0; v < n; ++v) {
    auto const row = graph.neighbours(v);
    for (vc::Vertex u = 0; u < v; ++u) {
      if (std::find(row.begin(), row.end(), u) == row.end()) {
        missing.emplace_back(u, v);
      }
    }
  }
  std::vector<std::uint8_t> in_cover(n);
  return n -
         vc::branch_and_reduce::solve(vc::make_graph(n, missing).graph, in_cover, {}).cover_size;
}

TEST(DistributedClique, FindsTheMaximumOfSmallGraphs) {
  std::mt19937_64 random(1);
  std::uint64_t given = 0;
  for (std::size_t i = 0; i < graph_count(); ++i) {
    auto const small = taper::testing::random_graph(22, random);
    std::vector<clique::Weight> const weights(small.size(), 1);
    auto const graph = taper::testing::to_host_graph(small);
    auto const solved = solve(graph, {}, together(std::chrono::microseconds(i % 3 * 100), i));
    given += given_in(solved);
    expect_maximum(
        graph, solved,
        static_cast<std::uint64_t>(taper::testing::maximum_clique_by_trial(small, weights)));
  }
  EXPECT_EQ(given > 0, process_count() > 1);
}

// Graphs that are dense as a whole share the first branches, others the vertices.
TEST(DistributedClique, FindsTheSizeOfAnotherSearchWhateverTheDelays) {
  std::mt19937_64 random(2);
  std::uint64_t given[2] = {};
  for (std::size_t i = 0; i < graph_count() / 5; ++i) {
    bool const dense = i % 2 == 0;
    auto const graph = dense ? gnp_graph(70 + 5 * (i % 4), 0.7, random)
                             : gnp_graph(300, 0.08 + 0.02 * static_cast<double>(i % 3), random);
    auto const size = size_by_cover(graph);
    for (auto const bound :
         {clique::Bound::colouring, clique::Bound::recolouring, clique::Bound::maxsat}) {
      auto const solved =
          solve(graph, {.bound = bound}, together(std::chrono::microseconds(i % 3 * 100), i));
      expect_maximum(graph, solved, size);
      ASSERT_EQ(solved.report.processes.size(), process_count());
      std::uint64_t nodes = 0;
      for (auto const& process : solved.report.processes) {
        nodes += process.nodes;
      }
      EXPECT_EQ(nodes, solved.report.clique.nodes);
      given[i % 2] += given_in(solved);
    }
  }
  EXPECT_EQ(given[0] > 0, process_count() > 1);
  EXPECT_EQ(given[1] > 0, process_count() > 1);
}

// Minutes of work for one process.
HostGraph hard_graph() {
  std::mt19937_64 random(4);
  return gnp_graph(400, 0.9, random);
}

TEST(DistributedClique, EndsEverywhereIfOneProcessIsStopped) {
  auto const graph = hard_graph();
  for (std::uint32_t stopped = 0; stopped < process_count(); ++stopped) {
    std::atomic<bool> stop = process_count() == 1;  // it never polls
    auto distributed = together();
    distributed.at_poll = [&, polls = 0]() mutable {
      stop = ++polls > 100 && own_process() == stopped;
    };
    auto const solved = solve(graph, {.stop = &stop}, distributed);
    expect_clique(graph, solved);
    EXPECT_EQ(solved.report.clique.status, Status::stopped);
    EXPECT_GE(solved.report.clique.clique_size, 30u);
  }
}

TEST(DistributedClique, EndsEverywhereAtTheTimeLimitOfOneProcess) {
  auto const graph = hard_graph();
  for (double const seconds : {1e-6, 0.01, 0.3}) {
    clique::Options options;
    options.time_limit_s = own_process() + 1 == process_count() ? seconds : 0;
    auto const solved = solve(graph, options, {});
    expect_clique(graph, solved);
    EXPECT_EQ(solved.report.clique.status, Status::stopped);
  }
}

TEST(DistributedClique, BeginsWithAClique) {
  std::mt19937_64 random(5);
  auto const graph = gnp_graph(120, 0.5, random);
  auto const best = solve(graph);
  expect_maximum(graph, best, size_by_cover(graph));
  std::atomic<bool> const stop = true;
  clique::Options options;
  options.start = best.in_clique;
  options.stop = &stop;
  auto const solved = solve(graph, options);
  expect_clique(graph, solved);
  EXPECT_EQ(solved.report.clique.clique_size, best.report.clique.clique_size);
}

TEST(DistributedClique, SolvesGraphsWithNothingToShare) {
  expect_maximum({}, solve({}), 0);
  HostGraph edgeless;
  edgeless.offsets.assign(6, 0);
  expect_maximum(edgeless, solve(edgeless), 1);
  auto const complete = taper::testing::complete_graph(9);
  expect_maximum(complete, solve(complete), 9);
  auto const petersen = taper::testing::petersen_graph();
  expect_maximum(petersen, solve(petersen), 2);
}

TEST(DistributedClique, NamesTheProcessWithAWrongArgument) {
  auto const path =
      taper::testing::to_host_graph(taper::testing::small_graph(5, {{0, 1, 2, 3, 4}}));
  auto const other = taper::testing::to_host_graph(taper::testing::small_graph(5, {{0, 1, 2, 3}}));
  bool const last = own_process() + 1 == process_count();
  auto const call = [&](HostGraph const& graph, std::size_t marks, clique::Options const& options) {
    std::vector<std::uint8_t> in_clique(marks);
    clique::solve(MPI_COMM_WORLD, graph, in_clique, options);
  };
  EXPECT_EQ(message_of([&] { call(path, last ? 4 : 5, {}); }),
            "taper::clique::solve: process " + std::to_string(process_count() - 1) +
                ": in_clique has 4 entries, the graph has 5 vertices");
  std::vector<std::uint8_t> const start{1, 0, 1, 0, 0};
  clique::Options options;
  options.start = start;
  EXPECT_EQ(message_of([&] { call(path, 5, options); }),
            "taper::clique::solve: Options::start is not a clique: vertices 0 and 2 break it");
  if (process_count() > 1) {
    EXPECT_EQ(message_of([&] { call(last ? other : path, 5, {}); }),
              "taper::clique::solve: the processes have different graphs or options");
    clique::Options one;
    one.bound = last ? clique::Bound::colouring : clique::Bound::maxsat;
    EXPECT_EQ(message_of([&] { call(path, 5, one); }),
              "taper::clique::solve: the processes have different graphs or options");
  }
}

}  // namespace
