// SPDX-License-Identifier: Apache-2.0
#include <taper/clique/maximal.hpp>
#include <taper/clique/solve.hpp>
#include <taper/clique/verify.hpp>

#include <support/case_stride.hpp>
#include <support/clique_oracles.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace {

using namespace taper::clique;
using taper::testing::case_stride;
using taper::testing::random_graph;
using taper::testing::SmallGraph;
using Weights = std::vector<Weight>;

constexpr Bound bounds[] = {Bound::colouring, Bound::recolouring, Bound::maxsat};

/// Zeros, ones, equal, small, and huge weights, whose sum is just allowed.
Weights random_weights(std::size_t n, std::size_t kind, std::mt19937_64& random) {
  Weights weights(n);
  for (Weight& weight : weights) {
    std::uint64_t const draw = random();
    switch (kind % 5) {
    case 0:
      weight = static_cast<Weight>(draw % 2);
      break;
    case 1:
      weight = 7;
      break;
    case 2:
      weight = static_cast<Weight>(draw % 5);
      break;
    case 3:
      weight = static_cast<Weight>(draw % 1000 + 1);
      break;
    default:
      weight = max_weight_sum / static_cast<Weight>(n) - static_cast<Weight>(draw % 3);
    }
  }
  return weights;
}

HostGraph host_graph(SmallGraph const& graph) {
  return taper::testing::to_host_graph(graph);
}

std::uint32_t bits_of(std::vector<std::uint8_t> const& marks) {
  std::uint32_t set = 0;
  for (std::size_t v = 0; v < marks.size(); ++v) {
    set |= marks[v] != 0 ? std::uint32_t{1} << v : 0;
  }
  return set;
}

/// Solves, and compares the answer and the report with the oracle. No weights: all are 1.
void expect_maximum(SmallGraph const& graph, Weights const& weights, Bound bound) {
  HostGraph const host = host_graph(graph);
  std::vector<std::uint8_t> marks(graph.size(), 7);
  SerialFork fork;
  Options options;
  options.bound = bound;
  Report const report = weights.empty() ? solve_on_host(fork, host, marks, options)
                                        : solve_on_host(fork, host, weights, marks, options);
  Weights const all = weights.empty() ? Weights(graph.size(), 1) : weights;
  ASSERT_EQ(report.status, taper::Status::solved);
  ASSERT_EQ(report.clique_weight, taper::testing::maximum_clique_by_trial(graph, all));
  ASSERT_EQ(report.upper_bound, report.clique_weight);
  std::uint32_t const clique = bits_of(marks);
  ASSERT_TRUE(taper::testing::is_clique(graph, clique));
  ASSERT_EQ(report.clique_size, static_cast<std::uint64_t>(std::popcount(clique)));
  ASSERT_EQ(report.clique_weight, taper::testing::weight_of(all, clique));
}

/// Cliques to begin with: parts of a clique, among them a heaviest one. Also if nothing may run.
TEST(CliqueSearch, StartsFromAClique) {
  std::mt19937_64 random(21);
  std::atomic<bool> const stop{true};
  for (std::size_t i = 0; i < 2000; i += case_stride) {
    SmallGraph const graph = random_graph(3 + i % 14, 0.6, random);
    Weights const weights = random_weights(graph.size(), i, random);
    Weight const best = taper::testing::maximum_clique_by_trial(graph, weights);
    std::vector<std::uint32_t> cliques;
    taper::testing::for_each_clique(graph, [&](std::uint32_t clique) {
      if (cliques.empty() || random() % 8 == 0 ||
          taper::testing::weight_of(weights, clique) == best) {
        cliques.push_back(clique);
      }
    });
    std::uint32_t const start =
        cliques[i % 2 == 0 ? cliques.size() - 1 : random() % cliques.size()];
    std::vector<std::uint8_t> marks(graph.size());
    for (std::size_t v = 0; v < graph.size(); ++v) {
      marks[v] = static_cast<std::uint8_t>(2 * (start >> v & 1));
    }
    std::vector<std::uint8_t> in_clique(graph.size());
    SerialFork fork;
    Options options;
    options.start = marks;
    for (auto const* flag : {static_cast<std::atomic<bool> const*>(nullptr), &stop}) {
      options.stop = flag;
      Report const report = solve_on_host(fork, host_graph(graph), weights, in_clique, options);
      ASSERT_GE(report.clique_weight, taper::testing::weight_of(weights, start));
      ASSERT_GE(report.upper_bound, best);
      ASSERT_TRUE(flag != nullptr || report.clique_weight == best);
      ASSERT_TRUE(taper::testing::is_clique(graph, bits_of(in_clique)));
      ASSERT_EQ(taper::testing::weight_of(weights, bits_of(in_clique)), report.clique_weight);
    }
  }
}

