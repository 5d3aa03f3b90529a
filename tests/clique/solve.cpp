// SPDX-License-Identifier: Apache-2.0
#include <taper/clique/clique.hpp>

#include <taper/clique/generate.hpp>
#include <taper/clique/verify.hpp>
#include <taper/independent_set/independent_set.hpp>
#include <taper/vertex_cover/vertex_cover.hpp>

#include <support/backends.hpp>
#include <support/error_message.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace {

using namespace taper::clique;
namespace vc = taper::vertex_cover;

template <class Space>
struct CliqueSolve : ::testing::Test {};
TYPED_TEST_SUITE(CliqueSolve, taper::testing::Backends, taper::testing::BackendNames);

template <class T, class Space>
using ViewOf = Kokkos::View<T*, typename Space::memory_space>;

/// The report of a solve, after a check of the clique.
template <class Space>
Report checked_solve(Space const& where, HostGraph const& host, std::vector<Weight> const& weights,
                     Options const& options = {}) {
  ViewOf<std::uint8_t, Space> const in_clique("taper::testing::clique", host.vertices());
  Kokkos::deep_copy(in_clique, 7);
  auto const graph = vc::to_views(where, host);
  Report report;
  if (weights.empty()) {
    report = taper::clique::solve(where, graph, in_clique, options);
  } else {
    ViewOf<Weight, Space> const on_device("taper::testing::weights", weights.size());
    Kokkos::deep_copy(
        on_device, Kokkos::View<Weight const*, Kokkos::HostSpace>(weights.data(), weights.size()));
    report = taper::clique::solve(where, graph, on_device, in_clique, options);
  }
  auto const marks = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, in_clique);
  std::vector<std::uint8_t> const set(marks.data(), marks.data() + marks.extent(0));
  EXPECT_EQ(find_missing_edges(host, set, 0).count, 0u);
  std::vector<Weight> const all =
      weights.empty() ? std::vector<Weight>(host.vertices(), 1) : weights;
  EXPECT_EQ(weight_of(all, set), report.clique_weight);
  EXPECT_EQ(static_cast<std::uint64_t>(std::count(set.begin(), set.end(), 1)), report.clique_size);
  EXPECT_LE(report.clique_weight, report.upper_bound);
  return report;
}

TYPED_TEST(CliqueSolve, FindsTheKnownMaxima) {
  TypeParam const where;
  std::vector<Workload> const workloads{
      {.family = Family::hamming, .n = 6, .distance = 2},
      {.family = Family::hamming, .n = 8, .distance = 2},
      {.family = Family::johnson, .n = 9, .ones = 3, .distance = 6},
      {.family = Family::johnson, .n = 16, .ones = 2, .distance = 4},
      {.family = Family::steiner, .n = 2},
      {.family = Family::steiner, .n = 3}};
  for (Workload const& workload : workloads) {
    HostGraph const graph = generate(workload);
    EXPECT_FALSE(vc::find_fault(graph));
    Report const report = checked_solve(where, graph, {});
    EXPECT_EQ(report.status, taper::Status::solved);
    EXPECT_EQ(report.clique_size, known_maximum(workload));
    EXPECT_EQ(report.upper_bound, report.clique_weight);
    if (workload.family == Family::hamming) {
      EXPECT_LE(report.nodes, 1u);  // a first clique reaches the bound
    }
    Report const twice = checked_solve(where, graph, std::vector<Weight>(graph.vertices(), 2));
    EXPECT_EQ(twice.clique_weight, 2 * report.clique_weight);
  }
}

HostGraph complement_of(HostGraph const& graph) {
  std::vector<Edge> edges;
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    auto const row = graph.neighbours(v);
    for (Vertex u = 0; u < v; ++u) {
      if (!std::binary_search(row.begin(), row.end(), u)) {
        edges.emplace_back(u, v);
      }
    }
  }
  return vc::make_graph(graph.vertices(), edges).graph;
}

/// A clique of a graph is an independent set of its complement: all but a vertex cover of it.
TYPED_TEST(CliqueSolve, AgreesWithMinimumCoversOfTheComplement) {
  TypeParam const where;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    HostGraph const host = generate({.family = seed % 2 == 0 ? Family::gnp : Family::p_hat,
                                     .n = 100,
                                     .seed = seed,
                                     .density = 0.4 + 0.05 * static_cast<double>(seed)});
    auto const complement = vc::to_views(where, complement_of(host));
    ViewOf<std::uint8_t, TypeParam> const in_cover("taper::testing::cover", host.vertices());
    auto const cover = vc::solve(where, complement, in_cover);
    ASSERT_EQ(cover.status, taper::Status::solved);
    for (Bound const bound : {Bound::colouring, Bound::recolouring, Bound::maxsat}) {
      Options options;
      options.bound = bound;
      EXPECT_EQ(checked_solve(where, host, {}, options).clique_size,
                host.vertices() - cover.cover_size);
    }
  }
}

