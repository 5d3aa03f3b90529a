// SPDX-License-Identifier: Apache-2.0
#include <taper/copy_entries.hpp>
#include <taper/vertex_cover/vertex_cover.hpp>

#include <taper/vertex_cover/branch_and_reduce/branch_and_reduce.hpp>
#include <taper/vertex_cover/generate.hpp>
#include <taper/vertex_cover/verify.hpp>

#include <support/backends.hpp>
#include <support/error_message.hpp>
#include <support/graph_oracles.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace {

using namespace taper::vertex_cover;

template <class Space>
struct Solve : ::testing::Test {};
TYPED_TEST_SUITE(Solve, taper::testing::Backends, taper::testing::BackendNames);

template <class Space>
using Flags = Kokkos::View<std::uint8_t*, typename Space::memory_space>;

TYPED_TEST(Solve, FindsMinimumCoversAndAnswersK) {
  TypeParam const where;
  std::mt19937_64 random(71);
  for (int repeat = 0; repeat < 100 && !this->HasFailure(); ++repeat) {
    auto const small = taper::testing::random_graph(24, random);
    auto const minimum = taper::testing::minimum_size(small);
    auto const graph = to_views(where, taper::testing::to_host_graph(small));
    Flags<TypeParam> const in_cover("taper::testing::cover", small.size());
    for (std::int64_t const k : {std::int64_t{-1}, static_cast<std::int64_t>(minimum)}) {
      Kokkos::deep_copy(in_cover, 7);
      Options options;
      options.k = k;
      Report const report = solve(where, graph, in_cover, options);
      EXPECT_EQ(report.status, taper::Status::solved);
      EXPECT_TRUE(report.found);
      EXPECT_EQ(report.cover_size, minimum);
      EXPECT_EQ(count_uncovered(where, graph, in_cover), 0u);
      EXPECT_EQ(cover_size(where, in_cover), minimum);
    }
  }
}

TYPED_TEST(Solve, AllHostThreadsFindTheSameMinimumOfDenseGraphs) {
  TypeParam const where;
  for (std::uint64_t seed = 1; seed <= 5 && !this->HasFailure(); ++seed) {
    auto const host = generate({Family::gnp, 90, seed, 25});
    std::vector<std::uint8_t> serial_cover(host.vertices());
    auto const minimum = branch_and_reduce::solve(host, serial_cover, {}).cover_size;
    auto const graph = to_views(where, host);
    Flags<TypeParam> const in_cover("taper::testing::cover", host.vertices());
    Report const report = solve(where, graph, in_cover);
    EXPECT_EQ(report.status, taper::Status::solved);
    EXPECT_EQ(report.cover_size, minimum);
    EXPECT_EQ(count_uncovered(where, graph, in_cover), 0u);
    EXPECT_EQ(cover_size(where, in_cover), minimum);
  }
}

/// Graphs of other programs: 32-bit signed integers, and every second entry of a longer cover.
TYPED_TEST(Solve, TakesViewsOfOtherTypes) {
  using Memory = typename TypeParam::memory_space;
  TypeParam const where;
  auto const host = generate({Family::gnp, 40, 3, 5});
  auto const minimum = [&] {
    std::vector<std::uint8_t> cover(host.vertices());
    return branch_and_reduce::solve(host, cover, {}).cover_size;
  }();
  auto const graph = to_views(where, host);
  Kokkos::View<int*, Memory> const offsets("taper::testing::offsets", graph.offsets.extent(0));
  Kokkos::View<int*, Memory> const entries("taper::testing::entries", graph.entries.extent(0));
  taper::copy_entries(where, "taper::testing::offsets", graph.offsets, offsets);
  taper::copy_entries(where, "taper::testing::entries", graph.entries, entries);
  Graph const other{Kokkos::View<int const*, Memory>(offsets),
                    Kokkos::View<int const*, Memory>(entries)};
  Kokkos::View<std::uint8_t*, Memory> const pairs("taper::testing::pairs", 80);
  for (Mode const mode : {Mode::taper, Mode::component_search, Mode::published, Mode::yamout}) {
    Kokkos::deep_copy(where, pairs, 7);
    Kokkos::View<std::uint8_t*, Kokkos::LayoutStride, Memory> const in_cover(
        pairs.data(), Kokkos::LayoutStride(40, 2));
    Options options;
    options.mode = mode;
    Report const report = solve(where, other, in_cover, options);
    EXPECT_EQ(report.cover_size, minimum);
    EXPECT_EQ(count_uncovered(where, graph, in_cover), 0u);
    EXPECT_EQ(cover_size(where, in_cover), minimum);
    auto const here = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), pairs);
    for (std::size_t i = 1; i < 80; i += 2) {
      EXPECT_EQ(here(i), 7) << "an entry that is not the cover's";
    }
  }
}

TYPED_TEST(Solve, ExtentsMustAgree) {
  TypeParam const where;
  auto const graph = to_views(where, make_graph(3, std::vector<Edge>{{0, 1}}).graph);
  Flags<TypeParam> const two("taper::testing::cover", 2);
  EXPECT_EQ(taper::testing::message_of([&] { solve(where, graph, two); }),
            "taper::vertex_cover::solve: in_cover has 2 entries, the graph has 3 vertices");
  Flags<TypeParam> const empty("taper::testing::cover", 0);
  EXPECT_EQ(solve(where, to_views(where, HostGraph{}), empty).cover_size, 0u);
}

TYPED_TEST(Solve, StartsFromACoverAlone) {
  TypeParam const where;
  auto const graph = to_views(where, make_graph(3, std::vector<Edge>{{0, 1}, {1, 2}}).graph);
  Flags<TypeParam> const in_cover("taper::testing::cover", 3);
  auto const message = [&](std::vector<std::uint8_t> const& start, Mode mode = Mode::taper) {
    Options options;
    options.mode = mode;
    options.start = start;
    return taper::testing::message_of([&] { solve(where, graph, in_cover, options); });
  };
  EXPECT_EQ(message({1, 0, 1}), "no taper::Error was thrown");
  EXPECT_EQ(cover_size(where, in_cover), 1u);
  EXPECT_EQ(message({1, 0, 0}),
            "taper::vertex_cover::solve: Options::start is no cover: it misses the edge 1 - 2");
  EXPECT_EQ(message({1, 1}),
            "taper::vertex_cover::solve: Options::start has 2 entries, the graph has 3 vertices");
  EXPECT_EQ(message({1, 1, 1}, Mode::published),
            "taper::vertex_cover::solve: only Mode::taper has Options::start");
}

TEST(Options, EnumNamesParseBack) {
  EXPECT_EQ(to_string(Mode::taper), "taper");
  for (Mode const mode : {Mode::taper, Mode::component_search, Mode::published, Mode::yamout}) {
    EXPECT_EQ(parse<Mode>(to_string(mode)), mode);
  }
  EXPECT_EQ(parse<Mode>("paper"), std::nullopt);
  EXPECT_EQ(parse<DegreeBits>("8"), DegreeBits::bits_8);
  for (Balance const balance : {Balance::none, Balance::worklist, Balance::steal}) {
    EXPECT_EQ(parse<Balance>(to_string(balance)), balance);
  }
  EXPECT_EQ(names<Balance>().size(), 3u);
}

}  // namespace