/// All maximum cliques, each once, compared with those that the trial of all cliques finds. A limit
/// gives as many of them as it allows.
void expect_all(SmallGraph const& graph, Weights const& weights, Bound bound) {
  Weights const all = weights.empty() ? Weights(graph.size(), 1) : weights;
  Weight const maximum = taper::testing::maximum_clique_by_trial(graph, all);
  std::set<std::vector<Vertex>> expected;
  taper::testing::for_each_clique(graph, [&](std::uint32_t clique) {
    std::vector<Vertex> members;
    for (Vertex v = 0; v < graph.size(); ++v) {
      if ((clique >> v & 1) != 0) {
        members.push_back(v);
      }
    }
    bool const positive =
        std::all_of(members.begin(), members.end(), [&](Vertex v) { return all[v] > 0; });
    if (positive && taper::testing::weight_of(all, clique) == maximum) {
      expected.insert(members);
    }
  });
  SerialFork fork;
  Options options;
  options.bound = bound;
  HostGraph const host = host_graph(graph);
  for (std::size_t const limit : {(expected.size() + 1) / 2, expected.size() + 1}) {
    auto const found = find_all_on_host(fork, host, weights, maximum, limit, options);
    ASSERT_EQ(found.status, taper::Status::solved);
    ASSERT_EQ(found.cliques.size(), std::min(limit, expected.size()));
    ASSERT_EQ(std::adjacent_find(found.cliques.begin(), found.cliques.end()), found.cliques.end());
    ASSERT_TRUE(std::includes(expected.begin(), expected.end(), found.cliques.begin(),
                              found.cliques.end()));
  }
}

TEST(AllCliques, OfAllGraphsOfUpToSixVertices) {
  std::mt19937_64 random(22);
  std::size_t i = 0;
  for (std::size_t n = 0; n <= 6; ++n) {
    taper::testing::for_each_graph(n, [&](SmallGraph const& graph) {
      if (++i % case_stride == 0 && !HasFatalFailure()) {
        expect_all(graph, {}, bounds[i % 3]);
        expect_all(graph, random_weights(n, i, random), bounds[i % 3]);
      }
    });
  }
}

TEST(AllCliques, OfThousandsOfRandomGraphs) {
  std::mt19937_64 random(23);
  for (std::size_t i = 0; i < 6000 && !HasFatalFailure(); i += case_stride) {
    std::size_t const n = 3 + i % (i % 10 == 0 ? 14 : 10);
    auto const graph =
        random_graph(n, 0.1 + 0.9 * static_cast<double>(random() % 100) / 100, random);
    expect_all(graph, i % 2 == 0 ? Weights{} : random_weights(n, i / 2, random), bounds[i % 3]);
  }
}