/// All bounds, one worker or all: the same weight.
TYPED_TEST(CliqueSolve, FindsTheSameWeightWithAllWorkers) {
  TypeParam const where;
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    HostGraph const host = generate(
        {.family = Family::hidden_clique, .n = 120, .seed = seed, .density = 0.6, .clique = 12});
    std::vector<Weight> weights(host.vertices());
    for (std::size_t v = 0; v < weights.size(); ++v) {
      weights[v] = static_cast<Weight>((v + 1) % 200 + seed);
    }
    std::vector<std::uint8_t> marks(host.vertices());
    SerialFork serial;
    auto const expected = solve_on_host(serial, host, weights, marks);
    auto const size = solve_on_host(serial, host, marks).clique_size;
    EXPECT_GE(size, 12u);
    EXPECT_EQ(checked_solve(where, host, {}).clique_size, size);
    for (Bound const bound : {Bound::colouring, Bound::recolouring, Bound::maxsat}) {
      Options options;
      options.bound = bound;
      EXPECT_EQ(checked_solve(where, host, weights, options).clique_weight, expected.clique_weight);
    }
    auto const counted = count_maximal_on_host(serial, host);
    auto const by_all = count_maximal(where, vc::to_views(where, host));
    EXPECT_EQ(by_all.cliques, counted.cliques);
    EXPECT_EQ(by_all.largest, size);
    EXPECT_EQ(by_all.largest_count, counted.largest_count);
  }
}

TYPED_TEST(CliqueSolve, StopsWithACliqueAndABound) {
  TypeParam const where;
  HostGraph const host = generate({.family = Family::gnp, .n = 300, .density = 0.9});
  Options options;
  options.time_limit_s = 0.05;
  Progress progress;
  options.progress = &progress;
  Report const report = checked_solve(where, host, {}, options);
  EXPECT_EQ(report.status, taper::Status::stopped);
  EXPECT_GT(report.clique_size, 20u);
  EXPECT_LT(report.upper_bound, 300);
  EXPECT_EQ(progress.best, report.clique_weight);
  EXPECT_EQ(progress.nodes > 0, report.nodes > 0);
  std::atomic<bool> const stop{true};
  Options stopped;
  stopped.stop = &stop;
  EXPECT_EQ(checked_solve(where, host, {}, stopped).status, taper::Status::stopped);
  EXPECT_EQ(count_maximal(where, vc::to_views(where, host), stopped).status,
            taper::Status::stopped);
}

/// The report of an independent set, after a check of it. No weights: all are 1.
template <class Space>
taper::independent_set::Report checked_set(Space const& where, HostGraph const& host,
                                           std::vector<Weight> const& weights,
                                           taper::independent_set::Options const& options = {}) {
  ViewOf<std::uint8_t, Space> const in_set("taper::testing::set", host.vertices());
  Kokkos::deep_copy(in_set, 7);
  auto const graph = vc::to_views(where, host);
  taper::independent_set::Report report;
  if (weights.empty()) {
    report = taper::independent_set::solve(where, graph, in_set, options);
  } else {
    ViewOf<Weight, Space> const on_device("taper::testing::weights", weights.size());
    Kokkos::deep_copy(
        on_device, Kokkos::View<Weight const*, Kokkos::HostSpace>(weights.data(), weights.size()));
    report = taper::independent_set::solve(where, graph, on_device, in_set, options);
  }
  auto const marks = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, in_set);
  std::vector<std::uint8_t> const set(marks.data(), marks.data() + marks.extent(0));
  EXPECT_EQ(find_inner_edges(host, set, 0).count, 0u);
  std::vector<Weight> const all =
      weights.empty() ? std::vector<Weight>(host.vertices(), 1) : weights;
  EXPECT_EQ(weight_of(all, set), report.set_weight);
  EXPECT_EQ(static_cast<std::uint64_t>(std::count(set.begin(), set.end(), 1)), report.set_size);
  EXPECT_LE(report.set_weight, report.upper_bound);
  return report;
}

TYPED_TEST(CliqueSolve, FindsIndependentSetsAsCliquesOfTheComplement) {
  TypeParam const where;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    HostGraph const host = generate({.family = Family::gnp,
                                     .n = 90,
                                     .seed = seed,
                                     .density = 0.04 * static_cast<double>(seed)});
    HostGraph const complement = complement_of(host);
    std::vector<Weight> weights(host.vertices());
    for (std::size_t v = 0; v < weights.size(); ++v) {
      weights[v] = static_cast<Weight>(v * v % 100 + seed);
    }
    for (auto const& some : {std::vector<Weight>{}, weights}) {
      taper::independent_set::Progress progress;
      taper::independent_set::Options options;
      options.progress = &progress;
      auto const report = checked_set(where, host, some, options);
      EXPECT_EQ(report.status, taper::Status::solved);
      EXPECT_EQ(report.set_weight, checked_solve(where, complement, some).clique_weight);
      EXPECT_EQ(progress.best, report.set_weight);
      EXPECT_EQ(progress.upper_bound, report.upper_bound);
    }
  }
}

