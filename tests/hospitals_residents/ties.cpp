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
#include <utility>
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
  if (taper::testing::case_stride == 1) {
    EXPECT_GT(sizes_differ, 50);           // so the sizes are put to the test
    EXPECT_LT(smaller, sizes_differ / 4);  // and most are the largest
  }
}

TEST(ApproximateLargest, IsStableInLargerMarkets) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    TiedMarket const market(seed, 300, 40, 12, 3);
    hr::approximate_largest(market.ties(), market.there.hospital_of);
    auto const found = market.there.assignment();
    EXPECT_TRUE(market.is_matching(found) && market.is_stable(found, hr::Stability::weak)) << seed;
  }
}

/// A function that finds a matching of this stability, or that there is none.
struct Finder {
  hr::Stability stability;
  bool (*find)(hr::MarketWithTies const&, Kokkos::View<std::uint32_t*, Kokkos::HostSpace> const&);
};

/// Compares with the search through all matchings. Returns how many markets have such a matching,
/// and how many have none.
std::pair<int, int> compare_with_all_matchings(Finder const& finder) {
  int exist = 0;
  int none = 0;
  for (std::uint64_t seed = 0; seed < 2'000; seed += taper::testing::case_stride) {
    auto const size = static_cast<std::uint32_t>(seed);
    TiedMarket const market(seed, 1 + size % 5, 1 + size % 4, size % 4, 1 + size % 8);
    std::vector<HostAssignment> all;
    taper::testing::for_all_matchings(market.plain, [&](HostAssignment const& other) {
      if (market.is_stable(other, finder.stability)) {
        all.push_back(other);
      }
    });
    HostAssignment const before(market.plain.residents(), 77);
    market.there.assign(before);
    bool const found = finder.find(market.ties(), market.there.hospital_of);
    EXPECT_EQ(found, !all.empty()) << seed;
    ++(found ? exist : none);
    auto const matching = market.there.assignment();
    if (!found) {
      EXPECT_EQ(matching, before) << seed;
      continue;
    }
    EXPECT_TRUE(market.is_matching(matching) && market.is_stable(matching, finder.stability))
        << seed;
    // The best hospital of all such matchings, for each resident.
    for (std::uint32_t resident = 0; resident < market.plain.residents(); ++resident) {
      for (auto const& other : all) {
        EXPECT_LE(market.tier_held(matching, resident), market.tier_held(other, resident)) << seed;
      }
    }
  }
  return {exist, none};
}

Finder const super_stable{hr::Stability::super, [](auto const& ties, auto const& hospital_of) {
                            return hr::find_super_stable(ties, hospital_of);
                          }};
Finder const strongly_stable{hr::Stability::strong, [](auto const& ties, auto const& hospital_of) {
                               return hr::find_strongly_stable(ties, hospital_of);
                             }};

constexpr int least = 100 / static_cast<int>(taper::testing::case_stride);

TEST(FindSuperStable, EqualsTheSearchThroughAllMatchings) {
  auto const [exist, none] = compare_with_all_matchings(super_stable);
  EXPECT_GT(exist, least);
  EXPECT_GT(none, least);
}

TEST(FindStronglyStable, EqualsTheSearchThroughAllMatchings) {
  auto const [exist, none] = compare_with_all_matchings(strongly_stable);
  EXPECT_GT(exist, least);
  EXPECT_GT(none, least);
}

// Residents 0 and 1 tie at hospital 0, and 2 and 3 at hospital 1. Each hospital has one seat, so it
// can take neither. Then 0 and 2 change places, and hospital 2 takes the others.
TEST(FindStronglyStable, LetsHospitalsRejectTiesThatTheyCannotSatisfy) {
  HostMarket market;
  market.seats = {1, 1, 2};
  market.lists = {{{0, 1}, {1, 0}}, {{0, 1}, {2, 0}}, {{1, 1}, {0, 0}}, {{1, 1}, {2, 0}}};
  DeviceMarket<Host> const there(market);
  ASSERT_TRUE(hr::find_strongly_stable({there.market(), {}}, there.hospital_of));
  EXPECT_EQ(there.assignment(), (HostAssignment{1, 2, 0, 2}));
}

// Hospitals of one seat to which all residents are alike, as are theirs to the residents. Resident 0
// must leave hospital 0 to resident 1, which has no other.
TEST(FindStronglyStable, MovesResidentsAlongAlternatingPaths) {
  HostMarket market;
  market.seats = {1, 1, 1};
  market.lists = {{{0, 0}, {1, 0}, {2, 0}}, {{0, 0}}, {{1, 0}, {2, 0}}};
  taper::testing::Tiers const tiers{{0, 0, 0}, {0}, {0, 0}};
  DeviceMarket<Host> const there(market);
  Kokkos::View<std::uint32_t*, Kokkos::HostSpace> const all_alike("tiers", 6);
  ASSERT_TRUE(hr::find_strongly_stable({there.market(), all_alike}, there.hospital_of));
  auto const found = there.assignment();
  EXPECT_EQ(found[1], 0u);
  EXPECT_EQ(size_of(found), 3);
  EXPECT_TRUE(taper::testing::blocking_pairs(market, found, hr::Stability::strong, tiers).empty());
}

// Without ties, all three stabilities are the same.
TEST(MarketsWithTies, HaveTheTextbooksMatchingWithoutTies) {
  for (std::uint64_t seed = 0; seed < 200; seed += taper::testing::case_stride) {
    auto market = random_market(seed, 30, 6, 5, 1);
    for (std::uint32_t resident = 0; resident < 30; ++resident) {
      for (auto& entry : market.lists[resident]) {
        entry.key = (resident * 7 + entry.hospital * 11) % 31;
      }
    }
    DeviceMarket<Host> const there(market);
    for (Finder const& finder : {super_stable, strongly_stable}) {
      ASSERT_TRUE(finder.find({there.market(), {}}, there.hospital_of));
      EXPECT_EQ(there.assignment(), taper::testing::textbook(market));
    }
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
  EXPECT_NE(message_of([&] {
              hr::find_strongly_stable(ties, market.there.hospital_of);
            }).find("find_strongly_stable: tiers has 1 entries"),
            std::string::npos);
}

}  // namespace
