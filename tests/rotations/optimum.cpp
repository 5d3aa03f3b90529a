// SPDX-License-Identifier: Apache-2.0
#include <taper/rotations/rotations.hpp>

#include <rotations/markets.hpp>
#include <support/case_stride.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <span>
#include <stdexcept>
#include <vector>

namespace {

using namespace taper::rotations;
using taper::testing::case_stride;
using taper::testing::cyclic_market;
using taper::testing::for_random_markets;
using taper::testing::irving_leather_market;
using taper::testing::Matching;
using taper::testing::opposed_market;
using taper::testing::TestMarket;

Costs expected_costs(TestMarket const& market, Matching const& partner_of_man) {
  Costs costs;
  for (std::size_t i = 0; i < partner_of_man.size(); ++i) {
    if (partner_of_man[i] != no_partner) {
      auto const man = static_cast<std::int32_t>(i);
      auto const man_rank = market.man_rank(man, partner_of_man[i]);
      auto const woman_rank = market.woman_rank(partner_of_man[i], man);
      costs.men_ranks += man_rank;
      costs.women_ranks += woman_rank;
      costs.regret = std::max({costs.regret, man_rank, woman_rank});
      ++costs.pairs;
    }
  }
  costs.egalitarian = costs.men_ranks + costs.women_ranks;
  costs.sex_equality = std::abs(costs.men_ranks - costs.women_ranks);
  return costs;
}

std::int64_t value_of(Costs const& costs, Objective objective) {
  switch (objective) {
  case Objective::man_optimal:
    return costs.men_ranks;
  case Objective::woman_optimal:
    return costs.women_ranks;
  case Objective::egalitarian:
    return costs.egalitarian;
  case Objective::minimum_regret:
    return costs.regret;
  case Objective::sex_equal:
    break;
  }
  return costs.sex_equality;
}

/// Every man likes the first matching at least as much as the second.
bool men_prefer(TestMarket const& market, Matching const& first, Matching const& second) {
  for (std::size_t man = 0; man < first.size(); ++man) {
    if (taper::testing::prefers(market.men[man], second[man], first[man])) {
      return false;
    }
  }
  return true;
}

/// Compares with the least value over all stable matchings by the definition.
void expect_optimum(TestMarket const& market, Objective objective) {
  auto const all = market.stable_matchings();
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (auto const& matching : all) {
    least = std::min(least, value_of(expected_costs(market, matching), objective));
  }
  RotationPoset const poset = find_rotations(market.view());
  Optimum const found = optimum(poset, {.objective = objective});
  ASSERT_TRUE(std::ranges::binary_search(all, found.partner_of_man));
  Costs const costs = costs_of(poset, found.partner_of_man);
  EXPECT_EQ(costs, expected_costs(market, found.partner_of_man));
  EXPECT_EQ(value_of(costs, objective), least) << to_string(objective);
  EXPECT_EQ(found.value, least) << to_string(objective);
  EXPECT_TRUE(found.proved);
  if (objective == Objective::egalitarian || objective == Objective::minimum_regret) {
    for (auto const& matching : all) {
      if (value_of(expected_costs(market, matching), objective) == least) {
        EXPECT_TRUE(men_prefer(market, found.partner_of_man, matching)) << to_string(objective);
      }
    }
  }
}

void expect_optima(TestMarket const& market) {
  for (Objective const objective :
       {Objective::man_optimal, Objective::woman_optimal, Objective::egalitarian,
        Objective::minimum_regret, Objective::sex_equal}) {
    expect_optimum(market, objective);
  }
}

TEST(Optimum, OfRandomMarkets) {
  for_random_markets(2000 / case_stride, 5, 11, expect_optima);
  for_random_markets(100 / case_stride, 6, 12, expect_optima);
}

TEST(Optimum, OfMarketsWithManyStableMatchings) {
  for (std::uint64_t seed = 0; seed < 60; seed += case_stride) {
    expect_optima(cyclic_market(3 + seed % 5, 1 + seed % 3, seed));
  }
}

TEST(Optimum, OfTheEmptyMarket) {
  TestMarket const market({}, {});
  expect_optima(market);
  expect_optima({{{}, {}}, {}});
  expect_optima({{{0}}, {{}}});
}

/// The least value over the matchings that are listed. Lists are checked in enumerate.cpp.
template <class Value>
std::int64_t least_listed(RotationPoset const& poset, Value const& value) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for_each_stable_matching(poset, [&](std::span<std::int32_t const> partner_of_man) {
    least = std::min(least, value(partner_of_man));
    return true;
  });
  return least;
}