/// One vertex of each of some pairs: 2^12 cliques, and 2^40, of which some are listed. The graph of 80
/// vertices is searched by forked levels.
TEST(AllCliques, OfGraphsWithMany) {
  for (std::size_t const pairs : {std::size_t{12}, std::size_t{40}}) {
    std::vector<Edge> edges;
    for (Vertex u = 0; u < 2 * pairs; ++u) {
      for (Vertex v = 0; v < u / 2 * 2; ++v) {
        edges.emplace_back(u, v);
      }
    }
    HostGraph const graph = taper::vertex_cover::make_graph(2 * pairs, edges).graph;
    SerialFork fork;
    auto const found = find_all_on_host(fork, graph, {}, static_cast<Weight>(pairs), 5000);
    EXPECT_EQ(found.status, taper::Status::solved);
    EXPECT_EQ(found.cliques.size(), pairs == 12 ? 4096u : 5000u);
    EXPECT_EQ(std::adjacent_find(found.cliques.begin(), found.cliques.end()), found.cliques.end());
    for (auto const& clique : found.cliques) {
      ASSERT_EQ(clique.size(), pairs);
      for (std::size_t i = 0; i < pairs; ++i) {
        ASSERT_EQ(clique[i] / 2, i);
      }
    }
  }
}

void expect_maximal_counts(SmallGraph const& graph) {
  SerialFork fork;
  MaximalReport const report = count_maximal_on_host(fork, host_graph(graph));
  auto const expected = taper::testing::maximal_cliques_by_trial(graph);
  std::uint64_t largest = graph.size();
  while (largest > 0 && expected[largest] == 0) {
    --largest;
  }
  ASSERT_EQ(report.status, taper::Status::solved);
  ASSERT_EQ(report.cliques, std::accumulate(expected.begin(), expected.end(), std::uint64_t{0}));
  ASSERT_EQ(report.largest, largest);
  ASSERT_EQ(report.largest_count, largest == 0 ? 0 : expected[largest]);

  std::set<std::uint32_t> seen;
  count_maximal_on_host(fork, host_graph(graph), {}, [&](std::span<Vertex const> clique) {
    std::uint32_t bits = 0;
    for (Vertex const v : clique) {
      bits |= std::uint32_t{1} << v;
    }
    EXPECT_EQ(static_cast<std::size_t>(std::popcount(bits)), clique.size());
    seen.insert(bits);
  });
  ASSERT_EQ(seen.size(), report.cliques);
  for (std::uint32_t const clique : seen) {
    for (Vertex v = 0; v < graph.size(); ++v) {
      std::uint32_t const with_v = clique | std::uint32_t{1} << v;
      ASSERT_EQ(taper::testing::is_clique(graph, with_v), with_v == clique);
    }
  }
}

TEST(MaximumClique, OfAllGraphsOfUpToSixVertices) {
  std::mt19937_64 random(1);
  for (std::size_t n = 0; n <= 6; ++n) {
    std::size_t code = 0;
    taper::testing::for_each_graph(n, [&](SmallGraph const& graph) {
      if (++code % case_stride == 0 && !HasFatalFailure()) {
        expect_maximum(graph, {}, bounds[code % 3]);
        expect_maximum(graph, random_weights(n, code / 3, random), bounds[code % 3]);
        expect_maximal_counts(graph);
      }
    });
    ASSERT_FALSE(HasFatalFailure()) << n << " vertices";
  }
}

TEST(MaximumClique, OfThousandsOfRandomGraphs) {
  std::mt19937_64 random(2);
  for (std::size_t i = 0; i < 3000; i += case_stride) {
    std::size_t const n = 7 + i % 10;
    SmallGraph const graph = random_graph(n, 0.3 + 0.2 * static_cast<double>(i % 4), random);
    expect_maximum(graph, {}, bounds[i % 3]);
    expect_maximum(graph, random_weights(n, i / 3, random), bounds[i % 3]);
    expect_maximal_counts(graph);
    ASSERT_FALSE(HasFatalFailure()) << "graph " << i;
  }
}

