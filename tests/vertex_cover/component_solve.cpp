// SPDX-License-Identifier: Apache-2.0
#include <support/backends.hpp>
#include <taper/vertex_cover/paper/paper.hpp>
#include <vertex_cover/never.hpp>
#include <vertex_cover/paper_graphs.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace vc = taper::vertex_cover;
namespace oracle = taper::testing;

/// All that changes how the search goes, and must not change what it finds.
std::vector<vc::Options> ways() {
  std::vector<vc::Options> all;
  for (vc::Balance const balance : {vc::Balance::none, vc::Balance::worklist, vc::Balance::steal}) {
    for (unsigned switches = 0; switches < 8; ++switches) {
      vc::Options options;
      options.mode = vc::Mode::paper;
      options.balance = balance;
      options.components = (switches & 1) != 0;
      options.induce = (switches & 2) != 0;
      options.bounds = (switches & 4) != 0;
      options.small_vertices =
          std::array{0u, 10u, 128u}[(static_cast<unsigned>(balance) + switches) % 3];
      all.push_back(options);
    }
  }
  return all;
}

std::string describe(vc::Options const& options) {
  return std::string(to_string(options.balance)) + ", components " +
         std::to_string(options.components) + ", induce " + std::to_string(options.induce) +
         ", bounds " + std::to_string(options.bounds) + ", k " + std::to_string(options.k) +
         ", teams " + std::to_string(options.teams) + ", stack " +
         std::to_string(options.stack_nodes) + ", registry " +
         std::to_string(options.registry_entries) + ", queue " +
         std::to_string(options.queue_nodes);
}

template <class Space>
struct PaperSolve : ::testing::Test {
  Space space;

  struct Solved {
    vc::Report report;
    std::vector<std::uint8_t> in_cover;
  };

  Solved solve(vc::HostGraph const& graph, vc::Options const& options) {
    auto const views = vc::to_views(space, graph);
    Kokkos::View<std::uint8_t*, typename Space::memory_space> const in_cover("test::in_cover",
                                                                             graph.vertices());
    Solved solved{vc::paper::solve(space, views, in_cover, options), {}};
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, in_cover);
    solved.in_cover.assign(host.data(), host.data() + host.extent(0));
    return solved;
  }

  Solved expect_valid(vc::HostGraph const& graph, vc::Options const& options) {
    Solved solved = solve(graph, options);
    EXPECT_EQ(solved.report.status, taper::Status::solved) << describe(options);
    EXPECT_TRUE(oracle::covers(graph, solved.in_cover)) << describe(options);
    EXPECT_EQ(std::count(solved.in_cover.begin(), solved.in_cover.end(), 1),
              static_cast<std::ptrdiff_t>(solved.report.cover_size))
        << describe(options);
    return solved;
  }

  /// The search alone, whose bounds no greedy cover has lowered.
  vc::Report expect_searched(vc::paper::Task const& task, vc::Options const& options) {
    vc::Report report;
    auto const outcome = vc::paper::run_search(
        space, task, options, std::chrono::steady_clock::time_point::max(), report);
    report.cover_size =
        static_cast<std::uint64_t>(std::count(outcome.in_cover.begin(), outcome.in_cover.end(), 1));
    EXPECT_EQ(outcome.status, taper::Status::solved) << describe(options);
    EXPECT_TRUE(oracle::covers(task.graph, outcome.in_cover)) << describe(options);
    EXPECT_EQ(std::accumulate(outcome.sizes.begin(), outcome.sizes.end(), std::uint64_t{0}),
              report.cover_size)
        << describe(options);
    return report;
  }

  /// Minimum, and the parameterized question around it.
  void expect_exact(vc::HostGraph const& graph, vc::Options options, std::size_t minimum) {
    options.k = -1;
    auto const best = expect_valid(graph, options);
    EXPECT_EQ(best.report.cover_size, minimum) << describe(options);
    EXPECT_EQ(best.report.lower_bound, minimum) << describe(options);
    for (int beside = -1; beside <= 1; ++beside) {
      options.k = static_cast<std::int64_t>(minimum) + beside;
      if (options.k < 0) {
        continue;
      }
      auto const answer = expect_valid(graph, options);
      EXPECT_EQ(answer.report.found, beside >= 0) << describe(options);
      EXPECT_LE(answer.report.lower_bound, minimum) << describe(options);
      if (answer.report.found) {
        EXPECT_LE(answer.report.cover_size, static_cast<std::uint64_t>(options.k))
            << describe(options);
      }
    }
  }

  void expect_exact_every_way(vc::HostGraph const& graph) {
    std::size_t const minimum = oracle::CoverOracle(graph).minimum();
    for (vc::Options options : ways()) {
      expect_exact(graph, options, minimum);
      options.teams = 3;
      options.stack_nodes = 1;
      options.queue_nodes = 1;
      options.registry_entries = 4;
      expect_exact(graph, options, minimum);
    }
  }
};
TYPED_TEST_SUITE(PaperSolve, oracle::Backends, oracle::BackendNames);