TEST(Optimum, IsTheLeastOfAllListedMatchings) {
  for (std::uint64_t seed = 0; seed < 40; seed += case_stride) {
    TestMarket const market = opposed_market(10 + seed, seed);
    RotationPoset const poset = find_rotations(market.view());
    for (Objective const objective :
         {Objective::egalitarian, Objective::minimum_regret, Objective::sex_equal}) {
      auto const least = least_listed(poset, [&](std::span<std::int32_t const> partner_of_man) {
        return value_of(costs_of(poset, partner_of_man), objective);
      });
      EXPECT_EQ(optimum(poset, {.objective = objective}).value, least) << to_string(objective);
    }
  }
}

/// Compares with the least sum over all listed matchings, for random weights.
void expect_minimum_weight(TestMarket const& market, std::uint64_t seed) {
  RotationPoset const poset = find_rotations(market.view());
  std::size_t const n = market.men.size();
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<std::int64_t> range(-20, 20);
  std::vector<std::int64_t> table(n * n);
  std::ranges::generate(table, [&] { return range(random); });
  auto const sum = [&](std::span<std::int32_t const> partner_of_man) {
    std::int64_t total = 0;
    for (std::size_t man = 0; man < n; ++man) {
      total += table[man * n + static_cast<std::size_t>(partner_of_man[man])];
    }
    return total;
  };
  Optimum const found = minimum_weight(poset, [&](StablePair const& pair) {
    return table[static_cast<std::size_t>(pair.man) * n + static_cast<std::size_t>(pair.woman)];
  });
  EXPECT_EQ(sum(found.partner_of_man), found.value);
  EXPECT_EQ(found.value, least_listed(poset, sum));
  EXPECT_TRUE(market.is_stable(found.partner_of_man));
}

TEST(MinimumWeight, OfRandomWeights) {
  for (std::uint64_t seed = 0; seed < 300; seed += case_stride) {
    expect_minimum_weight(opposed_market(4 + seed % 20, seed), seed);
  }
}

TEST(MinimumWeight, OfRandomWeightsWithAllPairsStable) {
  for (std::uint64_t seed = 0; seed < 100; seed += case_stride) {
    expect_minimum_weight(irving_leather_market(8), seed);
  }
  for (std::uint64_t seed = 0; seed < 5; seed += case_stride) {
    expect_minimum_weight(irving_leather_market(16), seed);
  }
}

TEST(MinimumWeight, RefusesSumsThatDoNotFit) {
  RotationPoset const poset = find_rotations(cyclic_market(4, 0, 0).view());
  auto const constant = [](std::int64_t weight) {
    return [weight](StablePair const&) { return weight; };
  };
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(minimum_weight(poset, constant(most / 4)).value, most / 4 * 4);
  EXPECT_THROW(minimum_weight(poset, constant(most / 4 + 1)), std::overflow_error);
  EXPECT_THROW(minimum_weight(poset, constant(-most - 1)), std::overflow_error);
  EXPECT_THROW(
      minimum_weight(
          poset, [](StablePair const& pair) { return pair.man_rank == 1 ? most / 3 : -most / 5; }),
      std::overflow_error);
}

TEST(SexEqual, SaysThatItsLimitWasReached) {
  RotationPoset const poset = find_rotations(opposed_market(30, 1).view());
  Optimum const proved = optimum(poset, {.objective = Objective::sex_equal});
  ASSERT_GT(proved.visited, 2u);
  Optimum const early = optimum(poset, {.objective = Objective::sex_equal, .visit_limit = 1});
  EXPECT_TRUE(proved.proved);
  EXPECT_FALSE(early.proved);
  EXPECT_EQ(early.visited, 1u);
  EXPECT_GE(early.value, proved.value);
  EXPECT_EQ(costs_of(poset, early.partner_of_man).sex_equality, early.value);
  std::atomic<bool> const stop = true;
  Optimum const stopped = optimum(poset, {.objective = Objective::sex_equal, .stop = &stop});
  EXPECT_FALSE(stopped.proved);
  EXPECT_EQ(stopped.visited, 0u);
}

}  // namespace