template <class Policy>
DenseGraph<Policy> dense_graph(HostGraph const& host, Policy const& policy) {
  std::vector<Vertex> vertices(host.vertices());
  std::iota(vertices.begin(), vertices.end(), Vertex{0});
  return DenseGraph<Policy>(vertices, policy, [&](Vertex v, auto const& visit) {
    for (Vertex const u : host.neighbours(v)) {
      visit(u);
    }
  });
}

/// The first cliques and cores alone answer most small graphs; this searches without them.
template <class Policy>
void expect_search_finds_maximum(SmallGraph const& small, Policy const& policy,
                                 Weights const& weights, Bound bound) {
  DenseGraph<Policy> const graph = dense_graph(host_graph(small), policy);
  Options options;
  options.bound = bound;
  Incumbent incumbent(nullptr);
  DenseSearch<Policy> search(incumbent, options);
  search.run(graph, Prefix{});
  ASSERT_EQ(incumbent.weight(), taper::testing::maximum_clique_by_trial(small, weights));
  ASSERT_EQ(incumbent.open(), 0);
  ASSERT_GE(search.upper_bound(graph, graph.all().data()), incumbent.weight());

  // Whatever the budget: a clique without a branching vertex weighs no more.
  ColourBound<Policy> colours;
  colours.begin(graph, bound);
  taper::vertex_cover::Interrupt interrupt(taper::vertex_cover::Options{});
  for (Weight const part : {1, 2, 3}) {
    Weight const budget = incumbent.weight() / 4 * part;
    std::vector<Vertex> branching;
    colours.branching_vertices(graph.all().data(), budget, branching, interrupt);
    std::uint32_t left = static_cast<std::uint32_t>((std::uint64_t{1} << small.size()) - 1);
    for (Vertex const v : branching) {
      left &= ~(std::uint32_t{1} << graph.vertex(v));
    }
    taper::testing::for_each_clique(small, 0, left, [&](std::uint32_t clique) {
      ASSERT_LE(taper::testing::weight_of(weights, clique), budget);
    });
  }
}

TEST(MaximumClique, BranchingCoversTheBudget) {
  std::mt19937_64 random(3);
  for (std::size_t i = 0; i < 3000; i += case_stride) {
    std::size_t const n = 5 + i % 12;
    SmallGraph const graph = random_graph(n, 0.3 + 0.2 * static_cast<double>(i % 4), random);
    expect_search_finds_maximum(graph, UnitWeights{}, Weights(n, 1), bounds[i % 3]);
    Weights weights = random_weights(n, i / 3, random);
    for (Weight& weight : weights) {
      weight = std::max<Weight>(weight, 1);  // searches get no vertex of weight 0
    }
    expect_search_finds_maximum(graph, IntegerWeights{weights}, weights, bounds[i % 3]);
    ASSERT_FALSE(HasFatalFailure()) << "graph " << i;
  }
}

TEST(Weights, ThatAreNegativeOrTooLargeAreFaults) {
  constexpr Weight most = max_weight_sum;
  EXPECT_FALSE(find_fault(Weights{}));
  EXPECT_FALSE(find_fault(Weights{0, most, 0}));
  EXPECT_FALSE(find_fault(Weights{most - 1, 1}));
  auto const negative = find_fault(Weights{3, -1, -2});
  ASSERT_TRUE(negative);
  EXPECT_EQ(negative->kind, WeightFault::Kind::negative);
  EXPECT_EQ(negative->vertex, 1u);
  auto const sum = find_fault(Weights{most - 1, 0, 2, -1});
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->kind, WeightFault::Kind::sum);
  EXPECT_EQ(sum->vertex, 2u);
}

/// A graph that takes long enough for a limit: no answer without a search.
HostGraph hard_graph(std::size_t n) {
  std::mt19937_64 random(4);
  std::bernoulli_distribution is_edge(0.9);
  std::vector<Edge> edges;
  for (Vertex v = 0; v < n; ++v) {
    for (Vertex u = 0; u < v; ++u) {
      if (is_edge(random)) {
        edges.emplace_back(u, v);
      }
    }
  }
  return taper::vertex_cover::make_graph(n, edges).graph;
}

