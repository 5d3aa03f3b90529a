// SPDX-License-Identifier: Apache-2.0
#include "host_market.hpp"

#include <support/backends.hpp>
#include <support/error_message.hpp>
#include <taper/hospitals_residents/count_draws.hpp>
#include <taper/hospitals_residents/hospitals_residents.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace {

namespace hr = taper::hospitals_residents;
using hr::Lottery;
using hr::detail::Lots;
using taper::testing::Candidate;
using taper::testing::DeviceMarket;
using taper::testing::HostAssignment;
using taper::testing::HostMarket;
using taper::testing::message_of;

// All residents have different lots, and each lot leads back to its resident.
TEST(HospitalsResidentsLots, AreBijections) {
  for (auto const lottery : {Lottery::by_id, Lottery::single, Lottery::multiple}) {
    for (unsigned const bits : {1u, 2u, 3u, 5u, 16u}) {
      for (std::uint64_t seed = 0; seed < 20; ++seed) {
        Lots const lots(lottery, seed, bits);
        std::set<std::uint64_t> seen;
        for (std::uint64_t resident = 0; resident < std::uint64_t{1} << bits; ++resident) {
          std::uint64_t const lot = lots.of(resident, 3);
          ASSERT_LT(lot, std::uint64_t{1} << bits);
          ASSERT_TRUE(seen.insert(lot).second);
          ASSERT_EQ(lots.resident_of(lot, 3), resident);
        }
      }
    }
  }
  Lots const wide{Lottery::multiple, 7, 32};
  for (std::uint64_t resident = 0; resident < 4'000'000'000u; resident += 12'345'677) {
    ASSERT_EQ(wide.resident_of(wide.of(resident, 99), 99), resident);
  }
}

/// Pearson's statistic of counts that should all be equal.
double chi_squared(std::map<std::vector<int>, int> const& counts, std::size_t kinds, int draws) {
  double const expected = draws / static_cast<double>(kinds);
  double sum = expected * static_cast<double>(kinds - counts.size());
  for (auto const& [order, count] : counts) {
    sum += (count - expected) * (count - expected) / expected;
  }
  return sum;
}

// The 24 orders of four residents are equally likely, over seeds and over hospitals.
TEST(HospitalsResidentsLots, MakeAllOrdersEquallyLikely) {
  constexpr int draws = 48'000;
  auto const order_of = [](Lots const& lots, std::uint64_t hospital,
                           std::array<std::uint64_t, 4> const& residents) {
    std::vector<int> order{0, 1, 2, 3};
    std::ranges::sort(order, {}, [&](int i) {
      return lots.of(residents[static_cast<std::size_t>(i)], hospital);
    });
    return order;
  };
  for (auto const& residents : {std::array<std::uint64_t, 4>{0, 1, 2, 3},
                                std::array<std::uint64_t, 4>{5, 1'000, 70'000, 1'000'000}}) {
    std::map<std::vector<int>, int> by_seed;
    std::map<std::vector<int>, int> by_hospital;
    for (int draw = 0; draw < draws; ++draw) {
      auto const number = static_cast<std::uint64_t>(draw);
      ++by_seed[order_of({Lottery::single, number, Lots::min_bits}, 0, residents)];
      ++by_hospital[order_of({Lottery::multiple, 1, Lots::min_bits}, number, residents)];
    }
    // 23 degrees of freedom: above 52 with a probability of 0.0005. The seeds are fixed, so the
    // outcome is, too.
    EXPECT_LT(chi_squared(by_seed, 24, draws), 52);
    EXPECT_LT(chi_squared(by_hospital, 24, draws), 52);
  }
}

template <class Space>
class HospitalsResidentsLottery : public ::testing::Test {};
TYPED_TEST_SUITE(HospitalsResidentsLottery, taper::testing::Backends, taper::testing::BackendNames);

// The matching is the textbook's for the order of keys and lots.
TYPED_TEST(HospitalsResidentsLottery, OrdersTiesByLots) {
  int differ = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    auto const market = taper::testing::random_market(seed, 60, 8, 6, 2);
    DeviceMarket<TypeParam> const there(market);
    for (auto const lottery : {Lottery::single, Lottery::multiple}) {
      Lots const lots{lottery, seed, Lots::min_bits};
      auto const expected = taper::testing::textbook(
          market, [&](std::uint32_t hospital, Candidate const& a, Candidate const& b) {
            return a.key != b.key ? a.key < b.key
                                  : lots.of(a.resident, hospital) < lots.of(b.resident, hospital);
          });
      for (auto const schedule :
           {hr::Schedule::serial, hr::Schedule::parallel, hr::Schedule::hybrid}) {
        hr::solve(TypeParam(), there.market(), there.hospital_of,
                  {.schedule = schedule, .lottery = lottery, .seed = seed});
        EXPECT_EQ(there.assignment(), expected);
      }
      differ += expected != taper::testing::textbook(market);
    }
  }
  EXPECT_GT(differ, 30);
}

