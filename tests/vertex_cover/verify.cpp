// SPDX-License-Identifier: Apache-2.0
#include <taper/vertex_cover/verify.hpp>

#include <support/backends.hpp>
#include <support/graph_oracles.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace {

using namespace taper::vertex_cover;

template <class Space>
auto to_flags(std::size_t n, std::uint32_t cover) {
  Kokkos::View<std::uint8_t*, typename Space::memory_space> const flags("taper::testing::cover", n);
  auto const host = Kokkos::create_mirror_view(flags);
  for (std::size_t v = 0; v < n; ++v) {
    host(v) = cover >> v & 1;
  }
  Kokkos::deep_copy(flags, host);
  return flags;
}

template <class Space>
struct Verify : ::testing::Test {};
TYPED_TEST_SUITE(Verify, taper::testing::Backends, taper::testing::BackendNames);

TYPED_TEST(Verify, FindsUncoveredEdges) {
  TypeParam const where;
  auto const path = taper::testing::small_graph(4, {{0, 1}, {1, 2}, {2, 3}});
  auto const graph = to_views(where, taper::testing::to_host_graph(path));
  auto const uncovered = [&](std::uint32_t cover) {
    return find_uncovered(where, graph, to_flags<TypeParam>(4, cover), 10);
  };
  EXPECT_EQ(uncovered(0b0110), std::vector<Edge>{});
  EXPECT_EQ(uncovered(0b0010), (std::vector<Edge>{{2, 3}}));
  EXPECT_EQ(uncovered(0b1001), (std::vector<Edge>{{1, 2}}));
  EXPECT_EQ(uncovered(0b0000), (std::vector<Edge>{{0, 1}, {1, 2}, {2, 3}}));
  EXPECT_EQ(find_uncovered(where, graph, to_flags<TypeParam>(4, 0), 2).size(), 2u);
  EXPECT_EQ(find_uncovered(where, graph, to_flags<TypeParam>(4, 0), 0).size(), 0u);
}

TYPED_TEST(Verify, AnEdgeFromAVertexToItselfNeedsTheVertex) {
  TypeParam const where;
  HostGraph loop;
  loop.offsets = {0, 1, 1};
  loop.entries = {0};
  auto const graph = to_views(where, loop);
  EXPECT_EQ(find_uncovered(where, graph, to_flags<TypeParam>(2, 0b10), 10),
            (std::vector<Edge>{{0, 0}}));
  EXPECT_EQ(count_uncovered(where, graph, to_flags<TypeParam>(2, 0b01)), 0u);
}

TYPED_TEST(Verify, AgreesWithTheOracleOnRandomSets) {
  TypeParam const where;
  std::mt19937_64 random(3);
  int wrong = 0;
  for (int repeat = 0; repeat < 40; ++repeat) {
    auto const small = taper::testing::random_graph(30, random);
    auto const graph = to_views(where, taper::testing::to_host_graph(small));
    auto const all = static_cast<std::uint32_t>((std::uint64_t{1} << small.size()) - 1);
    // A minimum cover, the same without one vertex, and a random set.
    std::uint32_t const minimum = taper::testing::minimum_cover(small);
    for (std::uint32_t const cover :
         {minimum, minimum & (minimum - 1), static_cast<std::uint32_t>(random()) & all}) {
      std::vector<Edge> expected;
      for (Vertex u = 0; u < small.size(); ++u) {
        for (Vertex v = u + 1; v < small.size(); ++v) {
          if (taper::testing::has_edge(small, u, v) && ((cover >> u | cover >> v) & 1) == 0) {
            expected.emplace_back(u, v);
          }
        }
      }
      auto const flags = to_flags<TypeParam>(small.size(), cover);
      EXPECT_EQ(count_uncovered(where, graph, flags), expected.size());
      EXPECT_EQ(find_uncovered(where, graph, flags, 1000), expected);
      EXPECT_EQ(cover_size(where, flags), static_cast<std::uint64_t>(std::popcount(cover)));
      EXPECT_EQ(expected.empty(), taper::testing::is_cover(small, cover));
      wrong += expected.empty() ? 0 : 1;
    }
  }
  EXPECT_GT(wrong, 20);
}

TYPED_TEST(Verify, ExtentsMustAgree) {
  TypeParam const where;
  auto const graph = to_views(where, make_graph(3, std::vector<Edge>{{0, 1}}).graph);
  EXPECT_THROW(count_uncovered(where, graph, to_flags<TypeParam>(2, 0)), taper::Error);
  EXPECT_EQ(count_uncovered(where, to_views(where, HostGraph{}), to_flags<TypeParam>(0, 0)), 0u);
}

}  // namespace