void expect_bounds_around(Weight maximum, HostGraph const& graph, Report const& report,
                          std::vector<std::uint8_t> const& marks) {
  EXPECT_EQ(report.status, taper::Status::stopped);
  EXPECT_GT(report.clique_weight, 0);
  EXPECT_LE(report.clique_weight, maximum);
  EXPECT_GE(report.upper_bound, maximum);
  EXPECT_LT(report.upper_bound, static_cast<Weight>(graph.vertices()));
  EXPECT_EQ(find_missing_edges(graph, marks, 0).count, 0u);
  EXPECT_EQ(weight_of(Weights(marks.size(), 1), marks), report.clique_weight);
}

TEST(Limits, GiveACliqueAndABound) {
  HostGraph const graph = hard_graph(100);
  std::vector<std::uint8_t> marks(graph.vertices());
  SerialFork fork;
  Weight const maximum = solve_on_host(fork, graph, marks).clique_weight;
  std::atomic<bool> const stop{true};
  Options stopped;
  stopped.stop = &stop;
  expect_bounds_around(maximum, graph, solve_on_host(fork, graph, marks, stopped), marks);
  Options limited;
  limited.time_limit_s = 1e-9;
  expect_bounds_around(maximum, graph, solve_on_host(fork, graph, marks, limited), marks);
  Weights const ones(graph.vertices(), 1);
  expect_bounds_around(maximum, graph, solve_on_host(fork, graph, ones, marks, stopped), marks);
  EXPECT_EQ(count_maximal_on_host(fork, graph, stopped).status, taper::Status::stopped);
}

/// Two hubs, and leaves joined to both; before them a triangle with one more neighbour. The first cliques use up their time
/// among the leaves, whose cores promise a triangle, and do not reach the one that is there.
HostGraph graph_beyond_first_cliques(Vertex leaves) {
  std::vector<Edge> edges{{0, 1}, {0, 2}, {1, 2}, {0, leaves + 5}};
  for (Vertex leaf = 3; leaf < 3 + leaves; ++leaf) {
    edges.emplace_back(leaf, leaves + 3);
    edges.emplace_back(leaf, leaves + 4);
  }
  return taper::vertex_cover::make_graph(std::size_t{leaves} + 7, edges).graph;
}

TEST(MaximumClique, IsFoundBeyondTheFirstCliques) {
  HostGraph const graph = graph_beyond_first_cliques(5000);
  std::vector<std::uint8_t> marks(graph.vertices());
  SerialFork fork;
  Report const report = solve_on_host(fork, graph, marks);
  EXPECT_EQ(report.clique_size, 3u);
  EXPECT_GT(report.subproblems, 0u);
  Weights weights(graph.vertices(), 1);
  weights.back() = 4;  // the last vertex has no neighbours
  EXPECT_EQ(solve_on_host(fork, graph, weights, marks).clique_weight, 4);
  EXPECT_EQ(marks.back(), 1);
}

TEST(Limits, LeaveABoundOfEachSubproblem) {
  std::atomic<bool> const stop{true};
  Options stopped;
  stopped.stop = &stop;
  HostGraph const sparse = graph_beyond_first_cliques(5000);
  std::vector<std::uint8_t> marks(sparse.vertices());
  SerialFork fork;
  Report const report = solve_on_host(fork, sparse, marks, stopped);
  EXPECT_EQ(report.status, taper::Status::stopped);
  EXPECT_EQ(report.clique_weight, 2);
  EXPECT_EQ(report.upper_bound, 3);

  HostGraph const dense = hard_graph(140);
  marks.resize(dense.vertices());
  Weight const maximum = solve_on_host(fork, dense, marks).clique_weight;
  Incumbent incumbent(nullptr);
  DenseSearch<UnitWeights> search(incumbent, stopped);
  Prefix prefix;
  prefix.bound = max_weight_sum;
  search.run(dense_graph(dense, UnitWeights{}), prefix);
  EXPECT_GE(incumbent.open(), maximum);
  EXPECT_LT(incumbent.open(), 140);
}

