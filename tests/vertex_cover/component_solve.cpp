// SPDX-License-Identifier: Apache-2.0
#include <support/backends.hpp>
#include <support/error_message.hpp>
#include <taper/vertex_cover/component_search/component_search.hpp>
#include <taper/vertex_cover/fields.hpp>
#include <vertex_cover/component_graphs.hpp>
#include <vertex_cover/interrupts.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#ifdef TAPER_COMPILED
// In object code already.
extern template taper::vertex_cover::component_search::SearchResult
taper::vertex_cover::component_search::run_search(Kokkos::DefaultExecutionSpace const&, Task const&,
                                                  Options const&,
                                                  std::chrono::steady_clock::time_point, Report&);
#endif

namespace {

namespace vc = taper::vertex_cover;
namespace oracle = taper::testing;

/// Mode::component_search, with its options to change.
vc::Options component_search() {
  return {.mode = vc::Mode::component_search, .component_search = vc::ComponentSearchOptions{}};
}

/// Whether a test runs with these options.
using Keep = std::function<bool(vc::ComponentSearchOptions const&)>;
Keep const keep_all = [](auto const&) { return true; };
Keep const with_components = [](auto const& search) { return search.components; };
Keep const without_induce = [](auto const& search) { return !search.induce; };
Keep const components_without_induce = [](auto const& search) {
  return search.components && !search.induce;
};

/// Sets of options that change the course of the search, but not its result: those that `keep`
/// accepts. The first three switches and `balance` have all combinations, the other options take
/// turns.
std::vector<vc::Options> all_configurations(Keep const& keep = keep_all) {
  std::vector<vc::Options> all;
  for (vc::Balance const balance : {vc::Balance::none, vc::Balance::worklist, vc::Balance::steal}) {
    for (unsigned switches = 0; switches < 8; ++switches) {
      vc::Options options = component_search();
      auto const turn = static_cast<unsigned>(balance) + switches;
      auto& search = *options.component_search;
      search.balance = balance;
      search.components = (switches & 1) != 0;
      search.induce = (switches & 2) != 0;
      search.bounds = (switches & 4) != 0;
      search.small_vertices = std::array{0u, 10u, 128u}[turn % 3];
      search.crown =
          std::array{vc::Crown::off, vc::Crown::published, vc::Crown::complete}[switches % 3];
      search.split_root = turn % 2 == 0;
      search.lower_bound_stop = all.size() % 5 < 3;
      search.degree_bound = all.size() % 4 < 2;
      search.first_branch =
          all.size() % 3 == 0 ? vc::FirstBranch::vertex : vc::FirstBranch::neighbours;
      search.degree_bits =
          std::array{vc::DegreeBits::automatic, vc::DegreeBits::short_integers,
                     vc::DegreeBits::bits_16, vc::DegreeBits::bits_32}[all.size() % 4];
      all.push_back(options);
    }
  }
  std::erase_if(all, [&](auto const& options) { return !keep(*options.component_search); });
  return all;
}

std::string describe(vc::Options const& options) {
  std::string text = "k " + std::to_string(options.k);
  auto const search = search_options(options);
  fields(search, [&](taper::Field const& field, auto const& value) {
    text += ", " + std::string(field.name) + " ";
    if constexpr (taper::NamedEnum<std::remove_cvref_t<decltype(value)>>) {
      text += to_string(value);
    } else {
      text += std::to_string(value);
    }
  });
  return text;
}

/// The search of a whole graph from one root.
vc::component_search::Task whole(vc::HostGraph const& graph) {
  auto const n = static_cast<std::uint32_t>(graph.vertices());
  vc::component_search::Task task;
  task.graph = graph;
  task.roots = {{0, n, vc::component_search::Action::examine}};
  task.bounds = {n};
  return task;
}

template <class Space>
struct ComponentSolve : ::testing::Test {
  Space space;

  struct Solved {
    vc::Report report;
    std::vector<std::uint8_t> in_cover;
  };

  Solved solve(vc::HostGraph const& graph, vc::Options const& options) {
    auto const views = vc::to_views(space, graph);
    Kokkos::View<std::uint8_t*, typename Space::memory_space> const in_cover("test::in_cover",
                                                                             graph.vertices());
    Solved solved{vc::component_search::solve(space, views, in_cover, options), {}};
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, in_cover);
    solved.in_cover.assign(host.data(), host.data() + host.extent(0));
    return solved;
  }

  /// Solves, and expects a cover of the reported size.
  Solved expect_cover(vc::HostGraph const& graph, vc::Options const& options,
                      taper::Status status) {
    Solved solved = solve(graph, options);
    EXPECT_EQ(solved.report.status, status) << describe(options);
    EXPECT_TRUE(oracle::covers(graph, solved.in_cover)) << describe(options);
    EXPECT_EQ(std::count(solved.in_cover.begin(), solved.in_cover.end(), 1),
              static_cast<std::ptrdiff_t>(solved.report.cover_size))
        << describe(options);
    return solved;
  }
  Solved expect_valid(vc::HostGraph const& graph, vc::Options const& options) {
    return expect_cover(graph, options, taper::Status::solved);
  }
  vc::Report expect_stopped(vc::HostGraph const& graph, vc::Options const& options) {
    return expect_cover(graph, options, taper::Status::stopped).report;
  }

  /// Runs the search alone, without bounds from a greedy cover.
  vc::Report expect_searched(vc::component_search::Task const& task, vc::Options const& options) {
    vc::Report report;
    auto const result = vc::component_search::run_search(
        space, task, options, std::chrono::steady_clock::time_point::max(), report);
    report.cover_size =
        static_cast<std::uint64_t>(std::count(result.in_cover.begin(), result.in_cover.end(), 1));
    EXPECT_EQ(result.status, taper::Status::solved) << describe(options);
    EXPECT_TRUE(oracle::covers(task.graph, result.in_cover)) << describe(options);
    EXPECT_EQ(std::accumulate(result.sizes.begin(), result.sizes.end(), std::uint64_t{0}),
              report.cover_size)
        << describe(options);
    return report;
  }