TYPED_TEST(PaperSolve, all_small_graphs) {
  // On a GPU each of the 2^15 graphs of six vertices would cost a few launches.
  vc::Vertex const most = taper::is_gpu<TypeParam> ? 5 : 6;
  for (vc::Vertex n = 0; n <= most; ++n) {
    std::vector<vc::Edge> pairs;
    for (vc::Vertex v = 0; v < n; ++v) {
      for (vc::Vertex u = 0; u < v; ++u) {
        pairs.emplace_back(u, v);
      }
    }
    for (std::uint32_t chosen = 0; chosen < 1u << pairs.size(); ++chosen) {
      std::vector<vc::Edge> edges;
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        if ((chosen >> i & 1) != 0) {
          edges.push_back(pairs[i]);
        }
      }
      // Each way in turn; without the root's reductions, so that the search sees the graph.
      auto const graph = oracle::graph_of(n, edges);
      vc::Options options;
      options.induce = chosen % 8 == 7;
      options.components = chosen % 4 != 3;
      options.bounds = chosen % 5 != 4;
      options.balance = static_cast<vc::Balance>(chosen % 3);
      std::size_t const minimum = oracle::CoverOracle(graph).minimum();
      if (n < 6) {
        this->expect_exact(graph, options, minimum);
      } else {
        EXPECT_EQ(this->expect_valid(graph, options).report.cover_size, minimum);
      }
      if (this->HasFailure()) {
        return;
      }
    }
  }
}

/// Little enough for a tool that watches every access of a GPU:
/// compute-sanitizer --tool racecheck vertex_cover.paper_solve --gtest_filter=PaperSolve/Cuda.tiny_graphs
TYPED_TEST(PaperSolve, tiny_graphs) {
  std::mt19937_64 random(19);
  for (auto const& graph :
       {oracle::nearly_regular_graph(20, 3, random), oracle::nested_graph(1, 2, 9, random)}) {
    std::size_t const minimum = oracle::CoverOracle(graph).minimum();
    for (vc::Options options : ways()) {
      if (options.induce) {
        continue;
      }
      options.teams = 3;
      EXPECT_EQ(this->expect_valid(graph, options).report.cover_size, minimum) << describe(options);
      options.k = static_cast<std::int64_t>(minimum) - 1;
      EXPECT_FALSE(this->expect_valid(graph, options).report.found) << describe(options);
    }
  }
}

TYPED_TEST(PaperSolve, random_graphs_every_way) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 24 && !this->HasFailure(); ++i) {
    std::size_t const n = 6 + random() % 24;
    this->expect_exact_every_way(oracle::random_graph(n, 0.08 + 0.015 * i, random));
  }
}