/// A stop in the order of a large graph's cores still gives a clique, and a bound without peeling.
TEST(Limits, StopWithinTheCores) {
  std::atomic<bool> const stop{true};
  Options stopped;
  stopped.stop = &stop;
  HostGraph const graph = graph_beyond_first_cliques(50'000);
  std::vector<std::uint8_t> marks(graph.vertices());
  SerialFork fork;
  Report const report = solve_on_host(fork, graph, marks, stopped);
  EXPECT_EQ(report.kernel_vertices, graph.vertices());
  expect_bounds_around(3, graph, report, marks);
}

TEST(Limits, StopASearchThatRuns) {
  HostGraph const graph = hard_graph(400);  // hours
  std::vector<std::uint8_t> marks(graph.vertices());
  SerialFork fork;
  Options limited;
  limited.time_limit_s = 0.05;
  Report const report = solve_on_host(fork, graph, marks, limited);
  expect_bounds_around(report.clique_weight, graph, report, marks);
  EXPECT_GT(report.nodes, 0u);
  EXPECT_EQ(count_maximal_on_host(fork, graph, limited).status, taper::Status::stopped);
}

/// The heaviest clique that extends one by `candidates`, which are adjacent to all of it. Tries all
/// cliques.
Weight maximum_by_trial(HostGraph const& graph, Weights const& weights,
                        std::vector<Vertex> const& candidates) {
  Weight best = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    auto const row = graph.neighbours(candidates[i]);
    std::vector<Vertex> next;
    for (std::size_t j = i + 1; j < candidates.size(); ++j) {
      if (std::binary_search(row.begin(), row.end(), candidates[j])) {
        next.push_back(candidates[j]);
      }
    }
    best = std::max(best, weights[candidates[i]] + maximum_by_trial(graph, weights, next));
  }
  return best;
}

/// Dense graphs of several words per row, which are searched as a whole and whose first levels are
/// forked; and sparse ones with dense parts, with a subproblem per vertex.
TEST(MaximumClique, OfLargerGraphsInBothWays) {
  std::mt19937_64 random(5);
  for (std::size_t i = 0; i < 16; i += (case_stride + 3) / 4) {
    bool const dense = i % 2 == 0;
    std::size_t const n = dense ? 100 : 900;
    std::size_t const part = dense ? n : 60;
    std::vector<Edge> edges;
    for (Vertex v = 0; v < n; ++v) {
      for (Vertex u = 0; u < v; ++u) {
        if (random() % (u / part == v / part ? 2 : n) == 0) {
          edges.emplace_back(u, v);
        }
      }
    }
    HostGraph const graph = taper::vertex_cover::make_graph(n, edges).graph;
    std::vector<Vertex> all(n);
    std::iota(all.begin(), all.end(), Vertex{0});
    std::vector<std::uint8_t> marks(n);
    SerialFork fork;
    Weights const ones(n, 1);
    Weights const some = random_weights(n, i, random);
    auto const unit = solve_on_host(fork, graph, marks);
    EXPECT_EQ(unit.clique_weight, maximum_by_trial(graph, ones, all));
    EXPECT_EQ(unit.largest > 64, dense);
    EXPECT_GT(unit.subproblems, 1u);
    EXPECT_EQ(find_missing_edges(graph, marks, 0).count, 0u);
    EXPECT_EQ(weight_of(ones, marks), unit.clique_weight);
    auto const weighted = solve_on_host(fork, graph, some, marks);
    EXPECT_EQ(weighted.clique_weight, maximum_by_trial(graph, some, all));
    EXPECT_EQ(find_missing_edges(graph, marks, 0).count, 0u);
    EXPECT_EQ(weight_of(some, marks), weighted.clique_weight);
  }
}