TYPED_TEST(CliqueSolve, StopsWithAnIndependentSetAndABound) {
  TypeParam const where;
  HostGraph const host = generate({.family = Family::gnp, .n = 500, .density = 0.05});
  std::atomic<bool> const stop{true};
  taper::independent_set::Options options;
  options.stop = &stop;
  for (auto const& weights : {std::vector<Weight>{}, std::vector<Weight>(500, 3)}) {
    auto const report = checked_set(where, host, weights, options);
    EXPECT_EQ(report.status, taper::Status::stopped);
    EXPECT_GT(report.set_weight, 20);
  }
}

TYPED_TEST(CliqueSolve, RefusesWeightsOfIndependentSets) {
  TypeParam const where;
  HostGraph const graph = vc::make_graph(3, std::vector<Edge>{{0, 1}}).graph;
  auto const message = [&](std::vector<Weight> const& weights) {
    return taper::testing::message_of([&] { checked_set(where, graph, weights); });
  };
  EXPECT_EQ(message({1, -4, 2}),
            "taper::independent_set::solve: the weight of vertex 1 is -4; allowed are integers "
            "from 0");
  EXPECT_EQ(message({1, 2}),
            "taper::independent_set::solve: weights has 2 entries, the graph has 3 vertices");
  ViewOf<std::uint8_t, TypeParam> const short_set("taper::testing::set", 2);
  EXPECT_EQ(taper::testing::message_of([&] {
              taper::independent_set::solve(where, vc::to_views(where, graph), short_set);
            }),
            "taper::independent_set::solve: in_set has 2 entries, the graph has 3 vertices");
  EXPECT_EQ(checked_set(where, graph, {2, 5, 0}).set_weight, 5);
  EXPECT_EQ(checked_set(where, HostGraph{}, {}).set_size, 0u);
}

TYPED_TEST(CliqueSolve, StartsFromSetsOfItsKindAlone) {
  TypeParam const where;
  HostGraph const graph = vc::make_graph(3, std::vector<Edge>{{0, 1}}).graph;
  std::vector<std::uint8_t> const edge{1, 1, 0};
  std::vector<std::uint8_t> const pair{1, 0, 1};
  for (auto const& weights : {std::vector<Weight>{}, std::vector<Weight>{3, 3, 3}}) {
    Options options;
    options.start = edge;
    EXPECT_EQ(checked_solve(where, graph, weights, options).clique_size, 2u);
    options.start = pair;
    EXPECT_EQ(taper::testing::message_of([&] { checked_solve(where, graph, weights, options); }),
              "taper::clique::solve: Options::start is not a clique: vertices 0 and 2 break it");
    taper::independent_set::Options set_options;
    set_options.start = pair;
    EXPECT_EQ(checked_set(where, graph, weights, set_options).set_size, 2u);
    set_options.start = edge;
    EXPECT_EQ(
        taper::testing::message_of([&] { checked_set(where, graph, weights, set_options); }),
        weights.empty()
            ? "taper::vertex_cover::solve: Options::start is no cover: it misses the edge 0 - 1"
            : "taper::independent_set::solve: Options::start is not an independent set: vertices "
              "0 and 1 break it");
  }
}

TYPED_TEST(CliqueSolve, TakesEmptyGraphs) {
  TypeParam const where;
  EXPECT_EQ(checked_solve(where, HostGraph{}, {}).clique_size, 0u);
  HostGraph const edgeless = vc::make_graph(3, {}).graph;
  EXPECT_EQ(checked_solve(where, edgeless, {}).clique_size, 1u);
  EXPECT_EQ(checked_solve(where, edgeless, {0, 5, 3}).clique_weight, 5);
  EXPECT_EQ(checked_solve(where, edgeless, {0, 0, 0}).clique_size, 0u);
  EXPECT_EQ(count_maximal(where, vc::to_views(where, edgeless)).cliques, 3u);
}

TYPED_TEST(CliqueSolve, RefusesWhatItCannotTake) {
  TypeParam const where;
  HostGraph const graph = vc::make_graph(3, std::vector<Edge>{{0, 1}}).graph;
  auto const message = [&](std::vector<Weight> const& weights) {
    return taper::testing::message_of([&] { checked_solve(where, graph, weights); });
  };
  EXPECT_EQ(message({1, -4, 2}),
            "taper::clique::solve: the weight of vertex 1 is -4; allowed are integers from 0");
  EXPECT_EQ(message({1, std::numeric_limits<Weight>::max(), 2}),
            "taper::clique::solve: the weights up to vertex 1 have a sum above "
            "9223372036854775807, the most that is allowed");
  EXPECT_EQ(message({1, 2}),
            "taper::clique::solve: weights has 2 entries, the graph has 3 vertices");
  ViewOf<std::uint8_t, TypeParam> const short_clique("taper::testing::clique", 2);
  EXPECT_EQ(taper::testing::message_of(
                [&] { taper::clique::solve(where, vc::to_views(where, graph), short_clique); }),
            "taper::clique::solve: in_clique has 2 entries, the graph has 3 vertices");
  EXPECT_EQ(taper::testing::message_of([] {
              generate({.family = Family::hidden_clique, .n = 20, .density = 0.1, .clique = 19});
            }),
            "taper::clique::generate: hidden_clique: the clique is too large to be hidden at this "
            "density");
}

}  // namespace