TYPED_TEST(PaperSolve, thousands_of_random_graphs) {
  std::mt19937_64 random(9);
  auto const all = ways();
  for (std::size_t i = 0; i < (taper::is_gpu<TypeParam> ? 500u : 3000u) && !this->HasFailure();
       ++i) {
    auto const graph =
        oracle::random_graph(2 + random() % 15, 0.05 + 0.03 * static_cast<double>(i % 25), random);
    auto options = all[i % all.size()];
    options.k = i % 4 == 3 ? static_cast<std::int64_t>(random() % graph.vertices()) : -1;
    std::size_t const minimum = oracle::CoverOracle(graph).minimum();
    auto const report = this->expect_valid(graph, options).report;
    if (options.k < 0) {
      EXPECT_EQ(report.cover_size, minimum) << describe(options);
    } else {
      EXPECT_EQ(report.found, static_cast<std::size_t>(options.k) >= minimum) << describe(options);
    }
  }
}

TYPED_TEST(PaperSolve, regular_graphs_every_way) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 4 && !this->HasFailure(); ++i) {
    this->expect_exact_every_way(oracle::nearly_regular_graph(34, 3 + i % 2, random));
  }
}

TYPED_TEST(PaperSolve, components_nested_three_deep) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 3 && !this->HasFailure(); ++i) {
    auto const graph = oracle::nested_graph(3, 2, 11 + i, random);
    std::size_t const minimum = oracle::CoverOracle(graph).minimum();
    for (vc::Options options : ways()) {
      if (!options.components) {
        continue;
      }
      options.count = true;
      this->expect_exact(graph, options, minimum);
      options.k = -1;
      auto const report = this->expect_valid(graph, options).report;
      // The hubs of all levels, from the first to the last, leave a branch each at least once.
      EXPECT_GE(report.component_branches, 3u) << describe(options);
      std::uint64_t counted = 0;
      for (std::uint64_t const branches : report.components_histogram) {
        counted += branches;
      }
      EXPECT_EQ(counted, report.component_branches) << describe(options);
      for (std::uint64_t entries = 1; entries <= 12; entries += 3) {
        options.registry_entries = entries;
        this->expect_exact(graph, options, minimum);
      }
    }
  }
}

/// Covers of nested components that are carried up to the roots while these are searched, with as much room
/// for them as there is, and with next to none.
TYPED_TEST(PaperSolve, sizes_asked_for_three_deep) {
  std::mt19937_64 random(22);
  for (std::size_t parts = 1; parts <= 2 && !this->HasFailure(); ++parts) {
    std::vector<vc::Edge> edges;
    vc::Vertex n = 0;
    vc::paper::Task task;
    std::size_t minimum = 0;
    for (std::size_t i = 0; i < parts; ++i) {
      auto const part = oracle::nested_graph(3, 2, 11 + 2 * i, random);
      auto const size = static_cast<std::uint32_t>(part.vertices());
      minimum += oracle::CoverOracle(part).minimum();
      task.roots.push_back({n, size, vc::paper::Action::examine});
      task.bounds.push_back(size);
      oracle::append(edges, part, n);
    }
    task.graph = oracle::graph_of(n, edges);
    for (vc::Options options : ways()) {
      if (!options.components) {
        continue;
      }
      for (std::uint64_t const teams : {1, 2, 4}) {
        options.teams = teams;
        for (std::uint64_t const room : {0, 1, 7}) {
          options.registry_entries = room;
          options.stack_nodes = room;
          options.queue_nodes = room;
          for (int beside = -1; beside <= 1; ++beside) {
            task.enough = static_cast<std::uint32_t>(minimum) + beside;
            options.k = task.enough;
            auto const answer = this->expect_searched(task, options);
            if (beside < 0) {
              EXPECT_EQ(answer.cover_size, minimum) << describe(options);
            } else {
              EXPECT_LE(answer.cover_size, task.enough) << describe(options);
            }
          }
        }
      }
    }
  }
}

/// A part that takes long, in parts three deep: at each level a hub that is joined to all else, and a small
/// part beside what is further down.
vc::HostGraph buried_graph(std::size_t size, std::mt19937_64& random) {
  std::vector<vc::Edge> edges;
  vc::Vertex next = 0;
  oracle::append(edges, oracle::nearly_regular_graph(size, 5, random), next);
  for (int level = 0; level < 3; ++level) {
    oracle::append(edges, oracle::nearly_regular_graph(14, 3, random), next);
    for (vc::Vertex v = 0; v < next; ++v) {
      edges.emplace_back(v, next);
    }
    ++next;
  }
  return oracle::graph_of(next, edges);
}