/// Moon and Moser: n vertices in triples without edges inside have 3^(n / 3) maximal cliques.
TEST(MaximalCliques, OfTheGraphWithTheMost) {
  for (Vertex const n : {Vertex{3}, Vertex{30}, Vertex{33}}) {
    std::vector<Edge> edges;
    std::uint64_t expected = 1;
    for (Vertex v = 0; v < n; ++v) {
      expected *= v % 3 == 0 ? 3 : 1;
      for (Vertex u = 0; u < v; ++u) {
        if (u / 3 != v / 3) {
          edges.emplace_back(u, v);
        }
      }
    }
    SerialFork fork;
    auto const report =
        count_maximal_on_host(fork, taper::vertex_cover::make_graph(n, edges).graph);
    EXPECT_EQ(report.cliques, expected);
    EXPECT_EQ(report.largest, n / 3);
    EXPECT_EQ(report.largest_count, expected);
  }
}

TEST(Verify, FindsWhatIsWrongWithASet) {
  std::mt19937_64 random(6);
  for (std::size_t i = 0; i < 500; ++i) {
    std::size_t const n = 1 + i % 14;
    SmallGraph const small = random_graph(n, 0.5, random);
    HostGraph const graph = host_graph(small);
    std::vector<std::uint8_t> marks(n);
    for (std::uint8_t& mark : marks) {
      mark = random() % 2;
    }
    std::vector<Edge> missing;
    std::vector<Edge> inner;
    for (Vertex u = 0; u < n; ++u) {
      for (Vertex v = u + 1; v < n; ++v) {
        if (marks[u] != 0 && marks[v] != 0) {
          (taper::testing::has_edge(small, u, v) ? inner : missing).emplace_back(u, v);
        }
      }
    }
    for (std::size_t const limit : {std::size_t{0}, std::size_t{2}, std::size_t{100}}) {
      auto const no_clique = find_missing_edges(graph, marks, limit);
      auto const no_set = find_inner_edges(graph, marks, limit);
      EXPECT_EQ(no_clique.count, missing.size());
      EXPECT_EQ(no_set.count, inner.size());
      auto const first = [&](std::vector<Edge> edges) {
        edges.resize(std::min(edges.size(), limit));
        return edges;
      };
      EXPECT_EQ(no_clique.pairs, first(missing));
      EXPECT_EQ(no_set.pairs, first(inner));
    }
  }
}

TEST(CoreOrder, LeavesFewNeighboursAfterEachVertex) {
  std::mt19937_64 random(7);
  for (std::size_t i = 0; i < 500; ++i) {
    std::size_t const n = 1 + i % 16;
    SmallGraph const small = random_graph(n, 0.1 + 0.08 * static_cast<double>(i % 10), random);
    CoreOrder const cores = core_order(host_graph(small));
    // The degeneracy, by its definition: the most, over all sets, of the least degree inside.
    int degeneracy = 0;
    std::uint32_t left = static_cast<std::uint32_t>((std::uint64_t{1} << n) - 1);
    while (left != 0) {
      int least = 32;
      std::size_t at = 0;
      for (std::size_t v = 0; v < n; ++v) {
        int const degree = std::popcount(small[v] & left);
        if ((left >> v & 1) != 0 && degree < least) {
          least = degree;
          at = v;
        }
      }
      degeneracy = std::max(degeneracy, least);
      left &= ~(std::uint32_t{1} << at);
    }
    EXPECT_EQ(cores.degeneracy, static_cast<std::uint32_t>(degeneracy));
    std::uint32_t after = static_cast<std::uint32_t>((std::uint64_t{1} << n) - 1);
    for (Vertex const v : cores.order) {
      EXPECT_TRUE((after >> v & 1) != 0);
      after &= ~(std::uint32_t{1} << v);
      EXPECT_LE(std::popcount(small[v] & after), degeneracy);
    }
    EXPECT_EQ(after, 0u);
  }
}

}  // namespace