  /// Checks the minimum, and the parameterized problem for k around it.
  void expect_exact(vc::HostGraph const& graph, vc::Options options, std::size_t minimum) {
    options.k = -1;
    auto const best = expect_valid(graph, options);
    EXPECT_EQ(best.report.cover_size, minimum) << describe(options);
    EXPECT_EQ(best.report.lower_bound, minimum) << describe(options);
    for (int offset = -1; offset <= 1; ++offset) {
      options.k = static_cast<std::int64_t>(minimum) + offset;
      if (options.k < 0) {
        continue;
      }
      auto const answer = expect_valid(graph, options);
      EXPECT_EQ(answer.report.found, offset >= 0) << describe(options);
      EXPECT_LE(answer.report.lower_bound, minimum) << describe(options);
      if (answer.report.found) {
        EXPECT_LE(answer.report.cover_size, static_cast<std::uint64_t>(options.k))
            << describe(options);
      }
    }
  }

  void expect_exact_in_all_configurations(vc::HostGraph const& graph) {
    std::size_t const minimum = oracle::CoverOracle(graph).minimum();
    for (vc::Options options : all_configurations()) {
      expect_exact(graph, options, minimum);
      options.component_search->teams = 3;
      options.component_search->stack_nodes = 1;
      options.component_search->queue_nodes = 1;
      options.component_search->registry_entries = 4;
      expect_exact(graph, options, minimum);
    }
  }
};
TYPED_TEST_SUITE(ComponentSolve, oracle::Backends, oracle::BackendNames);

TYPED_TEST(ComponentSolve, AllSmallGraphs) {
  // On a GPU, each of the 2^15 graphs of six vertices would take a few launches.
  vc::Vertex const max_n = taper::is_gpu<TypeParam> ? 5 : 6;
  for (vc::Vertex n = 0; n <= max_n; ++n) {
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
      // Configurations take turns. Mostly without the root's reductions, so that the search gets
      // the graph.
      auto const graph = oracle::graph_of(n, edges);
      vc::Options options = component_search();
      options.component_search->induce = chosen % 8 == 7;
      options.component_search->components = chosen % 4 != 3;
      options.component_search->bounds = chosen % 5 != 4;
      options.component_search->balance = static_cast<vc::Balance>(chosen % 3);
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

/// Small enough for a tool that checks every memory access of a GPU: compute-sanitizer --tool
/// racecheck vertex_cover.component_solve --gtest_filter=ComponentSolve/Cuda.TinyGraphs
TYPED_TEST(ComponentSolve, TinyGraphs) {
  std::mt19937_64 random(19);
  for (auto const& graph :
       {oracle::nearly_regular_graph(20, 3, random), oracle::nested_graph(1, 2, 9, random)}) {
    std::size_t const minimum = oracle::CoverOracle(graph).minimum();
    for (vc::Options options : all_configurations(without_induce)) {
      options.component_search->teams = 3;
      EXPECT_EQ(this->expect_valid(graph, options).report.cover_size, minimum) << describe(options);
      options.k = static_cast<std::int64_t>(minimum) - 1;
      EXPECT_FALSE(this->expect_valid(graph, options).report.found) << describe(options);
    }
  }
}

TYPED_TEST(ComponentSolve, RandomGraphsInAllConfigurations) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 24 && !this->HasFailure(); ++i) {
    std::size_t const n = 6 + random() % 24;
    this->expect_exact_in_all_configurations(oracle::gnp_graph(n, 0.08 + 0.015 * i, random));
  }
}