/// Asked for are all vertices but some 30, of which only the part that takes long can spare so many: its first
/// covers answer, long before it is done, and before a launch has got as far as it may.
TYPED_TEST(PaperSolve, an_answer_from_three_levels_down_ends_the_launch) {
  std::uint64_t const launch = 1024;  // nodes of a team, after which the first one ends
  std::mt19937_64 random(23);
  for (std::size_t const size : {100, 160}) {
    vc::paper::Task task;
    task.graph = buried_graph(size, random);
    auto const n = static_cast<std::uint32_t>(task.graph.vertices());
    task.roots = {{0, n, vc::paper::Action::examine}};
    task.bounds = {n};
    task.enough = n - 30;
    for (vc::Options options : ways()) {
      options.k = task.enough;
      for (std::uint64_t const teams : {1, 2, 4}) {
        options.teams = teams;
        auto const answer = this->expect_searched(task, options);
        EXPECT_LE(answer.cover_size, task.enough) << describe(options);
        EXPECT_LT(answer.nodes, launch) << describe(options);
      }
    }
  }
}

/// A bound that no cover would be too large for is the size of one.
TYPED_TEST(PaperSolve, bounds_that_are_enough_need_no_search) {
  vc::paper::Task task;
  task.graph = oracle::petersen_graph();
  task.roots = {{0, 10, vc::paper::Action::examine}};
  task.bounds = {7};
  task.enough = 7;
  vc::Report report;
  auto const outcome = vc::paper::run_search(this->space, task, {},
                                             std::chrono::steady_clock::time_point::max(), report);
  EXPECT_EQ(outcome.status, taper::Status::solved);
  EXPECT_EQ(outcome.sizes, std::vector<std::uint32_t>{7});
  EXPECT_EQ(report.nodes, 0u);
}

/// Limits so tight that storage and registry are full nearly all the time.
TYPED_TEST(PaperSolve, full_storage_and_a_full_registry_are_met_and_survived) {
  std::mt19937_64 random(10);
  auto const graph = oracle::nested_graph(3, 2, 13, random);
  std::size_t const minimum = oracle::CoverOracle(graph).minimum();
  for (vc::Options options : ways()) {
    if (options.induce) {
      continue;
    }
    options.small_vertices = 0;
    options.teams = 2;  // many have storage enough between them
    options.stack_nodes = 1;
    options.queue_nodes = 1;
    options.registry_entries = 3;
    auto const report = this->expect_valid(graph, options).report;
    EXPECT_EQ(report.cover_size, minimum) << describe(options);
    EXPECT_GT(report.storage_full, 0u) << describe(options);
    EXPECT_EQ(report.registry_full > 0, options.components) << describe(options);
  }
}

/// Launches that end while teams branch without storage, and others that go on from there.
TYPED_TEST(PaperSolve, launches_end_while_storage_is_full) {
  std::mt19937_64 random(17);
  auto const graph = oracle::nearly_regular_graph(98, 4, random);
  vc::Options plain;
  plain.components = false;
  std::uint64_t const minimum = this->expect_valid(graph, plain).report.cover_size;
  for (vc::Options options : ways()) {
    if (options.induce) {
      continue;
    }
    options.small_vertices = 0;
    options.teams = 3;
    options.stack_nodes = 1;
    options.queue_nodes = 1;
    auto const report = this->expect_valid(graph, options).report;
    EXPECT_EQ(report.cover_size, minimum) << describe(options);
    EXPECT_GT(report.nodes, 4096u) << describe(options);  // more than the first launch visits
    EXPECT_GT(report.storage_full, report.nodes / 8) << describe(options);
  }
}

