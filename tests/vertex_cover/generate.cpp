// SPDX-License-Identifier: Apache-2.0
#include <taper/vertex_cover/generate.hpp>

#include <taper/vertex_cover/branch_and_reduce/branch_and_reduce.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

using namespace taper::vertex_cover;

constexpr Family families[] = {
    Family::gnp,  Family::random_regular, Family::geometric,      Family::power_law,
    Family::grid, Family::planted_cover,  Family::many_components};

TEST(Generate, GraphsAreSimpleWithTheRequestedSizeAndDegree) {
  for (Family const family : families) {
    SCOPED_TRACE(to_string(family));
    EXPECT_EQ(parse<Family>(to_string(family)), family);
    for (std::size_t const n :
         {std::size_t{0}, std::size_t{1}, std::size_t{8}, std::size_t{4000}}) {
      double const degree = n < 8 ? 0 : 6;
      Workload const workload{family, n, 3, degree, n / 3, 20};
      auto const graph = generate(workload);
      EXPECT_EQ(graph.vertices(), n);
      EXPECT_FALSE(find_fault(graph));
      EXPECT_EQ(graph, generate(workload));
      if (n == 4000) {
        double const mean = 2.0 * static_cast<double>(graph.edges()) / static_cast<double>(n);
        EXPECT_NEAR(mean, family == Family::grid ? 4 : 6, 0.25);
        auto other = workload;
        other.seed = 4;
        EXPECT_EQ(graph == generate(other), family == Family::grid);
      }
    }
  }
}

TEST(Generate, GnpPairsAreEquallyLikely) {
  // 45 pairs of 10 vertices, 4,000 graphs, probability 1/3: each count within six standard
  // deviations.
  std::vector<int> counts(100, 0);
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    auto const graph = generate({Family::gnp, 10, seed, 3});
    for (Vertex v = 0; v < 10; ++v) {
      for (Vertex const u : graph.neighbours(v)) {
        ++counts[10 * v + u];
      }
    }
  }
  for (Vertex v = 0; v < 10; ++v) {
    for (Vertex u = 0; u < v; ++u) {
      EXPECT_NEAR(counts[10 * v + u], 4000.0 / 3, 6 * 30);
    }
  }
  EXPECT_EQ(generate({Family::gnp, 30, 1, 29}).edges(), 435u);
}

TEST(Generate, RegularGraphsAreRegular) {
  for (std::size_t const n : {4u, 5u, 6u, 7u, 20u, 101u}) {
    for (std::size_t degree = 0; degree < n; ++degree) {
      if (n * degree % 2 != 0) {
        continue;
      }
      for (std::uint64_t seed = 1; seed < 4; ++seed) {
        auto const graph = generate({Family::random_regular, n, seed, static_cast<double>(degree)});
        for (Vertex v = 0; v < n; ++v) {
          ASSERT_EQ(graph.degree(v), degree);
        }
        ASSERT_FALSE(find_fault(graph));
      }
    }
  }
}

TEST(Generate, PlantedCoversAreMinimum) {
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    Workload const workload{Family::planted_cover, 200, seed, 5, 60};
    std::vector<std::uint8_t> in_cover(200);
    EXPECT_EQ(branch_and_reduce::solve(generate(workload), in_cover, {}).cover_size, 60u);
  }
}

TEST(Generate, ComponentsAreDisjoint) {
  auto const graph = generate({Family::many_components, 103, 1, 4, 0, 10});
  for (Vertex v = 0; v < 103; ++v) {
    for (Vertex const u : graph.neighbours(v)) {
      EXPECT_EQ(u / 10, v / 10);
    }
  }
}

TEST(Generate, ImpossibleParametersAreErrors) {
  EXPECT_THROW(generate({Family::random_regular, 5, 1, 3}), taper::Error)
      << "degree and n are both odd";
  EXPECT_THROW(generate({Family::random_regular, 6, 1, 6}), taper::Error) << "degree not below n";
  EXPECT_THROW(generate({Family::random_regular, 6, 1, 2.5}), taper::Error);
  EXPECT_THROW(generate({Family::gnp, 6, 1, -1}), taper::Error);
  EXPECT_THROW(generate({Family::planted_cover, 6, 1, 2, 4}), taper::Error);
  EXPECT_THROW(generate({Family::many_components, 6, 1, 2, 0, 0}), taper::Error);
  EXPECT_THROW(generate({Family::gnp, std::size_t{1} << 32, 1, 1}), taper::Error);
}

}  // namespace
