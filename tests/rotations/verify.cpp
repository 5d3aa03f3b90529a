// SPDX-License-Identifier: Apache-2.0
#include <taper/rotations/rotations.hpp>

#include <rotations/markets.hpp>
#include <support/case_stride.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace {

using namespace taper::rotations;
using taper::preferences::find_fault;
using taper::testing::case_stride;
using taper::testing::cyclic_market;
using taper::testing::for_random_markets;
using taper::testing::Matching;
using taper::testing::OwnedLists;
using taper::testing::random_table;
using taper::testing::TestMarket;
using enum Flaw::Kind;

TEST(FindFlaw, AgreesWithTheDefinitionOnEveryAssignment) {
  for_random_markets(600 / case_stride, 4, 21, [](TestMarket const& market) {
    market.for_each_assignment([&](Matching const& partner_of_man) {
      EXPECT_EQ(!find_flaw(market.view(), partner_of_man), market.is_stable(partner_of_man));
    });
  });
}

TEST(FindFlaw, NamesTheFlaw) {
  TestMarket const market({{0, 1}, {0, 1}, {2}}, {{0, 1}, {0, 1}, {}});
  auto const flaw = [&](Matching const& partner_of_man) {
    return find_flaw(market.view(), partner_of_man);
  };
  EXPECT_EQ(flaw({0, 1, -1}), std::nullopt);
  EXPECT_EQ(flaw({1, 0, -1}), (Flaw{blocking, 0, 0}));
  EXPECT_EQ(flaw({0, -1, -1}), (Flaw{blocking, 1, 1}));
  EXPECT_EQ(flaw({0, 1}), (Flaw{size, no_partner, no_partner}));
  EXPECT_EQ(flaw({0, 3, -1}), (Flaw{range, 1, 3}));
  EXPECT_EQ(flaw({0, -2, -1}), (Flaw{range, 1, -2}));
  EXPECT_EQ(flaw({0, 0, -1}), (Flaw{shared, 1, 0}));
  EXPECT_EQ(flaw({0, 1, 2}), (Flaw{unlisted, 2, 2}));
}

TEST(FindFlaw, AcceptsWhatALargeMarketHas) {
  std::mt19937_64 random(22);
  TestMarket market(random_table(random, 300, 250), random_table(random, 250, 300));
  RotationPoset const poset = find_rotations(market.view());
  std::size_t listed = 0;
  for_each_stable_matching(poset, [&](std::span<std::int32_t const> partner_of_man) {
    EXPECT_EQ(find_flaw(market.view(), partner_of_man), std::nullopt);
    return ++listed < 300 / case_stride;
  });
}

TEST(FindFlaw, FindsEverySwapInALargeMatching) {
  TestMarket const market = cyclic_market(60, 20, 23);
  RotationPoset const poset = find_rotations(market.view());
  auto partner = optimum(poset).partner_of_man;
  for (std::size_t i = 1; i < partner.size(); ++i) {
    std::swap(partner[i - 1], partner[i]);
    EXPECT_EQ(!find_flaw(market.view(), partner), market.is_stable(partner));
    std::swap(partner[i - 1], partner[i]);
  }
}

TEST(FindFault, NamesTheEntry) {
  using Kind = taper::preferences::ListFault::Kind;
  using Fault = taper::preferences::ListFault;
  EXPECT_EQ(find_fault(OwnedLists({{0, 1}, {}}).view(), 2), std::nullopt);
  EXPECT_EQ(find_fault(OwnedLists({{0, 1}, {1, 2}}).view(), 2), (Fault{Kind::out_of_range, 1, 1}));
  EXPECT_EQ(find_fault(OwnedLists({{0}, {-1}}).view(), 2), (Fault{Kind::out_of_range, 1, 0}));
  EXPECT_EQ(find_fault(OwnedLists({{0, 1, 0}, {}}).view(), 2), (Fault{Kind::duplicate, 0, 2}));
  EXPECT_EQ(find_fault({{}, {}}, 2), std::nullopt);
  std::vector<std::int32_t> const ids{0, 1};
  for (std::vector<std::int64_t> const& offsets :
       {std::vector<std::int64_t>{}, {0}, {1, 2}, {0, 1}, {0, 3}, {0, 2, 1, 2}}) {
    auto const fault = find_fault({offsets, ids}, 2);
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->kind, Kind::offsets);
  }
}

TEST(FindFault, LooksAtBothSides) {
  EXPECT_EQ(find_fault(TestMarket({{0}}, {{0}}).view()), std::nullopt);
  EXPECT_TRUE(find_fault(TestMarket({{1}}, {{0}}).view()));
  EXPECT_TRUE(find_fault(TestMarket({{0}}, {{1}}).view()));
}

}  // namespace