/// Launches that end within small graphs, and teams that get branches of one that another one searches.
TYPED_TEST(PaperSolve, small_graphs_are_shared) {
  std::mt19937_64 random(18);
  auto const graph = oracle::nearly_regular_graph(92, 5, random);
  vc::Options plain;
  plain.small_vertices = 0;
  std::uint64_t const minimum = this->expect_valid(graph, plain).report.cover_size;
  for (vc::Options options : ways()) {
    if (options.induce || !options.bounds) {
      continue;
    }
    options.small_vertices = 128;
    for (std::uint64_t const teams : {0, 3}) {
      options.teams = teams;
      options.stack_nodes = teams == 0 ? 0 : 1;  // what does not fit is searched where it is
      auto const report = this->expect_valid(graph, options).report;
      EXPECT_EQ(report.cover_size, minimum) << describe(options);
      EXPECT_GT(report.nodes, 4096u) << describe(options);  // more than the first launch visits
    }
  }
}

TYPED_TEST(PaperSolve, long_rows) {
  std::mt19937_64 random(21);
  for (std::size_t const parts : {1, 3}) {
    auto const graph = oracle::dense_parts_graph(parts, 30, random);
    EXPECT_GE(graph.entries.size(), 16 * graph.vertices());
    std::size_t const minimum = oracle::CoverOracle(graph).minimum();
    for (vc::Options options : ways()) {
      for (std::uint32_t const small : {0, 24, 128}) {
        options.small_vertices = small;
        this->expect_exact(graph, options, minimum);
      }
    }
  }
}

TYPED_TEST(PaperSolve, many_components) {
  std::mt19937_64 random(4);
  std::vector<vc::Edge> edges;
  vc::Vertex n = 0;
  std::size_t minimum = 0;
  for (int i = 0; i < 120; ++i) {
    auto const part = oracle::nearly_regular_graph(12, 3, random);
    minimum += oracle::CoverOracle(part).minimum();
    for (vc::Vertex v = 0; v < part.vertices(); ++v) {
      for (vc::Vertex const w : part.neighbours(v)) {
        edges.emplace_back(n + v, n + w);
      }
    }
    n += static_cast<vc::Vertex>(part.vertices());
  }
  auto const graph = oracle::graph_of(n, edges);
  for (vc::Options const& options : ways()) {
    if (options.components) {
      this->expect_exact(graph, options, minimum);
    }
  }
}

/// A part that is handed on is stored without what lies outside its range of vertices, so that whoever
/// takes it up still has another node's degrees there.
/// What is small beside the largest part shares its root, for which all of it is one cover.
TYPED_TEST(PaperSolve, small_parts_beside_a_large_one) {
  std::vector<vc::Edge> edges;
  vc::Vertex next = 0;
  for (unsigned part = 0; part < 40; ++part) {
    oracle::append(edges, oracle::petersen_graph(), next);
  }
  vc::Vertex const hub = next++;
  for (unsigned part = 0; part < 200; ++part) {
    edges.emplace_back(hub, next);
    oracle::append(edges, oracle::petersen_graph(), next);
  }
  auto const graph = oracle::graph_of(next, edges);
  auto const problem = vc::paper::reduced_problem(graph, next, true, oracle::never);
  EXPECT_EQ(problem.components, 41u);
  EXPECT_EQ(problem.task.roots.size(), 11u);
  for (vc::Options options : {vc::Options{}, vc::Options{.count = true}}) {
    auto const report = this->expect_valid(graph, options).report;
    EXPECT_EQ(report.cover_size, 240u * 6);
    EXPECT_EQ(report.components_histogram.size() > 41, options.count);
  }
}

TYPED_TEST(PaperSolve, parts_joined_by_the_last_vertices) {
  std::mt19937_64 random(11);
  for (int i = 0; i < (taper::is_gpu<TypeParam> ? 3 : 8) && !this->HasFailure(); ++i) {
    auto const graph = oracle::chained_graph(3 + i % 3, 3 + i % 3, random);
    std::size_t const minimum = oracle::CoverOracle(graph).minimum();
    for (vc::Options options : ways()) {
      if (!options.components || options.induce) {
        continue;
      }
      for (std::uint64_t const teams : {0, 1, 4}) {
        options.teams = teams;
        this->expect_exact(graph, options, minimum);
      }
    }
  }
}

