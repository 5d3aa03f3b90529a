// SPDX-License-Identifier: Apache-2.0
#include <taper/rotations/rotations.hpp>

#include <rotations/markets.hpp>
#include <support/case_stride.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

// Invariants of markets that are too large for the definition.

namespace {

using namespace taper::rotations;
using taper::testing::case_stride;
using taper::testing::cyclic_market;
using taper::testing::Matching;
using taper::testing::opposed_market;
using taper::testing::prefers;
using taper::testing::random_table;
using taper::testing::TestMarket;
using taper::testing::thin;

/// The partner of each man after proposals by women, written apart from the library's.
Matching women_propose(TestMarket const& market) {
  Matching partner_of_man(market.men.size(), no_partner);
  std::vector<std::size_t> next(market.women.size(), 0);
  std::vector<std::size_t> free(market.women.size());
  for (std::size_t woman = 0; woman < free.size(); ++woman) {
    free[woman] = woman;
  }
  while (!free.empty()) {
    std::size_t const woman = free.back();
    auto const id = static_cast<std::int32_t>(woman);
    if (next[woman] == market.women[woman].size()) {
      free.pop_back();
      continue;
    }
    auto const man = static_cast<std::size_t>(market.women[woman][next[woman]++]);
    if (prefers(market.men[man], id, partner_of_man[man])) {
      free.pop_back();
      if (partner_of_man[man] != no_partner) {
        free.push_back(static_cast<std::size_t>(partner_of_man[man]));
      }
      partner_of_man[man] = id;
    }
  }
  return partner_of_man;
}

/// Every listed matching is stable and matches the same agents, and the ends of the lattice are the
/// two optimal matchings.
void expect_invariants(TestMarket const& market, std::size_t most) {
  RotationPoset const poset = find_rotations(market.view());
  auto const best = optimum(poset, {.objective = Objective::man_optimal}).partner_of_man;
  auto const worst = optimum(poset, {.objective = Objective::woman_optimal}).partner_of_man;
  EXPECT_EQ(worst, women_propose(market));
  std::size_t listed = 0;
  for_each_stable_matching(poset, [&](std::span<std::int32_t const> partner_of_man) {
    EXPECT_EQ(find_flaw(market.view(), partner_of_man), std::nullopt);
    for (std::size_t man = 0; man < best.size(); ++man) {
      EXPECT_EQ(partner_of_man[man] == no_partner, best[man] == no_partner);
      EXPECT_FALSE(prefers(market.men[man], partner_of_man[man], best[man]));
      EXPECT_FALSE(prefers(market.men[man], worst[man], partner_of_man[man]));
    }
    return ++listed < most;
  });
  for (Objective const objective :
       {Objective::egalitarian, Objective::minimum_regret, Objective::sex_equal}) {
    Optimum const found = optimum(poset, {.objective = objective});
    EXPECT_EQ(find_flaw(market.view(), found.partner_of_man), std::nullopt);
    for (std::int32_t const rotation : found.eliminated) {  // the set is closed
      for (std::int32_t const before : poset.predecessors.row(rotation)) {
        EXPECT_TRUE(std::ranges::binary_search(found.eliminated, before));
      }
    }
  }
}

TEST(LargeMarkets, CompleteAndUniform) {
  std::mt19937_64 random(31);
  for (std::size_t const n : {50u, 120u, 300u}) {
    expect_invariants({random_table(random, n, n), random_table(random, n, n)}, 200 / case_stride);
  }
}

TEST(LargeMarkets, IncompleteWithUnequalSides) {
  std::mt19937_64 random(32);
  for (std::size_t i = 0; i < 12; ++i) {
    auto men = random_table(random, 100 + 5 * i, 160 - 5 * i);
    auto women = random_table(random, 160 - 5 * i, 100 + 5 * i);
    thin(men, random, 0.3 + 0.05 * static_cast<double>(i));
    thin(women, random, 0.5);
    expect_invariants({men, women}, 50);
  }
}

TEST(LargeMarkets, WithManyRotations) {
  for (std::size_t const swaps : {0u, 1u, 10u, 60u}) {
    expect_invariants(cyclic_market(100, swaps, 33), 200 / case_stride);
  }
  expect_invariants(opposed_market(200, 34), 200 / case_stride);
}

}  // namespace
