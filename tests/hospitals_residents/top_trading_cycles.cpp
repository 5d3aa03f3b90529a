// SPDX-License-Identifier: Apache-2.0
#include "host_market.hpp"

#include <support/case_stride.hpp>
#include <support/error_message.hpp>
#include <taper/hospitals_residents/top_trading_cycles.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace {

namespace hr = taper::hospitals_residents;
using taper::testing::DeviceMarket;
using taper::testing::HostAssignment;
using taper::testing::HostMarket;
using taper::testing::random_market;
using taper::testing::unassigned;

HostAssignment traded(HostMarket const& market) {
  DeviceMarket<Kokkos::DefaultHostExecutionSpace> const there(market);
  hr::top_trading_cycles(there.market(), there.hospital_of);
  return there.assignment();
}

/// From the definition, in rounds: all residents and hospitals point, then one cycle is carried out.
HostAssignment by_definition(HostMarket const& market) {
  HostAssignment hospital_of(market.residents(), unassigned);
  auto free = market.seats;
  std::vector<bool> gone(market.residents());
  while (true) {
    std::vector<std::uint32_t> wish(market.residents(), unassigned);
    for (std::uint32_t resident = 0; resident < market.residents(); ++resident) {
      for (auto const& entry : market.lists[resident]) {
        if (free[entry.hospital] > 0) {
          wish[resident] = entry.hospital;
          break;
        }
      }
      gone[resident] = gone[resident] || wish[resident] == unassigned;
    }
    std::vector<std::uint32_t> points_at(market.seats.size(), unassigned);
    std::vector<std::uint32_t> best_key(market.seats.size());
    for (std::uint32_t resident = 0; resident < market.residents(); ++resident) {
      for (auto const& [hospital, key] : market.lists[resident]) {
        if (!gone[resident] && (points_at[hospital] == unassigned || key < best_key[hospital])) {
          points_at[hospital] = resident;
          best_key[hospital] = key;
        }
      }
    }
    auto const someone = std::ranges::find(gone, false);
    if (someone == gone.end()) {
      return hospital_of;
    }
    // After as many steps as there are residents, the walk is in a cycle.
    auto resident = static_cast<std::uint32_t>(someone - gone.begin());
    for (std::size_t step = 0; step < market.residents(); ++step) {
      resident = points_at[wish[resident]];
    }
    while (!gone[resident]) {
      hospital_of[resident] = wish[resident];
      gone[resident] = true;
      --free[wish[resident]];
      resident = points_at[wish[resident]];
    }
  }
}

TEST(TopTradingCycles, EqualTheirDefinition) {
  int differ = 0;
  for (std::uint64_t seed = 0; seed < 3'000; seed += taper::testing::case_stride) {
    auto const size = static_cast<std::uint32_t>(seed);
    auto const market = random_market(seed, size % 12, size % 7, size % 4, 1 + size % 9);
    auto const expected = by_definition(market);
    ASSERT_EQ(traded(market), expected) << seed;
    differ += !taper::testing::is_stable(market, expected);
  }
  EXPECT_GT(differ, 0);
}

// Residents that leave and hospitals that fill up in the middle of long walks.
TEST(TopTradingCycles, EqualTheirDefinitionInLargerMarkets) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    auto const market = random_market(seed, 150, 40, 5, 1'000);
    ASSERT_EQ(traded(market), by_definition(market)) << seed;
  }
}

// No other matching is better for one resident and worse for none.
TEST(TopTradingCycles, ArePareto) {
  for (std::uint64_t seed = 0; seed < 60; seed += taper::testing::case_stride) {
    auto const market = random_market(seed, 5, 4, 2, 9);
    auto const found = traded(market);
    taper::testing::for_all_matchings(market, [&](HostAssignment const& other) {
      bool worse = false;
      bool better = false;
      for (std::uint32_t resident = 0; resident < 5; ++resident) {
        auto const held = taper::testing::position_held(market, found, resident);
        auto const instead = taper::testing::position_held(market, other, resident);
        worse = worse || instead > held;
        better = better || instead < held;
      }
      ASSERT_TRUE(worse || !better) << seed;
    });
  }
}

TEST(TopTradingCycles, FalseListsDoNotHelp) {
  for (std::uint64_t seed = 0; seed < 60; seed += taper::testing::case_stride) {
    auto const market = random_market(seed, 4, 3, 2, 9);
    auto const honest = traded(market);
    for (std::uint32_t liar = 0; liar < 4; ++liar) {
      auto const held = taper::testing::position_held(market, honest, liar);
      taper::testing::for_all_false_lists(market, liar, [&](HostMarket const& lie) {
        ASSERT_GE(taper::testing::position_held(market, traded(lie), liar), held);
      });
    }
  }
}

}  // namespace
