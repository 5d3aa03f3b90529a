// SPDX-License-Identifier: Apache-2.0
#include <taper/rotations/rotations.hpp>

#include <rotations/markets.hpp>
#include <support/case_stride.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace {

using namespace taper::rotations;
using taper::testing::case_stride;
using taper::testing::cyclic_market;
using taper::testing::for_random_markets;
using taper::testing::irving_leather_market;
using taper::testing::ListTable;
using taper::testing::Matching;
using taper::testing::opposed_market;
using taper::testing::TestMarket;

std::vector<Matching> listed(RotationPoset const& poset) {
  std::vector<Matching> result;
  for_each_stable_matching(poset, [&](std::span<std::int32_t const> partner_of_man) {
    result.emplace_back(partner_of_man.begin(), partner_of_man.end());
    return true;
  });
  return result;
}

/// The market has exactly the stable matchings that its definition gives.
void expect_all_found(TestMarket const& market) {
  ASSERT_FALSE(find_fault(market.view()));
  auto const expected = market.stable_matchings();
  RotationPoset const poset = find_rotations(market.view());
  auto found = listed(poset);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front(), optimum(poset, {.objective = Objective::man_optimal}).partner_of_man);
  std::ranges::sort(found);
  EXPECT_EQ(found, expected);
  EXPECT_EQ(count_stable_matchings(poset),
            (Count{expected.size(), true, count_stable_matchings(poset).visited}));
}

/// All stable pairs are there, with their ranks, and each man's in his order.
void expect_stable_pairs(TestMarket const& market) {
  std::set<std::pair<std::int32_t, std::int32_t>> expected;
  for (auto const& matching : market.stable_matchings()) {
    for (std::size_t man = 0; man < matching.size(); ++man) {
      if (matching[man] != no_partner) {
        expected.emplace(static_cast<std::int32_t>(man), matching[man]);
      }
    }
  }
  RotationPoset const poset = find_rotations(market.view());
  std::set<std::pair<std::int32_t, std::int32_t>> found;
  for (StablePair const& pair : poset.pairs) {
    found.emplace(pair.man, pair.woman);
    EXPECT_EQ(pair.man_rank, market.man_rank(pair.man, pair.woman));
    EXPECT_EQ(pair.woman_rank, market.woman_rank(pair.woman, pair.man));
  }
  EXPECT_EQ(found, expected);
  EXPECT_EQ(found.size(), poset.pairs.size());
}

TEST(AllStableMatchings, OfEveryCompleteMarketOfThree) {
  std::vector<std::int32_t> list{0, 1, 2};
  ListTable orders;
  do {
    orders.push_back(list);
  } while (std::ranges::next_permutation(list).found);
  for (std::size_t i = 0; i < 6 * 6 * 6 * 6 * 6; i += case_stride) {
    // By symmetry the first man may have the first order.
    expect_all_found({{orders[0], orders[i % 6], orders[i / 6 % 6]},
                      {orders[i / 36 % 6], orders[i / 216 % 6], orders[i / 1296]}});
  }
}

TEST(AllStableMatchings, OfEveryIncompleteMarketOfTwoMenAndThreeWomen) {
  ListTable const women_lists{{}, {0}, {1}, {0, 1}, {1, 0}};
  ListTable const men_lists{{},        {1},       {0, 2},    {2, 1},    {0, 1, 2},
                            {2, 1, 0}, {1, 2, 0}, {1, 0, 2}, {0, 2, 1}, {2, 0, 1}};
  for (std::size_t i = 0; i < 10 * 10 * 125; i += case_stride) {
    expect_all_found({{men_lists[i % 10], men_lists[i / 10 % 10]},
                      {women_lists[i / 100 % 5], women_lists[i / 500 % 5], women_lists[i / 2500]}});
  }
}

TEST(AllStableMatchings, OfRandomMarkets) {
  for_random_markets(3000 / case_stride, 5, 1, expect_all_found);
  for_random_markets(200 / case_stride, 6, 2, expect_all_found);
}

TEST(AllStableMatchings, HaveThePairsOfThePoset) {
  for_random_markets(1000 / case_stride, 5, 3, expect_stable_pairs);
}

TEST(AllStableMatchings, OneSidedEntriesAreDroppedAndCounted) {
  TestMarket const market({{0, 1}, {1}}, {{0}, {1}, {0}});
  RotationPoset const poset = find_rotations(market.view());
  EXPECT_EQ(poset.one_sided, 2);  // man 0 lists woman 1, and woman 2 lists man 0
  EXPECT_EQ(listed(poset), (std::vector<Matching>{{0, 1}}));
}

TEST(AllStableMatchings, EdgesLeadFromLowerToHigherRotations) {
  for_random_markets(300, 12, 4, [](TestMarket const& market) {
    RotationPoset const poset = find_rotations(market.view());
    std::size_t edges = 0;
    for (std::int32_t rotation = 0; rotation < poset.rotations(); ++rotation) {
      auto const before = poset.predecessors.row(rotation);
      std::set<std::int32_t> const different(before.begin(), before.end());
      EXPECT_EQ(different.size(), before.size());
      for (std::int32_t const other : before) {
        EXPECT_LT(other, rotation);
        EXPECT_TRUE(std::ranges::binary_search(poset.successors.row(other), rotation));
        ++edges;
      }
    }
    EXPECT_EQ(edges, poset.successors.entries.size());
  });
}