TYPED_TEST(ComponentSolve, ThousandsOfRandomGraphs) {
  std::mt19937_64 random(9);
  auto const all = all_configurations();
  for (std::size_t i = 0; i < (taper::is_gpu<TypeParam> ? 500u : 3000u) && !this->HasFailure();
       ++i) {
    auto const graph =
        oracle::gnp_graph(2 + random() % 15, 0.05 + 0.03 * static_cast<double>(i % 25), random);
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

TYPED_TEST(ComponentSolve, RegularGraphsInAllConfigurations) {
  std::mt19937_64 random(2);
  for (unsigned i = 0; i < 4 && !this->HasFailure(); ++i) {
    this->expect_exact_in_all_configurations(oracle::nearly_regular_graph(34, 3 + i % 2, random));
  }
}

TYPED_TEST(ComponentSolve, ComponentsNestedThreeDeep) {
  std::mt19937_64 random(3);
  for (unsigned i = 0; i < 3 && !this->HasFailure(); ++i) {
    auto const graph = oracle::nested_graph(3, 2, 11 + i, random);
    std::size_t const minimum = oracle::CoverOracle(graph).minimum();
    for (vc::Options options : all_configurations(with_components)) {
      options.component_search->count = true;
      this->expect_exact(graph, options, minimum);
      options.k = -1;
      auto const report = this->expect_valid(graph, options).report;
      // Without its hub, the graph of each level branches on components at least once.
      EXPECT_GE(report.component_branches, 3u) << describe(options);
      std::uint64_t counted = 0;
      for (std::uint64_t const branches : report.components_histogram) {
        counted += branches;
      }
      EXPECT_EQ(counted, report.component_branches) << describe(options);
      for (std::uint64_t entries = 1; entries <= 12; entries += 3) {
        options.component_search->registry_entries = entries;
        this->expect_exact(graph, options, minimum);
      }
    }
  }
}

/// Sizes of nested components are propagated to the roots during the search, with plenty of storage
/// and with almost none.
TYPED_TEST(ComponentSolve, ParameterizedComponentsNestedThreeDeep) {
  std::mt19937_64 random(22);
  for (std::size_t parts = 1; parts <= 2 && !this->HasFailure(); ++parts) {
    std::vector<vc::Edge> edges;
    vc::Vertex n = 0;
    vc::component_search::Task task;
    std::size_t minimum = 0;
    for (std::size_t i = 0; i < parts; ++i) {
      auto const part = oracle::nested_graph(3, 2, 11 + 2 * i, random);
      auto const size = static_cast<std::uint32_t>(part.vertices());
      minimum += oracle::CoverOracle(part).minimum();
      task.roots.push_back({n, size, vc::component_search::Action::examine});
      task.bounds.push_back(size);
      oracle::append(edges, part, n);
    }
    task.graph = oracle::graph_of(n, edges);
    for (vc::Options options : all_configurations(with_components)) {
      for (std::uint64_t const teams : {1u, 2u, 4u}) {
        options.component_search->teams = teams;
        for (std::uint64_t const capacity : {0u, 1u, 7u}) {  // 0: as the free memory allows
          options.component_search->registry_entries = capacity;
          options.component_search->stack_nodes = capacity;
          options.component_search->queue_nodes = capacity;
          for (int offset = -1; offset <= 1; ++offset) {
            task.target_size = static_cast<std::uint32_t>(static_cast<int>(minimum) + offset);
            options.k = task.target_size;
            auto const answer = this->expect_searched(task, options);
            if (offset < 0) {
              EXPECT_EQ(answer.cover_size, minimum) << describe(options);
            } else {
              EXPECT_LE(answer.cover_size, task.target_size) << describe(options);
            }
          }
        }
      }
    }
  }
}

/// A hub joins a clique, a ring, and possibly a Petersen graph. Without the hub the graph has two
/// or three components, of which at most one is left to search. That counts as a branch, too. The
/// components are nodes, as are the root and the two branches on the hub.
TYPED_TEST(ComponentSolve, CountsSplitsIntoSolvedComponents) {
  for (bool const with_hard_part : {false, true}) {
    std::vector<vc::HostGraph> components{oracle::complete_graph(4), oracle::ring_graph(5)};
    if (with_hard_part) {
      components.push_back(oracle::petersen_graph());
    }
    auto const task = whole(oracle::with_hub(oracle::side_by_side(components)));
    vc::Options options = component_search();
    options.component_search->small_vertices = 0;
    options.component_search->count = true;
    options.component_search->teams = 1;
    auto const report = this->expect_searched(task, options);
    if (!with_hard_part) {
      EXPECT_EQ(report.nodes, 3u + 2u);
    }
    std::size_t const parts = with_hard_part ? 3 : 2;
    EXPECT_GT(report.component_branches, 0u);
    ASSERT_GT(report.components_histogram.size(), parts);
    EXPECT_EQ(report.components_histogram[parts], 1u);
  }
}

/// A part alone, and beside a clique and a ring after a branch on a hub. In both the search of the
/// part visits the same nodes. The root, the two branches on the hub, the clique and the ring are
/// five more. So a part that is left to search, or solved at once, counts each of its nodes once,
/// as bit sets or not.
TYPED_TEST(ComponentSolve, CountsTheNodesOfALastComponentOnce) {
  std::mt19937_64 random(29);
  auto const search_nodes = [&](vc::HostGraph const& graph, std::uint32_t bound,
                                std::uint32_t small) {
    vc::component_search::Task task;
    task.graph = graph;
    task.roots = {
        {0, static_cast<vc::Vertex>(graph.vertices()), vc::component_search::Action::examine}};
    task.bounds = {bound};
    vc::Options options = component_search();
    options.component_search->small_vertices = small;
    options.component_search->teams = 1;
    return this->expect_searched(task, options).nodes;
  };
  for (std::uint32_t const size : {10u, 40u, 70u}) {
    auto const part =
        size == 10 ? oracle::petersen_graph() : oracle::nearly_regular_graph(size, 4, random);
    std::vector<vc::Edge> edges;
    vc::Vertex next = 0;
    oracle::append(edges, part, next);
    oracle::append(edges, oracle::complete_graph(4), next);
    oracle::append(edges, oracle::ring_graph(5), next);
    for (vc::Vertex v = 0; v < next; ++v) {
      edges.emplace_back(v, next);
    }
    auto const joined = oracle::graph_of(next + 1, edges);
    // The first branch takes all but the hub. The other one takes the hub, 3 of the clique and 3 of
    // the ring. That leaves `size + 2` for the part.
    std::uint64_t const by_bit_sets = search_nodes(part, size + 2, size);
    EXPECT_EQ(search_nodes(joined, next + 1, size), by_bit_sets + 5) << size;
    EXPECT_EQ(by_bit_sets > 64, size > 10)
        << size;      // a component of several is not searched further
    if (size < 70) {  // without cliques in the search of the part, which only rows count
      std::uint64_t const by_rows = search_nodes(part, size + 2, 0);
      EXPECT_EQ(by_bit_sets, by_rows) << size;
      EXPECT_EQ(search_nodes(joined, next + 1, 0), by_rows + 5) << size;
    }
  }
}

/// A component that takes long to solve, nested three deep. Each level adds a small component, and
/// a hub that is adjacent to all vertices of the levels below.
vc::HostGraph buried_graph(std::size_t size, std::mt19937_64& random) {
  auto graph = oracle::nearly_regular_graph(size, 5, random);
  for (int level = 0; level < 3; ++level) {
    graph = oracle::with_hub(
        oracle::side_by_side({graph, oracle::nearly_regular_graph(14, 3, random)}));
  }
  return graph;
}

/// A cover of the target size leaves out 30 vertices. Only covers of the component that takes long
/// can do that. The first of these reach the target long before the component is solved, and before
/// the launch has used up its quota.
TYPED_TEST(ComponentSolve, AnAnswerFromThreeLevelsDownEndsTheLaunch) {
  std::uint64_t const first_quota = 1024;  // nodes per team in the first launch
  std::mt19937_64 random(23);
  for (std::size_t const size : {100u, 160u}) {
    auto task = whole(buried_graph(size, random));
    task.target_size = task.bounds.front() - 30;
    for (vc::Options options : all_configurations()) {
      options.k = task.target_size;
      for (std::uint64_t const teams : {1u, 2u, 4u}) {
        options.component_search->teams = teams;
        auto const answer = this->expect_searched(task, options);
        EXPECT_LE(answer.cover_size, task.target_size) << describe(options);
        EXPECT_LT(answer.nodes, first_quota) << describe(options);
      }
    }
  }
}

/// Bounds that reach the target are the sizes of greedy covers.
TYPED_TEST(ComponentSolve, BoundsThatReachTheTargetNeedNoSearch) {
  auto task = whole(oracle::petersen_graph());
  task.bounds = {7};
  task.target_size = 7;
  vc::Report report;
  auto const result = vc::component_search::run_search(
      this->space, task, {}, std::chrono::steady_clock::time_point::max(), report);
  EXPECT_EQ(result.status, taper::Status::solved);
  EXPECT_EQ(result.sizes, std::vector<std::uint32_t>{7});
  EXPECT_EQ(report.nodes, 0u);
}

/// Limits so tight that storage and registry are full almost all the time.
TYPED_TEST(ComponentSolve, FullStorageAndRegistryKeepTheAnswer) {
  std::mt19937_64 random(10);
  auto const graph = oracle::nested_graph(3, 2, 13, random);
  std::size_t const minimum = oracle::CoverOracle(graph).minimum();
  for (vc::Options options : all_configurations(without_induce)) {
    options.component_search->small_vertices = 0;
    options.component_search->teams = 2;  // more teams would have enough storage together
    options.component_search->stack_nodes = 1;
    options.component_search->queue_nodes = 1;
    options.component_search->registry_entries = 3;
    auto const report = this->expect_valid(graph, options).report;
    EXPECT_EQ(report.cover_size, minimum) << describe(options);
    EXPECT_GT(report.storage_full, 0u) << describe(options);
    EXPECT_EQ(report.registry_full > 0, options.component_search->components) << describe(options);
  }
}

/// Launches end while teams branch without storage, and later ones continue.
TYPED_TEST(ComponentSolve, LaunchesEndWhileStorageIsFull) {
  std::mt19937_64 random(17);
  auto const graph = oracle::nearly_regular_graph(98, 4, random);
  vc::Options plain = component_search();
  plain.component_search->components = false;
  std::uint64_t const minimum = this->expect_valid(graph, plain).report.cover_size;
  for (vc::Options options : all_configurations(without_induce)) {
    options.component_search->small_vertices = 0;
    options.component_search->teams = 3;
    options.component_search->stack_nodes = 1;
    options.component_search->queue_nodes = 1;
    auto const report = this->expect_valid(graph, options).report;
    EXPECT_EQ(report.cover_size, minimum) << describe(options);
    EXPECT_GT(report.nodes, 4096u) << describe(options);  // more than the first launch visits
    EXPECT_GT(report.storage_full, report.nodes / 8) << describe(options);
  }
}

/// Storage starts with four nodes per team, and grows after launches. When a launch ends depends on
/// timing, and a team that branches without storage does so to the end of its subtree. So only all
/// searches together show the growth: storage that stays at four nodes is full far more often.
TYPED_TEST(ComponentSolve, StorageGrows) {
  std::mt19937_64 random(17);
  auto const graph = oracle::nearly_regular_graph(98, 4, random);
  vc::Options plain = component_search();
  plain.component_search->components = false;
  std::uint64_t const minimum = this->expect_valid(graph, plain).report.cover_size;
  std::uint64_t growing = 0;
  std::uint64_t fixed = 0;
  for (vc::Options options : all_configurations(without_induce)) {
    options.component_search->small_vertices = 0;
    options.component_search->teams = 3;
    options.component_search->first_stack_nodes = 4;
    auto const grown = this->expect_valid(graph, options).report;
    EXPECT_EQ(grown.cover_size, minimum) << describe(options);
    options.component_search->stack_nodes = 4;
    auto const kept = this->expect_valid(graph, options).report;
    EXPECT_EQ(kept.cover_size, minimum) << describe(options);
    growing += grown.storage_full;
    fixed += kept.storage_full;
  }
  EXPECT_GT(growing, 0u);
  EXPECT_LT(growing, fixed / 2);
}

/// Launches end within small graphs, and teams take over branches of small graphs that another team
/// searches.
TYPED_TEST(ComponentSolve, SmallGraphsAreShared) {
  std::mt19937_64 random(18);
  auto const graph = oracle::nearly_regular_graph(92, 5, random);
  vc::Options plain = component_search();
  plain.component_search->small_vertices = 0;
  std::uint64_t const minimum = this->expect_valid(graph, plain).report.cover_size;
  auto const bounds_without_induce = [](auto const& search) {
    return search.bounds && !search.induce;
  };
  for (vc::Options options : all_configurations(bounds_without_induce)) {
    options.component_search->small_vertices = 128;
    for (std::uint64_t const teams : {0u, 3u}) {
      options.component_search->teams = teams;
      options.component_search->stack_nodes =
          teams == 0 ? 0 : 1;  // little storage: most branches stay with their team
      auto const report = this->expect_valid(graph, options).report;
      EXPECT_EQ(report.cover_size, minimum) << describe(options);
      EXPECT_GT(report.nodes, 4096u) << describe(options);  // more than the first launch visits
    }
  }
}

TYPED_TEST(ComponentSolve, LongRows) {
  std::mt19937_64 random(21);
  for (std::size_t const parts : {1u, 3u}) {
    auto const graph = oracle::dense_parts_graph(parts, 30, random);
    EXPECT_GE(graph.entries.size(), 16 * graph.vertices());
    std::size_t const minimum = oracle::CoverOracle(graph).minimum();
    for (vc::Options options : all_configurations()) {
      for (std::uint32_t const small : {0u, 24u, 128u}) {
        options.component_search->small_vertices = small;
        this->expect_exact(graph, options, minimum);
      }
    }
  }
}

/// Each vertex of a circle is adjacent to the next two, so no rule shrinks the graph, and the search
/// does not end in time. A GPU launches no kernel whose teams ask for more scratch than it has.
TYPED_TEST(ComponentSolve, DegreeArraysOfEachSizeAreLaunched) {
  vc::Options options = component_search();
  options.time_limit_s = 1;
  options.component_search->degree_bits = vc::DegreeBits::bits_8;
  bool in_scratch = true;
  for (vc::Vertex const n : {8'000u, 24'000u, 32'000u, 40'000u, 64'000u}) {
    std::vector<vc::Edge> edges;
    for (vc::Vertex v = 0; v < n; ++v) {
      edges.emplace_back(v, (v + 1) % n);
      edges.emplace_back(v, (v + 2) % n);
    }
    auto const report = this->solve(oracle::graph_of(n, edges), options).report;
    EXPECT_EQ(report.array_vertices, n);
    EXPECT_GT(report.nodes, 0u) << n;
    EXPECT_TRUE(in_scratch || !report.in_scratch) << n << ": a smaller array did not fit";
    in_scratch = report.in_scratch;
  }
}

TYPED_TEST(ComponentSolve, ManyComponents) {
  std::mt19937_64 random(4);
  std::vector<vc::HostGraph> parts;
  std::size_t minimum = 0;
  for (int i = 0; i < 120; ++i) {
    parts.push_back(oracle::nearly_regular_graph(12, 3, random));
    minimum += oracle::CoverOracle(parts.back()).minimum();
  }
  auto const graph = oracle::side_by_side(parts);
  for (vc::Options const& options : all_configurations(with_components)) {
    this->expect_exact(graph, options, minimum);
  }
}

/// Components that are small compared with the largest one share roots. Such a root has one cover
/// for all of them. A stored component contains only its own range of vertices. The team that loads
/// it still has degrees of another node outside that range.
TYPED_TEST(ComponentSolve, SmallComponentsBesideALargeOne) {
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
  auto const problem = vc::component_search::reduced_problem(graph, next, {}, oracle::never);
  EXPECT_EQ(problem.component_count, 41u);
  EXPECT_EQ(problem.task.roots.size(), 11u);
  for (bool const count : {false, true}) {
    vc::Options options = component_search();
    options.component_search->count = count;
    auto const report = this->expect_valid(graph, options).report;
    EXPECT_EQ(report.cover_size, 240u * 6);
    EXPECT_EQ(report.components_histogram.size() > 41, count);
  }
}

TYPED_TEST(ComponentSolve, PartsJoinedByTheLastVertices) {
  std::mt19937_64 random(11);
  for (unsigned i = 0; i < (taper::is_gpu<TypeParam> ? 3u : 8u) && !this->HasFailure(); ++i) {
    auto const graph = oracle::chained_graph(3 + i % 3, 3 + i % 3, random);
    std::size_t const minimum = oracle::CoverOracle(graph).minimum();
    for (vc::Options options : all_configurations(components_without_induce)) {
      for (std::uint64_t const teams : {0u, 1u, 4u}) {
        options.component_search->teams = teams;
        this->expect_exact(graph, options, minimum);
      }
    }
  }
}

/// Long rows, for which TeamGraph::pull() finds components. Hubs lie beyond the range of vertices
/// that is scanned when only rings are left. All rings together have the degrees of a single ring.
TYPED_TEST(ComponentSolve, CyclesUnderManyHubs) {
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
    vc::Options plain = component_search();
    plain.component_search->components = false;
    plain.component_search->induce = false;
    plain.component_search->teams = 1;
    std::size_t const minimum = this->expect_valid(graph, plain).report.cover_size;
    for (vc::Options const& options : all_configurations(components_without_induce)) {
      this->expect_exact(graph, options, minimum);
    }
  }
}

/// Cliques and cycles are solved at once. Those before the first component that needs a search
/// count once.
TYPED_TEST(ComponentSolve, SolvedComponentsBeforeSearchedOnes) {
  std::mt19937_64 random(13);
  std::vector<vc::HostGraph> solved{oracle::complete_graph(4), oracle::complete_graph(7),
                                    oracle::ring_graph(4), oracle::ring_graph(9)};
  for (unsigned i = 0; i < 16 && !this->HasFailure(); ++i) {
    std::vector<vc::HostGraph> parts;
    for (unsigned first = 0; first <= i % 3; ++first) {
      parts.push_back(solved[(i + first) % solved.size()]);
    }
    for (int part = 0; part < 2; ++part) {
      parts.push_back(i < 4 ? oracle::petersen_graph()
                            : oracle::nearly_regular_graph(14 + random() % 9, 3, random));
    }
    auto const graph = oracle::with_hub(oracle::side_by_side(parts));
    std::size_t const minimum = oracle::CoverOracle(graph).minimum();
    for (vc::Options const& options : all_configurations(components_without_induce)) {
      this->expect_exact(graph, options, minimum);
    }
  }
}

/// Degrees that need wider integers, in the search itself.
TYPED_TEST(ComponentSolve, WideDegrees) {
  std::mt19937_64 random(5);
  for (vc::Vertex const spokes : {300u, 70'000u}) {
    // A wheel. The hub must be taken, by the high-degree rule or by the first branch.
    std::vector<vc::Edge> edges;
    for (vc::Vertex v = 0; v < spokes; ++v) {
      edges.emplace_back(spokes, v);
      edges.emplace_back(v, v + 1 < spokes ? v + 1 : 0);
    }
    auto const graph = oracle::graph_of(spokes + 1, edges);
    vc::Options options = component_search();
    options.component_search->induce = false;
    options.component_search->balance = vc::Balance::worklist;
    auto const report = this->expect_valid(graph, options).report;
    EXPECT_EQ(report.cover_size, 1 + (spokes + 1) / 2);
    EXPECT_EQ(report.degree_bits, spokes == 300 ? 16u : 32u);
  }
}

/// The report has the width that was chosen, and the memory that follows from it. A width that does
/// not hold the greatest degree is an error.
TYPED_TEST(ComponentSolve, DegreeBits) {
  std::mt19937_64 random(24);
  auto const graph = oracle::nearly_regular_graph(60, 4, random);
  std::size_t const minimum = oracle::CoverOracle(graph).minimum();
  vc::Options options = component_search();
  options.component_search->teams = 2;
  std::uint64_t bytes = 0;
  for (auto const& [bits, expected] :
       {std::pair{vc::DegreeBits::automatic, 8u}, std::pair{vc::DegreeBits::bits_8, 8u},
        std::pair{vc::DegreeBits::short_integers, 16u}, std::pair{vc::DegreeBits::bits_16, 16u},
        std::pair{vc::DegreeBits::bits_32, 32u}}) {
    options.component_search->degree_bits = bits;
    auto const report = this->expect_valid(graph, options).report;
    EXPECT_EQ(report.cover_size, minimum);
    EXPECT_EQ(report.degree_bits, expected);
    EXPECT_EQ(report.array_vertices, report.kernel_vertices);
    EXPECT_TRUE(report.in_scratch);
    EXPECT_GT(report.scratch_bytes, report.kernel_vertices * expected / 8);
    EXPECT_GE(report.stack_bytes, bytes);
    bytes = report.stack_bytes;
  }
  EXPECT_EQ(vc::component_search::degree_bits(vc::DegreeBits::automatic, 254), 8u);
  EXPECT_EQ(vc::component_search::degree_bits(vc::DegreeBits::automatic, 255), 16u);
  EXPECT_EQ(vc::component_search::degree_bits(vc::DegreeBits::short_integers, 65'534), 16u);
  EXPECT_EQ(vc::component_search::degree_bits(vc::DegreeBits::short_integers, 65'535), 32u);
  EXPECT_EQ(
      oracle::message_of([] { vc::component_search::degree_bits(vc::DegreeBits::bits_8, 255); }),
      "taper::vertex_cover::solve: degree_bits 8 hold degrees up to 254; the greatest degree is "
      "255");
}

/// The modes without options of their own.
TYPED_TEST(ComponentSolve, EveryModeIsExact) {
  std::mt19937_64 random(25);
  for (vc::Mode const mode : {vc::Mode::component_search, vc::Mode::published, vc::Mode::yamout}) {
    for (auto const& graph :
         {oracle::nearly_regular_graph(36, 3, random), oracle::nested_graph(2, 2, 11, random),
          oracle::gnp_graph(30, 0.3, random), oracle::dense_parts_graph(2, 20, random)}) {
      this->expect_exact(graph, {.mode = mode}, oracle::CoverOracle(graph).minimum());
    }
  }
}

/// Algorithm 1 of the paper as a plain recursive program. Shares no code with the library.
struct PublishedProgram {
  using Live = std::vector<std::uint8_t>;

  vc::HostGraph const& graph;
  std::size_t best;
  std::uint64_t nodes = 0;

  void visit(Live live, std::size_t cover) {
    ++nodes;
    while (cover < best && reduce(live, cover)) {
    }
    std::size_t edges = 0;
    std::size_t top = 0;
    vc::Vertex at = 0;
    for (vc::Vertex v = 0; v < graph.vertices(); ++v) {
      std::size_t const degree = around(live, v).size();
      edges += degree;
      if (degree > top) {
        top = degree;
        at = v;
      }
    }
    edges /= 2;
    if (cover >= best || edges > (best - cover - 1) * (best - cover - 1)) {
      return;
    }
    if (edges == 0) {
      best = cover;
      return;
    }
    for (auto const& taken : {std::vector<vc::Vertex>{at}, around(live, at)}) {
      Live rest = live;
      for (vc::Vertex const v : taken) {
        rest[v] = 0;
      }
      visit(rest, cover + taken.size());
    }
  }

 private:
  std::vector<vc::Vertex> around(Live const& live, vc::Vertex v) const {
    std::vector<vc::Vertex> found;
    for (vc::Vertex const w : graph.neighbours(v)) {
      if (live[v] != 0 && live[w] != 0) {
        found.push_back(w);
      }
    }
    return found;
  }

  /// Applies one rule to one vertex. False: none applies.
  bool reduce(Live& live, std::size_t& cover) const {
    for (vc::Vertex v = 0; v < graph.vertices(); ++v) {
      auto taken = around(live, v);
      bool const is_simple = taken.size() == 1 || (taken.size() == 2 && [&] {
                               auto const row = graph.neighbours(taken[0]);
                               return std::find(row.begin(), row.end(), taken[1]) != row.end();
                             }());
      if (!is_simple && cover + taken.size() < best) {
        continue;
      }
      if (!is_simple) {
        taken = {v};  // too many neighbours
      }
      for (vc::Vertex const w : taken) {
        live[w] = 0;
      }
      cover += taken.size();
      return true;
    }
    return false;
  }
};

/// One team of mode `published` visits as many nodes as the plain program. The rules need not be
/// applied in the same order, so that a few nodes may differ. A further bound shows.
TYPED_TEST(ComponentSolve, PublishedNodesAreThoseOfAlgorithm1) {
  std::mt19937_64 random(28);
  vc::Options options{.mode = vc::Mode::published,
                      .component_search = vc::component_search_options(vc::Mode::published)};
  options.component_search->components = false;
  options.component_search->teams = 1;
  options.component_search->balance = vc::Balance::steal;  // one team: depth first
  for (unsigned i = 0; i < 5; ++i) {
    auto const task = whole(oracle::nearly_regular_graph(50, 4 + i % 2, random));
    PublishedProgram program{task.graph, 50};
    program.visit(PublishedProgram::Live(50, 1), 0);
    auto const expected = static_cast<double>(program.nodes);
    options.component_search->degree_bound = false;
    auto const published = this->expect_searched(task, options);
    EXPECT_EQ(published.cover_size, program.best);
    EXPECT_NEAR(static_cast<double>(published.nodes), expected, 0.01 * expected);
    options.component_search->degree_bound = true;
    auto const bounded = this->expect_searched(task, options);
    EXPECT_LT(static_cast<double>(bounded.nodes), 0.95 * expected);
  }
}

/// Prior work knows no components, and reduces nothing at the root.
TYPED_TEST(ComponentSolve, YamoutSearchesTheWholeGraphAsOne) {
  std::mt19937_64 random(26);
  auto const graph = oracle::nested_graph(2, 2, 11, random);
  auto const yamout = this->expect_valid(graph, {.mode = vc::Mode::yamout}).report;
  EXPECT_EQ(yamout.kernel_vertices, graph.vertices());
  EXPECT_EQ(yamout.component_branches, 0u);
  EXPECT_EQ(yamout.degree_bits, 32u);
  auto const published = this->expect_valid(graph, {.mode = vc::Mode::published}).report;
  EXPECT_GT(published.component_branches, 0u);
  EXPECT_EQ(published.degree_bits, 16u);
  EXPECT_LT(published.nodes, yamout.nodes);
}

/// A hub that is adjacent to all vertices of a Petersen graph. All of these are the first cover if
/// the search begins with the neighbours of the hub. Else the hub is in the first cover.
TYPED_TEST(ComponentSolve, TheFirstBranchComesFirst) {
  vc::Vertex const hub = 10;
  auto task = whole(oracle::with_hub(oracle::petersen_graph()));
  task.target_size = hub;
  for (auto const first : {vc::FirstBranch::vertex, vc::FirstBranch::neighbours}) {
    vc::Options options = component_search();
    options.k = hub;
    options.component_search->first_branch = first;
    options.component_search->teams = 1;
    options.component_search->small_vertices = 0;
    vc::Report report;
    auto const result = vc::component_search::run_search(
        this->space, task, options, std::chrono::steady_clock::time_point::max(), report);
    EXPECT_EQ(result.in_cover[hub], first == vc::FirstBranch::vertex ? 1 : 0);
  }
}

/// The two bounds of Taper only save nodes. One team visits them in a fixed order.
TYPED_TEST(ComponentSolve, BoundsOfTaperSaveNodes) {
  std::mt19937_64 random(27);
  auto const graph = oracle::nearly_regular_graph(60, 4, random);
  vc::Options options{.mode = vc::Mode::published,
                      .component_search = vc::component_search_options(vc::Mode::published)};
  options.component_search->teams = 1;
  auto const published = this->expect_valid(graph, options).report;
  options.component_search->degree_bound = true;
  auto const bounded = this->expect_valid(graph, options).report;
  EXPECT_EQ(published.cover_size, bounded.cover_size);
  EXPECT_LT(bounded.nodes, published.nodes);
  // A perfect matching proves that half of the vertices of a bipartite graph are needed.
  auto const bipartite = oracle::complete_bipartite_graph(12, 12);
  options.component_search->induce = false;
  EXPECT_GT(this->expect_valid(bipartite, options).report.nodes, 0u);
  options.component_search->lower_bound_stop = true;
  EXPECT_EQ(this->expect_valid(bipartite, options).report.nodes, 0u);
}

/// Without `split_root` the search starts from one node, whose vertices keep their order.
TEST(ReducedProblem, SplitsTheRootOnlyIfAsked) {
  auto const graph = oracle::side_by_side({oracle::petersen_graph(), oracle::petersen_graph()});
  vc::ComponentSearchOptions search;
  auto const split = vc::component_search::reduced_problem(graph, 20, search, oracle::never);
  EXPECT_EQ(split.task.roots.size(), 2u);
  EXPECT_EQ(split.component_count, 2u);
  search.split_root = false;
  auto const as_one = vc::component_search::reduced_problem(graph, 20, search, oracle::never);
  EXPECT_EQ(as_one.task.roots.size(), 1u);
  EXPECT_EQ(as_one.component_count, 1u);
  EXPECT_EQ(as_one.task.graph, graph);
  EXPECT_TRUE(std::is_sorted(as_one.original.begin(), as_one.original.end()));
}

TYPED_TEST(ComponentSolve, KnownGraphs) {
  auto const size_of = [&](vc::HostGraph const& graph) {
    return this->expect_valid(graph, {}).report.cover_size;
  };
  EXPECT_EQ(size_of(oracle::graph_of(1, {})), 0u);
  EXPECT_EQ(size_of(oracle::graph_of(100, {})), 0u);
  EXPECT_EQ(size_of(oracle::complete_graph(2)), 1u);
  EXPECT_EQ(size_of(oracle::complete_graph(101)), 100u);
  EXPECT_EQ(size_of(oracle::complete_bipartite_graph(1, 100)), 1u) << "a star";
  EXPECT_EQ(size_of(oracle::ring_graph(101)), 51u);
}

/// No work is lost between launches. Whatever ends the search, the result is a cover, also with
/// unfinished branches on components.
TYPED_TEST(ComponentSolve, StopsWithACoverAndReportsIt) {
  std::mt19937_64 random(6);
  std::vector<vc::HostGraph> graphs{oracle::nearly_regular_graph(400, 5, random)};
  // A hub joins two hard parts. Without it the graph splits, and neither component is ever solved.
  graphs.push_back(
      oracle::with_hub(oracle::side_by_side({oracle::nearly_regular_graph(300, 5, random),
                                             oracle::nearly_regular_graph(300, 5, random)})));
  for (auto const& graph : graphs) {
    for (vc::Balance const balance :
         {vc::Balance::none, vc::Balance::worklist, vc::Balance::steal}) {
      for (bool const stop_at_once : {false, true}) {
        std::atomic<bool> stop{stop_at_once};
        vc::Options options = component_search();
        options.component_search->balance = balance;
        options.component_search->induce = !stop_at_once;
        options.time_limit_s = 0.2;
        options.stop = &stop;
        auto const report = this->expect_stopped(graph, options);
        EXPECT_LT(report.lower_bound, report.cover_size);
      }
    }
  }
}

/// A stop during the reductions at the root: the search allocates no memory and launches no kernel.
TYPED_TEST(ComponentSolve, StopsWhileTheRootIsReduced) {
  std::mt19937_64 random(17);
  auto const graph = oracle::nearly_regular_graph(60'000, 4, random);
  std::atomic<bool> const stop{true};
  for (bool const induce : {false, true}) {
    for (std::int64_t const k : {-1, 33'000}) {
      vc::Options options = component_search();
      options.component_search->induce = induce;
      options.k = k;
      options.stop = &stop;
      auto const report = this->expect_stopped(graph, options);
      EXPECT_EQ(report.teams, 0u);
      EXPECT_GT(report.lower_bound, 20'000u);
      EXPECT_LT(report.lower_bound, report.cover_size);
    }
  }
}

/// A cover that is better than the greedy one is kept, even if it has more than k vertices.
TYPED_TEST(ComponentSolve, KeepsAnImprovedCoverAboveK) {
  std::mt19937_64 random(18);
  auto const graph = oracle::side_by_side({oracle::nearly_regular_graph(400, 5, random),
                                           oracle::nearly_regular_graph(400, 5, random),
                                           oracle::nearly_regular_graph(400, 5, random)});
  vc::Options options = component_search();
  options.k = 650;  // the minimum is above 680
  options.time_limit_s = 0.5;
  auto const report = this->expect_stopped(graph, options);
  EXPECT_FALSE(report.found);
  EXPECT_LT(report.cover_size, vc::component_search::greedy_cover(graph, oracle::never).size);
}

TYPED_TEST(ComponentSolve, HugeAndInvalidTimeLimitsMeanNone) {
  std::mt19937_64 random(14);
  auto const graph = oracle::nearly_regular_graph(40, 3, random);
  for (double const limit : {1e12, 1e300, std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN(), -1.0}) {
    vc::Options options = component_search();
    options.time_limit_s = limit;
    this->expect_valid(graph, options);
  }
}

TYPED_TEST(ComponentSolve, RowsInAnyOrder) {
  std::mt19937_64 random(15);
  for (unsigned i = 0; i < 20; ++i) {
    auto graph = oracle::gnp_graph(10 + i, 0.2, random);
    std::size_t const minimum = oracle::CoverOracle(graph).minimum();
    for (vc::Vertex v = 0; v < graph.vertices(); ++v) {
      auto const row = graph.entries.begin();
      std::shuffle(row + static_cast<std::ptrdiff_t>(graph.offsets[v]),
                   row + static_cast<std::ptrdiff_t>(graph.offsets[v + 1]), random);
    }
    for (bool const induce : {false, true}) {
      vc::Options options = component_search();
      options.component_search->induce = induce;
      EXPECT_EQ(this->expect_valid(graph, options).report.cover_size, minimum);
    }
  }
}

/// Progress::best follows the search.
TYPED_TEST(ComponentSolve, ProgressShowsCoversDuringTheSearch) {
  std::mt19937_64 random(16);
  auto const graph = oracle::nearly_regular_graph(400, 5, random);
  vc::Progress progress;
  std::atomic<bool> stop{false};
  vc::Options options = component_search();
  options.progress = &progress;
  options.stop = &stop;
  options.time_limit_s = 20;
  std::uint64_t shown = 0;
  std::thread watcher([&]() {
    std::uint64_t const greedy = vc::component_search::greedy_cover(graph, oracle::never).size;
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

TYPED_TEST(ComponentSolve, ReportsProgressAndActivities) {
  std::mt19937_64 random(8);
  auto const graph = oracle::nearly_regular_graph(90, 3, random);
  vc::Progress progress;
  vc::Options options = component_search();
  options.component_search->count = true;
  options.progress = &progress;
  auto const report = this->expect_valid(graph, options).report;
  EXPECT_EQ(progress.best.load(), report.cover_size);
  EXPECT_EQ(progress.lower_bound.load(), report.lower_bound);
  EXPECT_GT(report.nodes, 0u);
  EXPECT_EQ(progress.nodes.load(), report.nodes);
  ASSERT_EQ(report.activities.size(), vc::component_search::activities + 1);
  EXPECT_EQ(report.activities.front().name, "root on the host");
  EXPECT_GT(report.activities.front().share, 0.0);
  double whole = 0;
  for (auto const& activity : report.activities) {
    EXPECT_GE(activity.share, 0.0) << activity.name;
    whole += activity.share;
  }
  EXPECT_NEAR(whole, 1.0, 1e-9);
}

}  // namespace
