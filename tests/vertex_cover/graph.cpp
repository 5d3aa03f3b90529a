// SPDX-License-Identifier: Apache-2.0
#include <taper/vertex_cover/graph.hpp>

#include <support/backends.hpp>
#include <support/graph_oracles.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

namespace {

using namespace taper::vertex_cover;
using Kind = Fault::Kind;

TEST(HostGraph, IsMadeFromAnyListOfEdges) {
  std::vector<Edge> const edges{{3, 1}, {1, 3}, {2, 2}, {0, 1}, {3, 1}, {2, 2}, {4, 4}, {3, 0}};
  auto const made = make_graph(6, edges);
  EXPECT_EQ(made.graph.vertices(), 6u);
  EXPECT_EQ(made.graph.edges(), 3u);
  EXPECT_EQ(made.graph.offsets, (std::vector<std::uint64_t>{0, 2, 4, 4, 6, 6, 6}));
  EXPECT_EQ(made.graph.entries, (std::vector<Vertex>{1, 3, 0, 3, 0, 1}));
  EXPECT_EQ(made.loops, (std::vector<Vertex>{2, 4}));
  EXPECT_EQ(made.duplicates, 2u);
  EXPECT_FALSE(find_fault(made.graph));
  EXPECT_EQ(make_graph(0, {}).graph.vertices(), 0u);
}

TEST(HostGraph, RandomEdgeListsAgreeWithTheOracle) {
  std::mt19937_64 random(1);
  for (int repeat = 0; repeat < 200; ++repeat) {
    auto const small = taper::testing::random_graph(20, random);
    std::vector<Edge> edges;
    for (std::size_t u = 0; u < small.size(); ++u) {
      for (std::size_t v = 0; v < u; ++v) {
        if (taper::testing::has_edge(small, u, v)) {
          for (auto copies = 1 + random() % 3; copies > 0; --copies) {
            random() % 2 == 0 ? edges.emplace_back(u, v) : edges.emplace_back(v, u);
          }
        }
      }
    }
    std::shuffle(edges.begin(), edges.end(), random);
    auto const made = make_graph(small.size(), edges);
    EXPECT_EQ(made.graph, taper::testing::to_host_graph(small));
    EXPECT_EQ(made.duplicates, edges.size() - made.graph.edges());
  }
}

TEST(HostGraph, FaultsAreFound) {
  auto const fault = [](std::vector<std::uint64_t> offsets, std::vector<Vertex> entries) {
    return find_fault(HostGraph{std::move(offsets), std::move(entries)});
  };
  auto const expect = [&](std::optional<Fault> const& found, Kind kind, Vertex vertex,
                          std::uint64_t entry) {
    ASSERT_TRUE(found);
    EXPECT_EQ(found->kind, kind);
    EXPECT_EQ(found->vertex, vertex);
    EXPECT_EQ(found->entry, entry);
  };
  EXPECT_FALSE(fault({0, 2, 3, 4}, {2, 1, 0, 0})) << "unsorted rows are no fault";
  EXPECT_FALSE(fault({0}, {}));
  expect(fault({}, {}), Kind::offsets, 0, 0);
  expect(fault({1, 2}, {0, 0}), Kind::offsets, 0, 0);
  expect(fault({0, 2, 1, 2}, {1, 0}), Kind::offsets, 1, 0);
  expect(fault({0, 1, 3}, {1, 0}), Kind::offsets, 1, 0);
  expect(fault({0, 1, 2}, {1, 0, 0}), Kind::offsets, 2, 0);
  expect(fault({0, 1, 2}, {1, 2}), Kind::out_of_range, 1, 0);
  expect(fault({0, 1, 3}, {1, 0, 1}), Kind::loop, 1, 1);
  expect(fault({0, 2, 4}, {1, 1, 0, 0}), Kind::duplicate, 0, 1);
  expect(fault({0, 1, 3, 3}, {1, 0, 2}), Kind::one_way, 1, 1);
}

/// A star of many leaves, one of which occurs twice in the centre's row.
TEST(HostGraph, FindsAFaultAtTheEndOfALongRow) {
  constexpr Vertex leaves = 300'000;
  HostGraph star;
  for (Vertex v = 1; v <= leaves; ++v) {
    star.entries.push_back(v);
  }
  star.entries.push_back(7);
  star.offsets.push_back(star.entries.size());
  for (Vertex v = 1; v <= leaves; ++v) {
    star.entries.push_back(0);
    star.offsets.push_back(star.entries.size());
  }
  auto const fault = find_fault(star);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, Kind::duplicate);
  EXPECT_EQ(fault->vertex, 0u);
  EXPECT_EQ(fault->entry, leaves);
}

template <class Space>
struct Views : ::testing::Test {};
TYPED_TEST_SUITE(Views, taper::testing::Backends, taper::testing::BackendNames);

TYPED_TEST(Views, CopyToViewsAndBackKeepsTheGraph) {
  std::mt19937_64 random(2);
  TypeParam const where;
  for (int repeat = 0; repeat < 20; ++repeat) {
    auto const host = taper::testing::to_host_graph(taper::testing::random_graph(30, random));
    auto const graph = to_views(where, host);
    EXPECT_EQ(graph.vertices(), host.vertices());
    EXPECT_EQ(graph.edges(), host.edges());
    EXPECT_EQ(to_host(where, graph), host);
    EXPECT_FALSE(find_fault(where, graph));
  }
  auto const empty = to_views(where, HostGraph{});
  EXPECT_EQ(empty.vertices(), 0u);
  EXPECT_EQ(to_host(where, empty), HostGraph{});
}

TYPED_TEST(Views, AcceptIndexTypesOfKokkosKernels) {
  // A row map and entries of int, as in many CRS graphs.
  TypeParam const where;
  Kokkos::View<int*, typename TypeParam::memory_space> const offsets("offsets", 3);
  Kokkos::View<int*, typename TypeParam::memory_space> const entries("entries", 2);
  auto const host_offsets = Kokkos::create_mirror_view(offsets);
  auto const host_entries = Kokkos::create_mirror_view(entries);
  host_offsets(1) = 1;
  host_offsets(2) = 2;
  host_entries(0) = 1;
  Kokkos::deep_copy(offsets, host_offsets);
  Kokkos::deep_copy(entries, host_entries);
  using Const = Kokkos::View<int const*, typename TypeParam::memory_space>;
  Graph const graph{Const(offsets), Const(entries)};
  EXPECT_EQ(to_host(where, graph), make_graph(2, std::vector<Edge>{{0, 1}}).graph);
}

}  // namespace