TEST(AllStableMatchings, ComeInLexicographicOrderOfTheirRotations) {
  RotationPoset const poset = find_rotations(irving_leather_market(8).view());
  std::vector<std::int32_t> last;
  std::size_t sets = 0;
  detail::ClosedSets closed(poset);
  closed.visit(
      detail::minimal_rotations(poset),
      [&](std::int32_t rotation) {
        auto set = closed.members();
        set.push_back(rotation);
        EXPECT_LT(last, set);
        EXPECT_TRUE(std::ranges::is_sorted(set));
        last = set;
        ++sets;
        return detail::Visit::children;
      },
      [](std::int32_t) {});
  EXPECT_EQ(sets + 1, listed(poset).size());
  EXPECT_EQ(sets + 1, 268u);
}

TEST(AllStableMatchings, StopWhenTheVisitorSaysSo) {
  RotationPoset const poset = find_rotations(cyclic_market(6, 0, 0).view());
  int calls = 0;
  EXPECT_FALSE(for_each_stable_matching(poset, [&](auto) { return ++calls < 3; }));
  EXPECT_EQ(calls, 3);
  EXPECT_TRUE(for_each_stable_matching(poset, [&](auto) { return ++calls < 10; }));
  EXPECT_EQ(calls, 9);  // six more
}

/// k markets of two men and two women side by side, each with two stable matchings.
TestMarket pairs_market(std::int32_t k) {
  ListTable men;
  ListTable women;
  for (std::int32_t i = 0; i < 2 * k; i += 2) {
    men.insert(men.end(), {{i, i + 1}, {i + 1, i}});
    women.insert(women.end(), {{i + 1, i}, {i, i + 1}});
  }
  return TestMarket(men, women);
}

TEST(StableMatchings, AreThoseOfTheVisitsInTheirOrder) {
  for (auto const& market : {pairs_market(0), pairs_market(5), opposed_market(8, 3)}) {
    RotationPoset const poset = find_rotations(market.view());
    std::vector<std::vector<std::int32_t>> expected;
    for_each_stable_matching(poset, [&](std::span<std::int32_t const> partner_of_man) {
      expected.emplace_back(partner_of_man.begin(), partner_of_man.end());
      return true;
    });
    StableMatchings matchings(poset);
    std::vector<std::vector<std::int32_t>> found;
    while (auto const matching = matchings.next()) {
      found.emplace_back(matching->begin(), matching->end());
    }
    EXPECT_EQ(found, expected);
    EXPECT_FALSE(matchings.next());
  }
}

TEST(Count, MultipliesIndependentParts) {
  Count const count = count_stable_matchings(find_rotations(pairs_market(40).view()));
  EXPECT_EQ(count, (Count{std::uint64_t{1} << 40, true, 41}));
}

TEST(Count, IsALowerBoundIfItDoesNotFit) {
  Count const count = count_stable_matchings(find_rotations(pairs_market(64).view()));
  EXPECT_FALSE(count.exact);
  EXPECT_EQ(count.matchings, ~std::uint64_t{0});
  EXPECT_TRUE(count_stable_matchings(find_rotations(pairs_market(63).view())).exact);
}

TEST(Count, IsALowerBoundAtTheLimit) {
  RotationPoset const poset = find_rotations(opposed_market(16, 5).view());
  Count const all = count_stable_matchings(poset);
  ASSERT_TRUE(all.exact);
  for (std::uint64_t limit = 1; limit < all.visited; ++limit) {
    Count const some = count_stable_matchings(poset, limit);
    EXPECT_FALSE(some.exact);
    EXPECT_LE(some.visited, limit);
    EXPECT_LE(some.matchings, all.matchings);
    EXPECT_GE(some.matchings, static_cast<std::uint64_t>(poset.rotations()) + 1);
  }
  EXPECT_EQ(count_stable_matchings(poset, all.visited), all);
}

TEST(Count, IsALowerBoundIfItIsStopped) {
  RotationPoset const poset = find_rotations(opposed_market(16, 5).view());
  std::atomic<bool> stop = true;
  Count const none = count_stable_matchings(poset, 0, &stop);
  EXPECT_FALSE(none.exact);
  EXPECT_EQ(none.visited, 1u);
  EXPECT_LE(none.matchings, count_stable_matchings(poset).matchings);
  stop = false;
  EXPECT_EQ(count_stable_matchings(poset, 0, &stop), count_stable_matchings(poset));
}

TEST(Count, HasThePublishedNumbers) {
  std::uint64_t const published[]{1, 2, 10, 268, 195'472};
  for (std::size_t k = 0; k < 5; ++k) {
    RotationPoset const poset = find_rotations(irving_leather_market(std::size_t{1} << k).view());
    Count const count = count_stable_matchings(poset);
    EXPECT_EQ(count, (Count{published[k], true, published[k]}));
    EXPECT_EQ(poset.pairs.size(), std::size_t{1} << 2 * k);
  }
}

TEST(Count, OfACyclicMarketIsItsSize) {
  EXPECT_EQ(count_stable_matchings(find_rotations(cyclic_market(50, 0, 0).view())).matchings, 50u);
}

}  // namespace
