// SPDX-License-Identifier: Apache-2.0
#include <taper/preferences/list_similarity.hpp>
#include <taper/stable_marriage/generate.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace {

namespace sm = taper::stable_marriage;

sm::Table<std::uint16_t, Kokkos::HostSpace> lists_of(sm::Workload const& workload) {
  using Lists = sm::Table<std::uint16_t, Kokkos::HostSpace>;
  Lists const men("test::men", workload.n, workload.n);
  Lists const women("test::women", workload.n, workload.n);
  sm::generate(Kokkos::DefaultHostExecutionSpace{}, workload, men, women);
  return men;
}

bool are_similar(sm::Workload const& workload) {
  sm::ConstTable<std::uint16_t, Kokkos::HostSpace> const lists = lists_of(workload);
  return taper::preferences::are_similar(Kokkos::DefaultHostExecutionSpace{}, taper::rows_of(lists),
                                         workload.n, workload.n);
}

TEST(ListSimilarity, NeedsTheSameFewCandidatesAtTheSamePositions) {
  EXPECT_TRUE(are_similar({.family = sm::Family::congested, .n = 1000}));
  EXPECT_TRUE(are_similar({.family = sm::Family::random, .n = 1000, .group_size = 5}));
  EXPECT_FALSE(are_similar({.family = sm::Family::random, .n = 1000, .group_size = 100}));
  EXPECT_FALSE(are_similar({.family = sm::Family::uniform, .n = 1000}));
  EXPECT_FALSE(are_similar({.family = sm::Family::correlated, .n = 1000, .strength = 0.5}));
  EXPECT_TRUE(are_similar({.family = sm::Family::random, .n = 256, .group_size = 2}));
  EXPECT_FALSE(are_similar({.family = sm::Family::uniform, .n = 256}));
  EXPECT_FALSE(are_similar({.family = sm::Family::congested, .n = 255}))
      << "the sample is too small";
}

/// Lists in the memory of an execution space: of all persons, and of a shard with some of them.
TEST(ListSimilarity, IsTheSameInTheMemoryOfADevice) {
  using Space = Kokkos::DefaultExecutionSpace;
  using Lists = sm::Table<std::uint16_t, Space::memory_space>;
  Space const space;
  constexpr std::size_t n = 1000;
  for (bool const similar : {false, true}) {
    Lists const men("test::men", n, n);
    Lists const women("test::women", n, n);
    sm::Family const family = similar ? sm::Family::congested : sm::Family::correlated;
    sm::generate(space, {.family = family, .n = n, .strength = 0.9}, men, women);
    sm::ConstTable<std::uint16_t, Space::memory_space> const lists = men;
    for (std::size_t const people : {n, n / 3, std::size_t{1}}) {
      bool const expected = similar || people == 1;  // one list is similar to itself
      EXPECT_EQ(taper::preferences::are_similar(space, taper::rows_of(lists), people, n), expected)
          << people;
    }
    EXPECT_FALSE(taper::preferences::are_similar(space, taper::rows_of(lists), 0, n));
  }
}

/// Neighbouring lists name the same candidates, one position further: each window has all kinds.
TEST(ListSimilarity, AllowsTwiceAsManyCandidatesAsPositions) {
  for (std::size_t const kinds : {31u, 32u, 33u}) {
    EXPECT_EQ(taper::preferences::are_similar(1000,
                                              [&](std::size_t person, std::size_t position) {
                                                return (person / 30 + position) % kinds;
                                              }),
              kinds <= 32)
        << kinds;
  }
}

/// Lists that differ in one range of positions are not similar, wherever the range is.
TEST(ListSimilarity, TestsTheWholeList) {
  constexpr std::size_t n = 1000;
  for (std::size_t const from : {std::size_t{0}, n / 2, n - n / 4}) {
    auto const lists = lists_of({.family = sm::Family::congested, .n = n});
    for (std::size_t man = 0; man < n; ++man) {
      for (std::size_t k = 0; k < n / 4; ++k) {
        std::swap(lists(man, from + k), lists(man, from + (k * 37 + man) % (n / 4)));
      }
    }
    sm::ConstTable<std::uint16_t, Kokkos::HostSpace> const view = lists;
    EXPECT_FALSE(taper::preferences::are_similar(Kokkos::DefaultHostExecutionSpace{},
                                                 taper::rows_of(view), n, n))
        << "from " << from;
  }
}

}  // namespace
