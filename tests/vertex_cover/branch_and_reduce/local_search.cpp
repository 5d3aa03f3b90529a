// SPDX-License-Identifier: Apache-2.0
#include <taper/vertex_cover/branch_and_reduce/local_search.hpp>

#include <support/graph_oracles.hpp>
#include <vertex_cover/interrupts.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace {

using namespace taper::vertex_cover;
using namespace taper::vertex_cover::branch_and_reduce;
using taper::testing::is_cover;
using taper::testing::minimum_size;
using taper::testing::random_graph;
using taper::testing::to_bits;
using taper::testing::to_host_graph;

TEST(LocalSearch, FindsCoversAndMinimaOfSmallGraphs) {
  std::mt19937_64 random(41);
  for (int repeat = 0; repeat < 2000 && !HasFailure(); ++repeat) {
    auto const graph = random_graph(20, random);
    auto const minimum = minimum_size(graph);
    auto const host = to_host_graph(graph);
    LocalSearch search(host, taper::testing::never);
    for (int part = 0; part < 4; ++part) {
      auto const bits = to_bits(search.cover());
      EXPECT_TRUE(is_cover(graph, bits));
      EXPECT_EQ(static_cast<unsigned>(std::popcount(bits)), search.cover_size());
      EXPECT_GE(search.cover_size(), minimum);
      search.run(2000, minimum);
    }
    EXPECT_EQ(search.cover_size(), minimum);
  }
}

TEST(LocalSearch, StartsFromACoverAndRepairsWhatIsNone) {
  std::mt19937_64 random(43);
  for (int repeat = 0; repeat < 500 && !HasFailure(); ++repeat) {
    auto const graph = random_graph(20, random);
    auto const host = to_host_graph(graph);
    auto const minimum = taper::testing::minimum_cover(graph);
    std::vector<std::uint8_t> first(graph.size());
    for (std::size_t v = 0; v < graph.size(); ++v) {
      first[v] = minimum >> v & 1;
    }
    EXPECT_EQ(LocalSearch(host, taper::testing::never, first).cover_size(), minimum_size(graph));
    for (auto& mark : first) {
      mark = random() % 2;
    }
    EXPECT_TRUE(is_cover(graph, to_bits(LocalSearch(host, taper::testing::never, first).cover())));
  }
}

TEST(LocalSearch, StopsAtAnInterrupt) {
  taper::testing::Stopped stopped;
  std::mt19937_64 random(42);
  auto const host = to_host_graph(random_graph(30, 0.3, random));
  LocalSearch search(host, stopped.interrupt);
  search.run(~std::uint64_t{0} >> 1, 0);
  EXPECT_LE(search.cover_size(), 30u);
}

}  // namespace
