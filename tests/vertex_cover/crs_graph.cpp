// SPDX-License-Identifier: Apache-2.0
//
// Compiled twice: with a graph of this file, and, if Kokkos Kernels is linked, with its own.
#include <taper/vertex_cover/crs_graph.hpp>
#include <taper/vertex_cover/verify.hpp>

#include <support/backends.hpp>
#include <support/graph_oracles.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#if defined(TAPER_WITH_KOKKOS_KERNELS)
#include <KokkosSparse_StaticCrsGraph.hpp>
#endif

#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace {

using namespace taper::vertex_cover;

#if defined(TAPER_WITH_KOKKOS_KERNELS)
template <class Space>
using Crs = KokkosSparse::StaticCrsGraph<int, Kokkos::LayoutLeft,
                                         Kokkos::Device<Space, typename Space::memory_space>>;
#else
/// The members of a graph of Kokkos Kernels.
template <class Space>
struct Crs {
  Kokkos::View<int*, typename Space::memory_space> entries;
  Kokkos::View<std::size_t const*, typename Space::memory_space> row_map;
};
#endif

/// A graph in the memory of `Space`, with a row per vector.
template <class Space>
Crs<Space> crs_of(std::vector<std::vector<int>> const& rows) {
  std::size_t total = 0;
  for (auto const& row : rows) {
    total += row.size();
  }
  Kokkos::View<std::size_t*, typename Space::memory_space> const row_map("row_map",
                                                                         rows.size() + 1);
  Kokkos::View<int*, typename Space::memory_space> const entries("entries", total);
  auto const host_map = Kokkos::create_mirror_view(row_map);
  auto const host_entries = Kokkos::create_mirror_view(entries);
  std::size_t next = 0;
  for (std::size_t v = 0; v < rows.size(); ++v) {
    host_map(v) = next;
    for (int const other : rows[v]) {
      host_entries(next++) = other;
    }
  }
  host_map(rows.size()) = next;
  Kokkos::deep_copy(row_map, host_map);
  Kokkos::deep_copy(entries, host_entries);
  Crs<Space> crs;
  crs.entries = entries;
  crs.row_map = row_map;
  return crs;
}

template <class Space>
Crs<Space> crs_of(taper::testing::SmallGraph const& small) {
  std::vector<std::vector<int>> rows(small.size());
  for (std::size_t u = 0; u < small.size(); ++u) {
    for (std::size_t v = small.size(); v-- > 0;) {  // rows need no order
      if (taper::testing::has_edge(small, u, v)) {
        rows[u].push_back(static_cast<int>(v));
      }
    }
  }
  return crs_of<Space>(rows);
}

template <class Space>
struct CrsGraphs : ::testing::Test {};
TYPED_TEST_SUITE(CrsGraphs, taper::testing::Backends, taper::testing::BackendNames);

TYPED_TEST(CrsGraphs, HaveTheMinimumCoversOfTheOracle) {
  TypeParam const where;
  std::mt19937_64 random(5);
  for (int repeat = 0; repeat < 50 && !this->HasFailure(); ++repeat) {
    auto const small = taper::testing::random_graph(24, random);
    auto const crs = crs_of<TypeParam>(small);
    Kokkos::View<std::uint8_t*, typename TypeParam::memory_space> const in_cover("in_cover",
                                                                                 small.size());
    Report const report = solve(where, crs, in_cover);
    EXPECT_EQ(report.status, taper::Status::solved);
    EXPECT_EQ(report.cover_size, taper::testing::minimum_size(small));
    auto const flags = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, in_cover);
    std::uint32_t cover = 0;
    for (std::size_t v = 0; v < small.size(); ++v) {
      cover |= std::uint32_t{flags(v)} << v;
    }
    EXPECT_TRUE(taper::testing::is_cover(small, cover));
    EXPECT_EQ(static_cast<std::uint64_t>(std::popcount(cover)), report.cover_size);
  }
}

TYPED_TEST(CrsGraphs, ShareTheirViews) {
  auto const crs = crs_of<TypeParam>({{1}, {0, 2}, {1}});
  auto const graph = graph_of(crs);
  EXPECT_EQ(graph.vertices(), 3u);
  EXPECT_EQ(graph.edges(), 2u);
  EXPECT_EQ(graph.offsets.data(), crs.row_map.data());
  EXPECT_EQ(graph.entries.data(), crs.entries.data());
  EXPECT_FALSE(find_fault(TypeParam{}, graph));
  EXPECT_EQ(graph_of(Crs<TypeParam>{}).vertices(), 0u);
}

TYPED_TEST(CrsGraphs, OfMatricesThatAreNoGraphsHaveFaults) {
  using Kind = Fault::Kind;
  auto const kind = [](std::vector<std::vector<int>> const& rows) {
    auto const fault = find_fault(TypeParam{}, graph_of(crs_of<TypeParam>(rows)));
    return fault ? fault->kind : Kind::offsets;
  };
  EXPECT_EQ(kind({{0, 1}, {0}}), Kind::loop) << "an entry on the diagonal";
  EXPECT_EQ(kind({{1}, {}}), Kind::one_way) << "an unsymmetric matrix";
  EXPECT_EQ(kind({{1}, {0, -1}}), Kind::out_of_range);
  EXPECT_EQ(kind({{2}, {0}}), Kind::out_of_range) << "more columns than rows";
}

}  // namespace