/// Rows long enough for components to be looked for by pulling, and hubs numbered beyond the range
/// that is looked at when only rings are left: together these have the degrees of one ring.
TYPED_TEST(PaperSolve, rings_under_many_hubs) {
  std::mt19937_64 random(12);
  for (int i = 0; i < 4 && !this->HasFailure(); ++i) {
    std::vector<vc::Edge> edges;
    vc::Vertex next = 0;
    for (int ring = 0; ring < 12; ++ring) {
      oracle::append(edges, oracle::ring_graph(5), next);
    }
    vc::Vertex const hubs = 64;
    for (vc::Vertex hub = hubs; hub < hubs + 20; ++hub) {
      for (int spoke = 0; spoke < 56; ++spoke) {
        edges.emplace_back(hub, static_cast<vc::Vertex>(random() % next));
      }
    }
    auto const graph = oracle::graph_of(hubs + 20, edges);
    ASSERT_GE(graph.entries.size(), 16 * graph.vertices());
    vc::Options plain;
    plain.components = false;
    plain.induce = false;
    plain.teams = 1;
    std::size_t const minimum = this->expect_valid(graph, plain).report.cover_size;
    for (vc::Options const& options : ways()) {
      if (options.components && !options.induce) {
        this->expect_exact(graph, options, minimum);
      }
    }
  }
}

/// Cliques and rings are solved on the spot; those that come before the first part that is searched
/// count once.
TYPED_TEST(PaperSolve, solved_parts_before_searched_ones) {
  std::mt19937_64 random(13);
  std::vector<vc::HostGraph> solved{oracle::complete_graph(4), oracle::complete_graph(7),
                                    oracle::ring_graph(4), oracle::ring_graph(9)};
  for (int i = 0; i < 16 && !this->HasFailure(); ++i) {
    std::vector<vc::Edge> edges;
    vc::Vertex next = 0;
    for (int first = 0; first <= i % 3; ++first) {
      oracle::append(edges, solved[(i + first) % solved.size()], next);
    }
    for (int part = 0; part < 2; ++part) {
      oracle::append(edges,
                     i < 4 ? oracle::petersen_graph()
                           : oracle::nearly_regular_graph(14 + random() % 9, 3, random),
                     next);
    }
    for (vc::Vertex v = 0; v < next; ++v) {
      edges.emplace_back(v, next);
    }
    auto const graph = oracle::graph_of(next + 1, edges);
    std::size_t const minimum = oracle::CoverOracle(graph).minimum();
    for (vc::Options const& options : ways()) {
      if (options.components && !options.induce) {
        this->expect_exact(graph, options, minimum);
      }
    }
  }
}

