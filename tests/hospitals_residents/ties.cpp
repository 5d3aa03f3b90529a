// SPDX-License-Identifier: Apache-2.0
#include "host_market.hpp"

#include <support/case_stride.hpp>
#include <support/error_message.hpp>
#include <taper/hospitals_residents/ties.hpp>
#include <taper/hospitals_residents/verify.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace {

namespace hr = taper::hospitals_residents;
using taper::testing::DeviceMarket;
using taper::testing::HostAssignment;
using taper::testing::HostMarket;
using taper::testing::message_of;
using taper::testing::random_market;
using taper::testing::unassigned;
using Host = Kokkos::DefaultHostExecutionSpace;

/// A random market with ties of both sides, in host memory.
struct TiedMarket {
  HostMarket plain;
  taper::testing::Tiers tiers;
  DeviceMarket<Host> there;
  Kokkos::View<std::uint32_t*, Kokkos::HostSpace> tiers_there;

  TiedMarket(std::uint64_t seed, std::uint32_t residents, std::uint32_t hospitals,
             std::uint32_t max_seats, std::uint32_t key_classes)
      : plain(random_market(seed, residents, hospitals, max_seats, key_classes)), there(plain),
        tiers_there("tiers", plain.entries()) {
    taper::RandomStream stream(seed, 8);
    std::size_t entry = 0;
    for (auto const& list : plain.lists) {
      auto& own = tiers.emplace_back();
      for (std::size_t i = 0; i < list.size(); ++i) {
        own.push_back(i == 0 ? 0 : own.back() + stream.below(2));
        tiers_there(entry++) = own.back();
      }
    }
  }

  hr::MarketWithTies ties() const { return {there.market(), tiers_there}; }

  bool is_stable(HostAssignment const& matching, hr::Stability stability) const {
    return taper::testing::blocking_pairs(plain, matching, stability, tiers).empty();
  }
  bool is_matching(HostAssignment const& matching) const {
    there.assign(matching);
    return !hr::find_bad_assignment(Host(), there.market(), there.hospital_of);
  }
  /// The tie class of the resident's hospital; one past all if it has none.
  std::uint32_t tier_held(HostAssignment const& matching, std::uint32_t resident) const {
    auto const held = taper::testing::position_held(plain, matching, resident);
    return held < tiers[resident].size() ? tiers[resident][held] : ~0u;
  }
};

std::ptrdiff_t size_of(HostAssignment const& matching) {
  return std::ssize(matching) - std::ranges::count(matching, unassigned);
}

TEST(ApproximateLargest, IsStableAndHasTwoThirdsOfTheLargest) {
  int smaller = 0;
  int sizes_differ = 0;
  for (std::uint64_t seed = 0; seed < 1'500; seed += taper::testing::case_stride) {
    auto const size = static_cast<std::uint32_t>(seed);
    // One seat and few classes: there the rule for uncertain residents decides.
    bool const one_seat = seed % 2 == 1;
    TiedMarket const market =
        one_seat ? TiedMarket(seed, 2 + size % 4, 2 + size % 3, 1, 1 + size % 2)
                 : TiedMarket(seed, 1 + size % 6, 1 + size % 4, 1 + size % 3, 1 + size % 3);
    hr::approximate_largest(market.ties(), market.there.hospital_of);
    auto const found = market.there.assignment();
    ASSERT_TRUE(market.is_matching(found) && market.is_stable(found, hr::Stability::weak)) << seed;
    std::ptrdiff_t largest = 0;
    std::ptrdiff_t smallest = 1'000;
    taper::testing::for_all_matchings(market.plain, [&](HostAssignment const& other) {
      if (market.is_stable(other, hr::Stability::weak)) {
        largest = std::max(largest, size_of(other));
        smallest = std::min(smallest, size_of(other));
      }
    });
    ASSERT_GE(3 * size_of(found), 2 * largest) << seed;
    smaller += size_of(found) < largest;
    sizes_differ += smallest < largest;
  }
  EXPECT_GT(sizes_differ, 50);           // so the sizes are put to the test
  EXPECT_LT(smaller, sizes_differ / 4);  // and most are the largest
}

TEST(ApproximateLargest, IsStableInLargerMarkets) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    TiedMarket const market(seed, 300, 40, 12, 3);
    hr::approximate_largest(market.ties(), market.there.hospital_of);
    auto const found = market.there.assignment();
    EXPECT_TRUE(market.is_matching(found) && market.is_stable(found, hr::Stability::weak)) << seed;
  }
}

TEST(FindSuperStable, EqualsTheSearchThroughAllMatchings) {
  int exist = 0;
  int none = 0;
  for (std::uint64_t seed = 0; seed < 2'000; seed += taper::testing::case_stride) {
    auto const size = static_cast<std::uint32_t>(seed);
    TiedMarket const market(seed, 1 + size % 5, 1 + size % 4, size % 4, 1 + size % 8);
    std::vector<HostAssignment> all;
    taper::testing::for_all_matchings(market.plain, [&](HostAssignment const& other) {
      if (market.is_stable(other, hr::Stability::super)) {
        all.push_back(other);
      }
    });
    bool const found = hr::find_super_stable(market.ties(), market.there.hospital_of);
    ASSERT_EQ(found, !all.empty()) << seed;
    ++(found ? exist : none);
    if (!found) {
      continue;
    }
    auto const matching = market.there.assignment();
    ASSERT_TRUE(market.is_matching(matching) && market.is_stable(matching, hr::Stability::super))
        << seed;
    // The best hospital of all super-stable matchings, for each resident.
    for (std::uint32_t resident = 0; resident < market.plain.residents(); ++resident) {
      for (auto const& other : all) {
        EXPECT_LE(market.tier_held(matching, resident), market.tier_held(other, resident)) << seed;
      }
    }
  }
  EXPECT_GT(exist, 100);
  EXPECT_GT(none, 100);
}

// Without ties, a super-stable matching is the stable one that is best for the residents.
TEST(FindSuperStable, IsTheTextbooksMatchingWithoutTies) {
  for (std::uint64_t seed = 0; seed < 200; seed += taper::testing::case_stride) {
    auto market = random_market(seed, 30, 6, 5, 1);
    for (std::uint32_t resident = 0; resident < 30; ++resident) {
      for (auto& entry : market.lists[resident]) {
        entry.key = (resident * 7 + entry.hospital * 11) % 31;
      }
    }
    DeviceMarket<Host> const there(market);
    ASSERT_TRUE(hr::find_super_stable({there.market(), {}}, there.hospital_of));
    EXPECT_EQ(there.assignment(), taper::testing::textbook(market));
  }
}

TEST(MarketsWithTies, RefuseExtentsThatDisagree) {
  TiedMarket const market(3, 5, 4, 2, 2);
  auto ties = market.ties();
  ties.tiers = Kokkos::View<std::uint32_t*, Kokkos::HostSpace>("few", 1);
  EXPECT_NE(message_of([&] {
              hr::approximate_largest(ties, market.there.hospital_of);
            }).find("approximate_largest: tiers has 1 entries"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              hr::find_super_stable(ties, market.there.hospital_of);
            }).find("find_super_stable: tiers has 1 entries"),
            std::string::npos);
}

}  // namespace
