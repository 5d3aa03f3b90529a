// SPDX-License-Identifier: Apache-2.0
#include <taper/clique/solve.hpp>
#include <taper/clique/verify.hpp>
#include <taper/independent_set/all_sets.hpp>
#include <taper/independent_set/solve.hpp>

#include <support/case_stride.hpp>
#include <support/clique_oracles.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {
namespace weighted_sets {

namespace is = taper::independent_set;
using is::HostGraph;
using is::Vertex;
using is::Weight;
using is::WeightedGraph;
using is::WeightedRules;
using taper::testing::case_stride;
using taper::testing::SmallGraph;
using Weights = std::vector<Weight>;
using Marks = std::vector<std::uint8_t>;

constexpr std::size_t kinds = 5;

/// Zeros and ones, equal, small, mixed, and huge weights, whose sum is just allowed.
Weights draw_weights(std::size_t n, std::size_t kind, std::mt19937_64& random) {
  Weights weights(n);
  for (Weight& weight : weights) {
    auto const draw = static_cast<Weight>(random() >> 1);
    switch (kind % kinds) {
    case 0:
      weight = draw % 2;
      break;
    case 1:
      weight = 7;
      break;
    case 2:
      weight = draw % 5;
      break;
    case 3:
      weight = draw % 1000 + 1;
      break;
    default:
      weight = taper::clique::max_weight_sum / static_cast<Weight>(n) - draw % 3;
    }
  }
  return weights;
}

SmallGraph complement(SmallGraph const& graph) {
  auto const all = static_cast<std::uint32_t>((std::uint64_t{1} << graph.size()) - 1);
  SmallGraph result(graph.size());
  for (std::size_t v = 0; v < graph.size(); ++v) {
    result[v] = all & ~graph[v] & ~(std::uint32_t{1} << v);
  }
  return result;
}

/// The weight of the heaviest independent set, by trial of all of them.
Weight heaviest_by_trial(SmallGraph const& graph, Weights const& weights) {
  return taper::testing::maximum_clique_by_trial(complement(graph), weights);
}

bool is_independent(SmallGraph const& graph, Marks const& marks) {
  for (std::size_t u = 0; u < graph.size(); ++u) {
    for (std::size_t v = 0; v < u; ++v) {
      if (marks[u] != 0 && marks[v] != 0 && taper::testing::has_edge(graph, u, v)) {
        return false;
      }
    }
  }
  return true;
}

Weight weight_of(Weights const& weights, Marks const& marks) {
  Weight sum = 0;
  for (std::size_t v = 0; v < marks.size(); ++v) {
    sum += marks[v] == 1 ? weights[v] : 0;
  }
  return sum;
}

/// What is wrong with a solved answer; empty if it is right.
std::string fault_of(SmallGraph const& graph, Weights const& weights, is::Report const& report,
                     Marks const& marks) {
  if (!is_independent(graph, marks)) {
    return "two vertices are adjacent";
  }
  if (weight_of(weights, marks) != report.set_weight) {
    return "the report has another weight";
  }
  if (report.set_weight != heaviest_by_trial(graph, weights)) {
    return "another set is heavier";
  }
  return report.upper_bound == report.set_weight && report.status == taper::Status::solved
             ? ""
             : "not solved";
}

is::Report solve(HostGraph const& graph, Weights const& weights, Marks& marks,
                 is::Options const& options = {}) {
  marks.assign(graph.vertices(), 7);
  taper::clique::SerialFork fork;
  return is::solve_on_host(fork, graph, weights, marks, options);
}

void expect_heaviest(SmallGraph const& graph, Weights const& weights) {
  Marks marks;
  auto const report = solve(taper::testing::to_host_graph(graph), weights, marks);
  ASSERT_EQ(fault_of(graph, weights, report, marks), "");
}

TEST(WeightedIndependentSet, OfAllGraphsOfUpToSixVertices) {
  std::mt19937_64 random(1);
  for (std::size_t n = 0; n <= 6; ++n) {
    std::size_t code = 0;
    taper::testing::for_each_graph(n, [&](SmallGraph const& graph) {
      if (++code % case_stride == 0 && !HasFatalFailure()) {
        expect_heaviest(graph, draw_weights(n, code, random));
      }
    });
    ASSERT_FALSE(HasFatalFailure()) << n << " vertices";
  }
}

TEST(WeightedIndependentSet, OfThousandsOfRandomGraphs) {
  std::mt19937_64 random(2);
  for (std::size_t i = 0; i < 4000; i += case_stride) {
    SmallGraph const graph = taper::testing::random_graph(i % 8 == 0 ? 16 : 13, random);
    expect_heaviest(graph, draw_weights(graph.size(), i, random));
    ASSERT_FALSE(HasFatalFailure()) << "graph " << i;
  }
}

TEST(WeightedIndependentSet, OraclesSeeWrongAnswers) {
  SmallGraph const path = taper::testing::small_graph(4, {{0, 1, 2, 3}});
  Weights const weights{3, 4, 1, 2};
  Marks marks;
  auto report = solve(taper::testing::to_host_graph(path), weights, marks);
  ASSERT_EQ(marks, (Marks{0, 1, 0, 1}));
  EXPECT_EQ(fault_of(path, weights, report, {1, 1, 0, 0}), "two vertices are adjacent");
  EXPECT_EQ(fault_of(path, weights, report, {0, 1, 0, 0}), "the report has another weight");
  EXPECT_EQ(fault_of(path, weights, report, {0, 2, 0, 1}), "the report has another weight");
  report.set_weight = 5;
  EXPECT_EQ(fault_of(path, weights, report, {1, 0, 0, 1}), "another set is heavier");
  report.set_weight = 6;
  report.upper_bound = 7;
  EXPECT_EQ(fault_of(path, weights, report, marks), "not solved");
}

/// The live part of a graph, with the vertices that its vertices were.
struct LivePart {
  std::vector<Vertex> vertices;
  SmallGraph graph;
  Weights weights;
};

LivePart live_part(WeightedGraph const& graph) {
  LivePart part;
  graph.append_live(part.vertices);
  part.graph.assign(part.vertices.size(), 0);
  for (std::size_t i = 0; i < part.vertices.size(); ++i) {
    part.weights.push_back(graph.weight(part.vertices[i]));
    for (std::size_t j = 0; j < i; ++j) {
      if (graph.adjacent(part.vertices[i], part.vertices[j])) {
        taper::testing::add_edge(part.graph, i, j);
      }
    }
  }
  return part;
}

/// Every set of the live graph, lifted, is independent, and weighs at least its weight and the
/// offset; a heaviest one is a heaviest of the whole.
void expect_exact(SmallGraph const& graph, Weights const& weights, WeightedGraph& reduced) {
  LivePart const part = live_part(reduced);
  std::uint64_t degrees = 0;
  for (std::size_t i = 0; i < part.vertices.size(); ++i) {
    auto const degree = static_cast<std::uint32_t>(std::popcount(part.graph[i]));
    ASSERT_EQ(reduced.degree(part.vertices[i]), degree);
    ASSERT_EQ(reduced.neighbours(part.vertices[i]).size(), degree);
    ASSERT_GT(part.weights[i], 0);
    degrees += degree;
  }
  ASSERT_EQ(reduced.live_edges(), degrees / 2);
  Weight const heaviest = heaviest_by_trial(graph, weights);
  ASSERT_EQ(reduced.offset() + heaviest_by_trial(part.graph, part.weights), heaviest);
  taper::testing::for_each_clique(complement(part.graph), [&](std::uint32_t set) {
    Marks marks = reduced.in_set();
    for (std::size_t i = 0; i < part.vertices.size(); ++i) {
      if ((set >> i & 1) != 0) {
        marks[part.vertices[i]] = 1;
      }
    }
    reduced.lift(marks);
    ASSERT_TRUE(is_independent(graph, marks));
    ASSERT_GE(weight_of(weights, marks),
              reduced.offset() + taper::testing::weight_of(part.weights, set));
  });
}

using Rule = std::function<bool(WeightedRules&, WeightedGraph&, Vertex)>;

/// A rule that needs the surroundings of its vertex.
Rule with_look(bool (WeightedRules::*rule)(WeightedGraph&)) {
  return [rule](WeightedRules& rules, WeightedGraph& graph, Vertex v) {
    rules.look(graph, v);
    return (rules.*rule)(graph);
  };
}

std::vector<std::pair<char const*, Rule>> all_rules() {
  return {{"neighbourhood_removal", [](WeightedRules& rules, WeightedGraph& graph,
                                       Vertex v) { return rules.neighbourhood_removal(graph, v); }},
          {"simplicial", with_look(&WeightedRules::simplicial)},
          {"single_edge", with_look(&WeightedRules::single_edge)},
          {"extended_single_edge", with_look(&WeightedRules::extended_single_edge)},
          {"twin", with_look(&WeightedRules::twin)},
          {"neighbourhood_fold", with_look(&WeightedRules::neighbourhood_fold)},
          {"degree_two", with_look(&WeightedRules::degree_two)}};
}

/// Each rule alone, at each vertex, and again in the graph that it leaves.
TEST(WeightedRules, KeepTheHeaviestSet) {
  for (auto const& [name, rule] : all_rules()) {
    std::mt19937_64 random(3);
    std::size_t applied = 0;
    for (std::size_t i = 0; i < 2500; i += case_stride) {
      SmallGraph const small = taper::testing::random_graph(i % 5 == 0 ? 12 : 8, random);
      Weights const weights = draw_weights(small.size(), i, random);
      WeightedGraph graph;
      graph.assign(taper::testing::to_host_graph(small), weights);
      WeightedRules rules;
      bool changed = false;
      for (Vertex v = 0; v < small.size(); ++v) {
        if (graph.alive(v) && rule(rules, graph, v)) {
          changed = true;
          ++applied;
        }
      }
      if (changed) {
        expect_exact(small, weights, graph);
        ASSERT_FALSE(HasFatalFailure()) << name << ", graph " << i;
      }
    }
    if (case_stride == 1) {
      EXPECT_GE(applied, 100u) << name;
    }
  }
}

/// Applies a rule at vertex 0. Returns the live vertices that are left; `small` stays unchanged if
/// the rule declines.
std::size_t left_by(char const* name, SmallGraph const& small, Weights const& weights) {
  WeightedGraph graph;
  graph.assign(taper::testing::to_host_graph(small), weights);
  for (auto const& [rule_name, rule] : all_rules()) {
    if (std::string(rule_name) == name) {
      WeightedRules rules;
      bool const applied = rule(rules, graph, 0);
      auto const part = live_part(graph);
      EXPECT_EQ(applied, part.graph != small || part.weights != weights);
      expect_exact(small, weights, graph);
    }
  }
  return graph.live_vertices();
}

TEST(WeightedRules, ApplyWhereTheySay) {
  using taper::testing::small_graph;
  SmallGraph const star = small_graph(4, {{1, 0, 2}, {0, 3}});
  EXPECT_EQ(left_by("neighbourhood_removal", star, {6, 1, 2, 3}), 0u);
  EXPECT_EQ(left_by("neighbourhood_removal", star, {5, 1, 2, 3}), 4u);
  SmallGraph const tail = small_graph(4, {{0, 1, 2, 3, 1}, {0, 2}});  // 0's neighbours are 1, 2
  EXPECT_EQ(left_by("simplicial", tail, {5, 6, 5, 9}), 2u);
  EXPECT_EQ(left_by("simplicial", tail, {2, 6, 5, 9}), 3u);
  EXPECT_EQ(left_by("simplicial", star, {2, 6, 5, 9}), 4u);
  SmallGraph const square = small_graph(5, {{0, 1, 2, 3, 0}, {1, 4}});
  EXPECT_EQ(left_by("single_edge", square, {9, 3, 9, 6, 9}), 3u);
  EXPECT_EQ(left_by("single_edge", square, {8, 3, 9, 6, 9}), 5u);
  EXPECT_EQ(left_by("extended_single_edge", tail, {5, 5, 7, 9}), 3u);
  EXPECT_EQ(left_by("extended_single_edge", tail, {4, 5, 7, 9}), 4u);
  EXPECT_EQ(left_by("twin", square, {1, 8, 2, 7, 9}), 4u);
  EXPECT_EQ(left_by("twin", star, {1, 8, 2, 7}), 4u);
  SmallGraph const path = small_graph(5, {{3, 1, 0, 2, 4}});
  EXPECT_EQ(left_by("neighbourhood_fold", path, {5, 5, 4, 9, 9}), 3u);
  EXPECT_EQ(left_by("neighbourhood_fold", path, {5, 6, 4, 9, 9}), 5u);
  EXPECT_EQ(left_by("degree_two", path, {5, 6, 5, 9, 9}), 4u);
  EXPECT_EQ(left_by("degree_two", path, {5, 6, 7, 9, 9}), 5u);
}

/// All rules until none applies: what a search node does.
TEST(WeightedRules, TogetherKeepTheHeaviestSet) {
  std::mt19937_64 random(4);
  std::size_t left = 0;
  for (std::size_t i = 0; i < 2000; i += case_stride) {
    std::size_t const n = 6 + i % 9;
    SmallGraph const small = taper::testing::random_graph(n, 0.3, random);
    Weights const weights = draw_weights(n, i, random);
    WeightedGraph graph;
    graph.assign(taper::testing::to_host_graph(small), weights);
    graph.touch_all();
    taper::vertex_cover::Interrupt interrupt(taper::vertex_cover::Options{});
    WeightedRules().reduce(graph, interrupt);
    left += graph.live_vertices();
    expect_exact(small, weights, graph);
    ASSERT_FALSE(HasFatalFailure()) << "graph " << i;
  }
  EXPECT_TRUE(left > 0 || case_stride > 1);
}

TEST(WeightedRules, SolveAForest) {
  std::mt19937_64 random(5);
  std::vector<taper::clique::Edge> edges;
  constexpr std::size_t n = 2000;
  for (Vertex v = 1; v < n; ++v) {
    if (v % 100 != 0) {
      edges.emplace_back(v, v - 1 - static_cast<Vertex>(random() % std::min<Vertex>(v, 5)));
    }
  }
  HostGraph const forest = taper::vertex_cover::make_graph(n, edges).graph;
  Weights const weights = draw_weights(n, 3, random);
  // The heaviest sets of each subtree with its root, and without. Each child has a higher number.
  Weights with = weights;
  Weights without(n, 0);
  Weight heaviest = 0;
  for (Vertex v = n; v-- > 0;) {
    auto const parent = std::find_if(forest.neighbours(v).begin(), forest.neighbours(v).end(),
                                     [&](Vertex u) { return u < v; });
    if (parent == forest.neighbours(v).end()) {
      heaviest += std::max(with[v], without[v]);
    } else {
      with[*parent] += without[v];
      without[*parent] += std::max(with[v], without[v]);
    }
  }
  Marks marks;
  auto const report = solve(forest, weights, marks);
  EXPECT_EQ(report.set_weight, heaviest);
  EXPECT_EQ(report.kernel_vertices, 0u);
  EXPECT_EQ(taper::clique::find_inner_edges(forest, marks, 0).count, 0u);
}

HostGraph random_host_graph(std::size_t n, double degree, std::mt19937_64& random) {
  std::vector<taper::clique::Edge> edges;
  for (Vertex u = 0; u < n; ++u) {
    for (Vertex v = 0; v < u; ++v) {
      if (static_cast<double>(random() >> 11) * 0x1p-53 * static_cast<double>(n - 1) < degree) {
        edges.emplace_back(u, v);
      }
    }
  }
  return taper::vertex_cover::make_graph(n, edges).graph;
}

HostGraph complement_of(HostGraph const& graph) {
  std::vector<taper::clique::Edge> edges;
  for (Vertex u = 0; u < graph.vertices(); ++u) {
    auto const row = graph.neighbours(u);
    for (Vertex v = 0; v < u; ++v) {
      if (!std::binary_search(row.begin(), row.end(), v)) {
        edges.emplace_back(u, v);
      }
    }
  }
  return taper::vertex_cover::make_graph(graph.vertices(), edges).graph;
}

/// Graphs that the rules do not solve: branches, components, and searches of the complement. The
/// other answer is a clique of the complement of the whole.
TEST(WeightedSearch, AgreesWithCliquesOfTheComplement) {
  std::mt19937_64 random(6);
  std::uint64_t nodes = 0;
  std::uint64_t components = 0;
  for (std::size_t i = 0; i < 40; i += case_stride) {
    HostGraph const graph = random_host_graph(60 + i, 3 + 0.3 * static_cast<double>(i), random);
    Weights const weights = draw_weights(graph.vertices(), i % 3 + 2, random);
    Marks marks;
    auto const report = solve(graph, weights, marks);
    Marks in_clique(graph.vertices());
    taper::clique::SerialFork fork;
    auto const expected =
        taper::clique::solve_on_host(fork, complement_of(graph), weights, in_clique);
    ASSERT_EQ(report.set_weight, expected.clique_weight) << i;
    ASSERT_EQ(report.upper_bound, expected.clique_weight) << i;
    ASSERT_EQ(taper::clique::find_inner_edges(graph, marks, 0).count, 0u);
    ASSERT_EQ(weight_of(weights, marks), report.set_weight);
    nodes += report.nodes;
    components += report.components;
  }
  EXPECT_TRUE((nodes > 40 && components > 0) || case_stride > 1);
}

/// Cycles of 16 vertices with a matching in each, and a vertex with neighbours in all of them: so
/// sparse that the search branches, and the graph then falls apart.
HostGraph linked_rings(Vertex rings, std::mt19937_64& random) {
  constexpr Vertex size = 16;
  std::vector<taper::clique::Edge> edges;
  std::vector<Vertex> order(size);
  for (Vertex ring = 0; ring < rings; ++ring) {
    for (Vertex v = 0; v < size; ++v) {
      order[v] = ring * size + v;
      edges.emplace_back(order[v], ring * size + (v + 1) % size);
    }
    std::shuffle(order.begin(), order.end(), random);
    for (Vertex i = 0; i < size; i += 2) {
      edges.emplace_back(order[i], order[i + 1]);
    }
    edges.emplace_back(rings * size, order[0]);
    edges.emplace_back(rings * size, order[1]);
  }
  return taper::vertex_cover::make_graph(std::size_t{rings} * size + 1, edges).graph;
}

/// All heaviest sets, each once, compared with those that the trial of all sets finds. A limit gives
/// as many of them as it allows.
void expect_all(SmallGraph const& graph, Weights const& weights) {
  Weights const all = weights.empty() ? Weights(graph.size(), 1) : weights;
  std::set<std::vector<Vertex>> expected;
  Weight maximum = 0;
  for (std::uint32_t set = 0; set < std::uint32_t{1} << graph.size(); ++set) {
    std::vector<Vertex> members;
    bool independent = true;
    for (Vertex v = 0; v < graph.size(); ++v) {
      if ((set >> v & 1) != 0) {
        members.push_back(v);
        independent = independent && (graph[v] & set) == 0 && all[v] > 0;
      }
    }
    Weight const weight = taper::testing::weight_of(all, set);
    if (!independent || weight < maximum) {
      continue;
    }
    if (weight > maximum) {
      maximum = weight;
      expected.clear();
    }
    expected.insert(members);
  }
  taper::clique::SerialFork fork;
  HostGraph const host = taper::testing::to_host_graph(graph);
  for (std::size_t const limit : {(expected.size() + 1) / 2, expected.size() + 1}) {
    auto const found = is::find_all_on_host(fork, host, weights, maximum, limit);
    ASSERT_EQ(found.status, taper::Status::solved);
    ASSERT_EQ(found.sets.size(), std::min(limit, expected.size()));
    ASSERT_EQ(std::adjacent_find(found.sets.begin(), found.sets.end()), found.sets.end());
    ASSERT_TRUE(
        std::includes(expected.begin(), expected.end(), found.sets.begin(), found.sets.end()));
  }
}

TEST(AllSets, OfAllGraphsOfUpToSixVertices) {
  std::mt19937_64 random(13);
  std::size_t i = 0;
  for (std::size_t n = 0; n <= 6; ++n) {
    taper::testing::for_each_graph(n, [&](SmallGraph const& graph) {
      if (++i % case_stride == 0 && !HasFatalFailure()) {
        expect_all(graph, {});
        expect_all(graph, draw_weights(n, i, random));
      }
    });
  }
}

TEST(AllSets, OfThousandsOfRandomGraphs) {
  std::mt19937_64 random(14);
  for (std::size_t i = 0; i < 3000 && !HasFatalFailure(); i += case_stride) {
    std::size_t const n = 3 + i % 10;
    double const density = static_cast<double>(random() % 100) / 120;
    auto const graph = taper::testing::random_graph(n, density, random);
    expect_all(graph, i % 2 == 0 ? Weights{} : draw_weights(n, i / 2, random));
  }
}

/// The number of heaviest sets of paths and rings, whose vertices all have one weight. Checks them.
std::size_t sets_of(std::vector<Vertex> const& paths, std::vector<Vertex> const& rings, Weight each,
                    std::size_t limit) {
  std::vector<taper::clique::Edge> edges;
  Vertex n = 0;
  Weight maximum = 0;
  for (auto const* sizes : {&paths, &rings}) {
    for (Vertex const size : *sizes) {
      for (Vertex v = 1; v < size; ++v) {
        edges.emplace_back(n + v - 1, n + v);
      }
      if (sizes == &rings) {
        edges.emplace_back(n, n + size - 1);
      }
      n += size;
      maximum += each * static_cast<Weight>(size / 2);
    }
  }
  HostGraph const graph = taper::vertex_cover::make_graph(n, edges).graph;
  taper::clique::SerialFork fork;
  Weights const weights = each == 1 ? Weights{} : Weights(n, each);
  auto const found = is::find_all_on_host(fork, graph, weights, maximum, limit);
  EXPECT_EQ(found.status, taper::Status::solved);
  EXPECT_EQ(std::adjacent_find(found.sets.begin(), found.sets.end()), found.sets.end());
  for (auto const& set : found.sets) {
    Marks marks(n);
    for (Vertex const v : set) {
      marks[v] = 1;
    }
    EXPECT_EQ(taper::clique::find_inner_edges(graph, marks, 0).count, 0u);
    EXPECT_EQ(each * static_cast<Weight>(set.size()), maximum);
  }
  return found.sets.size();
}

/// A path of 2 k vertices has k + 1 largest sets, a ring of 2 k + 1 has 2 k + 1; components have the
/// product. Those of more than 48 vertices are split by vertices.
TEST(AllSets, OfGraphsThatAreSplit) {
  for (Weight const each : {Weight{1}, Weight{3}}) {
    EXPECT_EQ(sets_of({60}, {}, each, 1000), 31u);
    EXPECT_EQ(sets_of({200}, {}, each, 1000), 101u);
    EXPECT_EQ(sets_of({}, {101}, each, 1000), 101u);
    EXPECT_EQ(sets_of({60, 2}, {7, 51}, each, 30'000), 31u * 2 * 7 * 51);
    EXPECT_EQ(sets_of({60, 2}, {7, 51}, each, 1000), 1000u);
  }
  EXPECT_EQ(sets_of({4000}, {}, 1, 10), 10u);
}

TEST(AllSets, StopWithoutAnAnswer) {
  std::mt19937_64 random(15);
  std::atomic<bool> const stop{true};
  is::Options options;
  options.stop = &stop;
  taper::clique::SerialFork fork;
  HostGraph const graph = random_host_graph(200, 6, random);
  EXPECT_EQ(is::find_all_on_host(fork, graph, {}, 80, 10, options).status, taper::Status::stopped);
}

/// Sets to begin with: a heaviest one, and parts of it. Sparse graphs, dense ones, components.
TEST(WeightedSearch, StartsFromASet) {
  std::mt19937_64 random(12);
  std::atomic<bool> const stop{true};
  std::uint64_t nodes = 0;
  for (std::size_t i = 0; i < 12; i += case_stride) {
    HostGraph const graph = i % 3 == 0   ? linked_rings(static_cast<Vertex>(2 + i % 3), random)
                            : i % 3 == 1 ? random_host_graph(50 + i, 5, random)
                                         : random_host_graph(130, 13, random);
    Weights weights = draw_weights(graph.vertices(), i % 3 + 2, random);
    for (Weight& weight : weights) {
      weight = i % 3 == 0 ? 5 + weight % 4 : weight;  // similar weights: few rules apply
    }
    Marks start;
    Weight const best = solve(graph, weights, start).set_weight;
    for (int part = 0; part < 4; ++part) {
      is::Options options;
      options.start = start;
      options.stop = part == 3 ? &stop : nullptr;
      Marks marks(graph.vertices());
      taper::clique::SerialFork fork;
      auto const report = is::solve_on_host(fork, graph, weights, marks, options);
      ASSERT_GE(report.set_weight, weight_of(weights, start)) << i;
      ASSERT_GE(report.upper_bound, best) << i;
      ASSERT_TRUE(part == 3 || (report.set_weight == best && report.upper_bound == best)) << i;
      ASSERT_EQ(taper::clique::find_inner_edges(graph, marks, 0).count, 0u);
      ASSERT_EQ(weight_of(weights, marks), report.set_weight);
      nodes += report.nodes;
      std::for_each(start.begin(), start.end(),
                    [&](std::uint8_t& mark) { mark = random() % 9 == 0 ? 0 : mark; });
    }
  }
  EXPECT_TRUE(nodes > 100 || case_stride > 1);
}

/// Options::heuristic: no search, and still sets that are nearly as heavy as the heaviest.
TEST(WeightedSearch, IsLeftOutOfAHeuristic) {
  std::mt19937_64 random(16);
  std::size_t open = 0;
  for (std::size_t i = 0; i < 30; i += case_stride) {
    HostGraph const graph = random_host_graph(40 + i, 5, random);
    Weights const weights = draw_weights(graph.vertices(), i % 3 + 2, random);
    Marks best;
    Weight const maximum = solve(graph, weights, best).set_weight;
    is::Options options;
    options.heuristic = true;
    Marks marks(graph.vertices());
    taper::clique::SerialFork fork;
    auto const report = is::solve_on_host(fork, graph, weights, marks, options);
    EXPECT_LE(report.set_weight, maximum) << i;
    EXPECT_GE(report.set_weight, maximum / 10 * 8) << i;
    EXPECT_GE(report.upper_bound, maximum) << i;
    EXPECT_EQ(report.nodes, 0u);
    EXPECT_EQ(taper::clique::find_inner_edges(graph, marks, 0).count, 0u);
    EXPECT_EQ(weight_of(weights, marks), report.set_weight);
    open += report.status == taper::Status::stopped ? 1 : 0;
  }
  EXPECT_TRUE(open > 5 || case_stride > 1);
}

/// From a greedy set alone, the search finds the heaviest.
TEST(WeightedSearch, FindsTheHeaviestSetWithoutLocalSearch) {
  std::mt19937_64 random(11);
  is::Options const options;
  is::Search search(taper::vertex_cover::Interrupt(taper::vertex_cover::Options{}), options);
  std::size_t improved = 0;
  for (std::size_t i = 0; i < 60; i += case_stride) {
    bool const rings = i % 4 != 0;
    HostGraph const host = rings ? linked_rings(static_cast<Vertex>(2 + i % 3), random)
                                 : random_host_graph(50 + i, 5, random);
    Weights weights = draw_weights(host.vertices(), i % 3 + 2, random);
    for (Weight& weight : weights) {
      weight = rings ? 5 + weight % 4 : weight;  // similar weights: few rules apply
    }
    Marks marks(host.vertices());
    taper::clique::SerialFork fork;
    Weight const expected =
        taper::clique::solve_on_host(fork, complement_of(host), weights, marks).clique_weight;
    WeightedGraph graph;
    graph.assign(host, weights);
    is::Components components;
    components.find(graph);
    std::fill(marks.begin(), marks.end(), std::uint8_t{0});
    Weight sum = 0;
    Weight found = 0;
    for (std::size_t part = 0; part < components.count(); ++part) {
      auto const answer =
          search.solve(graph, components[part], taper::clique::max_weight_sum, 0, 0, marks);
      ASSERT_EQ(answer.weight, answer.bound);
      sum += answer.bound;
      found += answer.weight;
    }
    ASSERT_EQ(sum, expected) << i;
    ASSERT_EQ(weight_of(weights, marks), found);
    ASSERT_EQ(taper::clique::find_inner_edges(host, marks, 0).count, 0u);
    is::WeightedLocalSearch greedy;
    WeightedGraph whole;
    whole.assign(host, weights);
    greedy.begin(whole);
    improved += greedy.weight() < expected ? 1u : 0u;
  }
  EXPECT_TRUE((improved > 0 && search.nodes() > 60) || case_stride > 1);
}

TEST(WeightedSearch, AddsUpComponents) {
  std::mt19937_64 random(7);
  std::vector<taper::clique::Edge> edges;
  Weights weights;
  Weight sum = 0;
  for (Vertex part = 0; part < 6; ++part) {
    HostGraph const graph = random_host_graph(40, 5, random);
    Weights const some = draw_weights(40, 3, random);
    for (Vertex u = 0; u < 40; ++u) {
      for (Vertex const v : graph.neighbours(u)) {
        edges.emplace_back(6 * u + part, 6 * v + part);
      }
    }
    weights.resize(240);
    for (Vertex u = 0; u < 40; ++u) {
      weights[6 * u + part] = some[u];
    }
    Marks marks;
    sum += solve(graph, some, marks).set_weight;
  }
  Marks marks;
  auto const report = solve(taper::vertex_cover::make_graph(240, edges).graph, weights, marks);
  EXPECT_EQ(report.set_weight, sum);
  EXPECT_EQ(report.upper_bound, sum);
  EXPECT_GT(report.components, 1u);
}

TEST(WeightedSearch, CliqueCoversBoundTheHeaviestSet) {
  std::mt19937_64 random(8);
  for (std::size_t i = 0; i < 1000; i += case_stride) {
    SmallGraph const small = taper::testing::random_graph(12, random);
    Weights const weights = draw_weights(small.size(), i, random);
    WeightedGraph graph;
    graph.assign(taper::testing::to_host_graph(small), weights);
    std::vector<Vertex> live;
    graph.append_live(live);
    for (bool const stopped : {false, true}) {
      std::atomic<bool> const stop{stopped};
      taper::vertex_cover::Interrupt interrupt({.stop = &stop});
      interrupt.stopped();
      Weight const bound = is::CliqueCover().bound(graph, live, interrupt);
      ASSERT_GE(bound, heaviest_by_trial(small, weights)) << "graph " << i;
    }
  }
}

/// A graph that takes longer than the limits below.
HostGraph long_search() {
  std::mt19937_64 random(9);
  return random_host_graph(700, 12, random);
}

void expect_set_and_bound(HostGraph const& graph, Weights const& weights,
                          is::Options const& options) {
  Marks marks;
  auto const report = solve(graph, weights, marks, options);
  EXPECT_EQ(report.status, taper::Status::stopped);
  EXPECT_EQ(taper::clique::find_inner_edges(graph, marks, 0).count, 0u);
  EXPECT_EQ(weight_of(weights, marks), report.set_weight);
  EXPECT_GT(report.set_weight, 0);
  EXPECT_LT(report.set_weight, report.upper_bound);
  Weight sum = 0;
  for (Weight const weight : weights) {
    sum += weight;
  }
  EXPECT_LT(report.upper_bound, sum);
}

TEST(WeightedSearch, StopsWithASetAndABound) {
  HostGraph const graph = long_search();
  std::mt19937_64 random(10);
  Weights const weights = draw_weights(graph.vertices(), 3, random);
  is::Options options;
  is::Progress progress;
  options.progress = &progress;
  options.time_limit_s = 0.1;
  expect_set_and_bound(graph, weights, options);
  EXPECT_GT(progress.best, 0);
  EXPECT_LE(progress.best, progress.upper_bound);
}

/// Stopped before it begins, it still finds a set. The bound is then the sum of the weights.
TEST(WeightedSearch, StopsBeforeItBegins) {
  HostGraph const graph = long_search();
  Weights const weights(graph.vertices(), 2);
  std::atomic<bool> const stop{true};
  is::Options options;
  options.stop = &stop;
  Marks marks;
  auto const report = solve(graph, weights, marks, options);
  EXPECT_EQ(report.status, taper::Status::stopped);
  EXPECT_EQ(taper::clique::find_inner_edges(graph, marks, 0).count, 0u);
  EXPECT_EQ(weight_of(weights, marks), report.set_weight);
  EXPECT_GT(report.set_weight, 100);
  EXPECT_LE(report.set_weight, report.upper_bound);
}

}  // namespace weighted_sets
}  // namespace