// Four students, two schools of one seat each, no priorities. With a single lottery the outcome is
// that of serial dictatorship in a random order, which the 24 orders enumerate exactly.
TYPED_TEST(HospitalsResidentsLottery, HasTheExactProbabilities) {
  HostMarket const market{{{{0, 0}, {1, 0}}, {{0, 0}}, {{1, 0}, {0, 0}}, {{0, 0}, {1, 0}}}, {1, 1}};
  std::array<std::array<double, 3>, 4> exact{};
  std::array<std::uint32_t, 4> order{0, 1, 2, 3};
  do {
    std::array<bool, 2> taken{};
    for (std::uint32_t const student : order) {
      std::size_t given = 2;
      for (auto const& entry : market.lists[student]) {
        if (!taken[entry.hospital]) {
          taken[entry.hospital] = true;
          given = entry.hospital;
          break;
        }
      }
      exact[student][given] += 1.0 / 24;
    }
  } while (std::ranges::next_permutation(order).found);

  constexpr int draws = 4'000;
  DeviceMarket<TypeParam> const there(market);
  std::array<std::array<double, 3>, 4> seen{};
  for (int draw = 0; draw < draws; ++draw) {
    hr::solve(TypeParam(), there.market(), there.hospital_of,
              {.schedule = hr::Schedule::serial,
               .lottery = Lottery::single,
               .seed = static_cast<std::uint64_t>(draw)});
    auto const matching = there.assignment();
    for (std::size_t student = 0; student < 4; ++student) {
      seen[student][std::min(matching[student], 2u)] += 1.0 / draws;
    }
  }
  for (std::size_t student = 0; student < 4; ++student) {
    for (std::size_t outcome = 0; outcome < 3; ++outcome) {
      double const p = exact[student][outcome];
      // Four standard errors.
      EXPECT_NEAR(seen[student][outcome], p, 4 * std::sqrt(p * (1 - p) / draws) + 1e-12)
          << "student " << student << ", outcome " << outcome;
    }
  }
}

// Many draws at once give the sum of the draws one by one, however many run side by side.
TYPED_TEST(HospitalsResidentsLottery, CountsWhatSolvesGive) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    auto const market = taper::testing::random_market(seed, 30, 6, 5, 2);
    DeviceMarket<TypeParam> const there(market);
    for (auto const lottery : {Lottery::single, Lottery::multiple}) {
      constexpr std::uint32_t draws = 37;
      std::vector<std::uint32_t> expected(market.entries());
      for (std::uint64_t draw = 0; draw < draws; ++draw) {
        hr::solve(TypeParam(), there.market(), there.hospital_of,
                  {.lottery = lottery, .seed = seed + draw});
        auto const matching = there.assignment();
        std::size_t entry = 0;
        for (std::uint32_t resident = 0; resident < market.residents(); ++resident) {
          for (auto const& listed : market.lists[resident]) {
            expected[entry++] += matching[resident] == listed.hospital;
          }
        }
      }
      for (std::uint64_t const memory :
           {std::uint64_t{1}, std::uint64_t{3'000}, std::uint64_t{1} << 30}) {
        auto const counts = Kokkos::create_mirror_view_and_copy(
            Kokkos::HostSpace{}, hr::count_draws(TypeParam(), there.market(), draws,
                                                 {.lottery = lottery, .seed = seed}, memory));
        EXPECT_EQ(std::vector(counts.data(), counts.data() + counts.extent(0)), expected);
      }
    }
  }
}

TYPED_TEST(HospitalsResidentsLottery, NeedsALotteryToDraw) {
  DeviceMarket<TypeParam> const there(taper::testing::random_market(1, 4, 3, 2, 2));
  EXPECT_EQ(message_of([&] { hr::count_draws(TypeParam(), there.market(), 3, {}); }),
            "taper::hospitals_residents::count_draws: the lottery is 'single' or 'multiple', not "
            "'by_id'");
  EXPECT_EQ(message_of([&] {
              hr::count_draws(
                  TypeParam(), there.market(), 3,
                  {.mechanism = hr::Mechanism::top_trading_cycles, .lottery = Lottery::single});
            }),
            "taper::hospitals_residents::count_draws: mechanism 'top_trading_cycles' has no chains "
            "to draw");
  EXPECT_EQ(message_of([&] {
              hr::count_draws(TypeParam(), there.market(), 3,
                              {.mechanism = hr::Mechanism::parallel_mechanism,
                               .choices_per_round = 0,
                               .lottery = Lottery::single});
            }),
            "taper::hospitals_residents::count_draws: choices_per_round is at least 1");
}

}  // namespace
