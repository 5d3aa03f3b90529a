// SPDX-License-Identifier: Apache-2.0
#include <taper/vertex_cover/vertex_cover.hpp>

#include <taper/vertex_cover/generate.hpp>
#include <taper/vertex_cover/verify.hpp>

#include <support/backends.hpp>
#include <support/graph_oracles.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace taper::vertex_cover;

template <class Space>
struct Solve : ::testing::Test {};
TYPED_TEST_SUITE(Solve, taper::testing::Backends, taper::testing::BackendNames);

template <class Space>
using Flags = Kokkos::View<std::uint8_t*, typename Space::memory_space>;

TYPED_TEST(Solve, CoversTheGraphOfTheCaller) {
  TypeParam const where;
  std::mt19937_64 random(71);
  for (int repeat = 0; repeat < 100 && !this->HasFailure(); ++repeat) {
    auto const small = taper::testing::random_graph(24, random);
    auto const minimum =
        static_cast<std::uint64_t>(std::popcount(taper::testing::minimum_cover(small)));
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

TYPED_TEST(Solve, WorkersShareDenseKernels) {
  TypeParam const where;
  for (std::uint64_t seed = 1; seed <= 5 && !this->HasFailure(); ++seed) {
    auto const host = generate({Family::gnp, 90, seed, 25});
    std::vector<std::uint8_t> alone(host.vertices());
    auto const minimum = standard::solve(host, alone, {}).cover_size;
    auto const graph = to_views(where, host);
    Flags<TypeParam> const in_cover("taper::testing::cover", host.vertices());
    Report const report = solve(where, graph, in_cover);
    EXPECT_EQ(report.status, taper::Status::solved);
    EXPECT_EQ(report.cover_size, minimum);
    EXPECT_EQ(count_uncovered(where, graph, in_cover), 0u);
    EXPECT_EQ(cover_size(where, in_cover), minimum);
  }
}

TYPED_TEST(Solve, ArgumentsMustFit) {
  TypeParam const where;
  auto const graph = to_views(where, make_graph(3, std::vector<Edge>{{0, 1}}).graph);
  try {
    solve(where, graph, Flags<TypeParam>("taper::testing::cover", 2));
    FAIL() << "no exception";
  } catch (taper::Error const& error) {
    EXPECT_EQ(std::string(error.what()),
              "taper::vertex_cover::solve: in_cover has 2 entries, the graph has 3 vertices");
  }
  Flags<TypeParam> const nothing("taper::testing::cover", 0);
  EXPECT_EQ(solve(where, to_views(where, HostGraph{}), nothing).cover_size, 0u);
}

TEST(Options, SpellingsComeBack) {
  EXPECT_EQ(to_string(Mode::standard), "default");
  EXPECT_EQ(parse<Mode>("default"), Mode::standard);
  EXPECT_EQ(parse<Mode>("paper"), Mode::paper);
  EXPECT_EQ(parse<Mode>("standard"), std::nullopt);
  for (Balance const balance : {Balance::none, Balance::worklist, Balance::steal}) {
    EXPECT_EQ(parse<Balance>(to_string(balance)), balance);
  }
  EXPECT_EQ(names<Balance>().size(), 3u);
}

}  // namespace