/// Degrees too great for the smallest integers, in the search itself.
TYPED_TEST(PaperSolve, wide_degrees) {
  std::mt19937_64 random(5);
  for (vc::Vertex const spokes : {300u, 70'000u}) {
    // A hub beside a ring of triangles' worth of chords: the hub must be taken, and falls to the
    // high-degree rule or the first branch.
    std::vector<vc::Edge> edges;
    for (vc::Vertex v = 0; v < spokes; ++v) {
      edges.emplace_back(spokes, v);
      edges.emplace_back(v, v + 1 < spokes ? v + 1 : 0);
    }
    auto const graph = oracle::graph_of(spokes + 1, edges);
    vc::Options options;
    options.induce = false;
    options.balance = vc::Balance::worklist;
    EXPECT_EQ(this->expect_valid(graph, options).report.cover_size, 1 + (spokes + 1) / 2);
  }
}

TYPED_TEST(PaperSolve, known_shapes) {
  auto const size_of = [&](std::size_t n, std::vector<vc::Edge> const& edges) {
    return this->expect_valid(oracle::graph_of(n, edges), {}).report.cover_size;
  };
  EXPECT_EQ(size_of(1, {}), 0u);
  EXPECT_EQ(size_of(100, {}), 0u);
  EXPECT_EQ(size_of(2, {{0, 1}}), 1u);
  std::vector<vc::Edge> clique;
  std::vector<vc::Edge> star;
  std::vector<vc::Edge> cycle;
  for (vc::Vertex v = 0; v < 101; ++v) {
    for (vc::Vertex u = 0; u < v; ++u) {
      clique.emplace_back(u, v);
    }
    if (v > 0) {
      star.emplace_back(0, v);
    }
    cycle.emplace_back(v, (v + 1) % 101);
  }
  EXPECT_EQ(size_of(101, clique), 100u);
  EXPECT_EQ(size_of(101, star), 1u);
  EXPECT_EQ(size_of(101, cycle), 51u);
}

/// A launch ends, and the next goes on: nothing is lost however often that happens. Whatever ends the
/// search, what it returns is a cover, of open branches too.
TYPED_TEST(PaperSolve, stops_and_says_so) {
  std::mt19937_64 random(6);
  std::vector<vc::HostGraph> graphs{oracle::nearly_regular_graph(400, 5, random)};
  // A hub between two hard parts: without it the graph falls apart, and neither part is ever done.
  std::vector<vc::Edge> edges;
  for (vc::Vertex const first : {0u, 300u}) {
    auto const part = oracle::nearly_regular_graph(300, 5, random);
    for (vc::Vertex v = 0; v < 300; ++v) {
      edges.emplace_back(first + v, 600);
      for (vc::Vertex const w : part.neighbours(v)) {
        edges.emplace_back(first + v, first + w);
      }
    }
  }
  graphs.push_back(oracle::graph_of(601, edges));
  for (auto const& graph : graphs) {
    for (vc::Balance const balance :
         {vc::Balance::none, vc::Balance::worklist, vc::Balance::steal}) {
      for (bool const raised : {false, true}) {
        std::atomic<bool> stop{raised};
        vc::Options options;
        options.balance = balance;
        options.induce = !raised;
        options.time_limit_s = 0.2;
        options.stop = &stop;
        auto const limited = this->solve(graph, options);
        EXPECT_EQ(limited.report.status, taper::Status::stopped) << describe(options);
        EXPECT_TRUE(oracle::covers(graph, limited.in_cover)) << describe(options);
        EXPECT_EQ(std::count(limited.in_cover.begin(), limited.in_cover.end(), 1),
                  static_cast<std::ptrdiff_t>(limited.report.cover_size))
            << describe(options);
        EXPECT_LT(limited.report.lower_bound, limited.report.cover_size);
      }
    }
  }
}

/// The limits are heard before anything is searched: then no memory is taken and nothing launched.
TYPED_TEST(PaperSolve, stops_while_the_root_is_reduced) {
  std::mt19937_64 random(17);
  auto const graph = oracle::nearly_regular_graph(60'000, 4, random);
  std::atomic<bool> const stop{true};
  for (bool const induce : {false, true}) {
    for (std::int64_t const k : {-1, 33'000}) {
      vc::Options options;
      options.induce = induce;
      options.k = k;
      options.stop = &stop;
      auto const stopped = this->solve(graph, options);
      EXPECT_EQ(stopped.report.status, taper::Status::stopped);
      EXPECT_EQ(stopped.report.teams, 0u);
      EXPECT_TRUE(oracle::covers(graph, stopped.in_cover));
      EXPECT_EQ(std::count(stopped.in_cover.begin(), stopped.in_cover.end(), 1),
                static_cast<std::ptrdiff_t>(stopped.report.cover_size));
      EXPECT_GT(stopped.report.lower_bound, 20'000u);
      EXPECT_LT(stopped.report.lower_bound, stopped.report.cover_size);
    }
  }
}

/// Covers that are better, if not as good as asked, are kept.
TYPED_TEST(PaperSolve, keeps_what_it_found_without_k) {
  std::mt19937_64 random(18);
  std::vector<vc::Edge> edges;
  vc::Vertex next = 0;
  for (int part = 0; part < 3; ++part) {
    oracle::append(edges, oracle::nearly_regular_graph(400, 5, random), next);
  }
  auto const graph = oracle::graph_of(next, edges);
  vc::Options options;
  options.k = 650;  // the minimum is above 680
  options.time_limit_s = 0.5;
  auto const limited = this->solve(graph, options);
  EXPECT_EQ(limited.report.status, taper::Status::stopped);
  EXPECT_FALSE(limited.report.found);
  EXPECT_TRUE(oracle::covers(graph, limited.in_cover));
  EXPECT_EQ(std::count(limited.in_cover.begin(), limited.in_cover.end(), 1),
            static_cast<std::ptrdiff_t>(limited.report.cover_size));
  EXPECT_LT(limited.report.cover_size, vc::paper::greedy_cover(graph, oracle::never).size);
}

TYPED_TEST(PaperSolve, limits_that_no_clock_counts_are_none) {
  std::mt19937_64 random(14);
  auto const graph = oracle::nearly_regular_graph(40, 3, random);
  for (double const limit : {1e12, 1e300, std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN(), -1.0}) {
    vc::Options options;
    options.time_limit_s = limit;
    this->expect_valid(graph, options);
  }
}

TYPED_TEST(PaperSolve, rows_in_any_order) {
  std::mt19937_64 random(15);
  for (int i = 0; i < 20; ++i) {
    auto graph = oracle::random_graph(10 + i, 0.2, random);
    std::size_t const minimum = oracle::CoverOracle(graph).minimum();
    for (vc::Vertex v = 0; v < graph.vertices(); ++v) {
      auto const row = graph.entries.begin();
      std::shuffle(row + static_cast<std::ptrdiff_t>(graph.offsets[v]),
                   row + static_cast<std::ptrdiff_t>(graph.offsets[v + 1]), random);
    }
    for (bool const induce : {false, true}) {
      vc::Options options;
      options.induce = induce;
      EXPECT_EQ(this->expect_valid(graph, options).report.cover_size, minimum);
    }
  }
}

/// What is shown of the best cover is kept up to date as the search goes on.
TYPED_TEST(PaperSolve, progress_shows_covers_before_the_search_ends) {
  std::mt19937_64 random(16);
  auto const graph = oracle::nearly_regular_graph(400, 5, random);
  vc::Progress progress;
  std::atomic<bool> stop{false};
  vc::Options options;
  options.progress = &progress;
  options.stop = &stop;
  options.time_limit_s = 20;
  std::uint64_t shown = 0;
  std::thread watcher([&]() {
    std::uint64_t const greedy = vc::paper::greedy_cover(graph, oracle::never).size;
    while (!stop.load()) {
      std::uint64_t const best = progress.best.load();
      if (best > 0 && best < greedy) {
        shown = best;
        stop.store(true);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  auto const begin = std::chrono::steady_clock::now();
  auto const limited = this->solve(graph, options);
  std::chrono::duration<double> const lasted = std::chrono::steady_clock::now() - begin;
  stop.store(true);
  watcher.join();
  EXPECT_LT(lasted.count(), options.time_limit_s);
  EXPECT_EQ(limited.report.status, taper::Status::stopped);
  EXPECT_GT(shown, 0u);
  EXPECT_LE(limited.report.cover_size, shown);
}

TYPED_TEST(PaperSolve, reports_progress_and_activities) {
  std::mt19937_64 random(8);
  auto const graph = oracle::nearly_regular_graph(90, 3, random);
  vc::Progress progress;
  vc::Options options;
  options.count = true;
  options.progress = &progress;
  auto const report = this->expect_valid(graph, options).report;
  EXPECT_EQ(progress.best.load(), report.cover_size);
  EXPECT_EQ(progress.lower_bound.load(), report.lower_bound);
  EXPECT_GT(report.nodes, 0u);
  EXPECT_EQ(progress.nodes.load(), report.nodes);
  double whole = 0;
  for (auto const& activity : report.activities) {
    EXPECT_GE(activity.share, 0.0) << activity.name;
    whole += activity.share;
  }
  EXPECT_NEAR(whole, 1.0, 1e-9);
}

}  // namespace
