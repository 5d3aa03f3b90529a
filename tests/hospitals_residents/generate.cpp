// SPDX-License-Identifier: Apache-2.0
#include <support/backends.hpp>
#include <support/error_message.hpp>
#include <taper/hospitals_residents/generate.hpp>
#include <taper/hospitals_residents/verify.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace {

namespace hr = taper::hospitals_residents;
using hr::Capacities;
using hr::Family;
using hr::Workload;
using taper::testing::message_of;

/// A market in vectors.
struct Generated {
  std::vector<std::uint32_t> hospitals, keys, seats;
  friend bool operator==(Generated const&, Generated const&) = default;
};

template <class View>
std::vector<std::uint32_t> values(View const& view) {
  auto const here = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, view);
  return {here.data(), here.data() + here.extent(0)};
}

template <class Space>
Generated generated(Workload const& workload) {
  auto const made = hr::generate(Space(), workload);
  EXPECT_EQ(hr::find_bad_list(Space(), made.market()), std::nullopt);
  return {values(made.hospitals), values(made.keys), values(made.seats)};
}

std::vector<Workload> workloads() {
  std::vector<Workload> all;
  for (auto const family :
       {Family::uniform, Family::popularity, Family::geographic, Family::scores}) {
    for (std::uint32_t const length : {0u, 1u, 5u, 40u}) {
      all.push_back({.family = family,
                     .residents = 200,
                     .hospitals = 30,
                     .list_length = length,
                     .seats = 170,
                     .reach = 3});
    }
  }
  all.push_back({.residents = 5, .hospitals = 7, .seats = 1'000'003});
  all.push_back(
      {.residents = 5, .hospitals = 7, .seats = 100, .capacities = Capacities::power_law});
  return all;
}

template <class Space>
class HospitalsResidentsGenerate : public ::testing::Test {};
TYPED_TEST_SUITE(HospitalsResidentsGenerate, taper::testing::Backends,
                 taper::testing::BackendNames);

TYPED_TEST(HospitalsResidentsGenerate, GivesTheSameMarketEverywhere) {
  for (auto const& workload : workloads()) {
    auto const here = generated<Kokkos::DefaultHostExecutionSpace>(workload);
    EXPECT_EQ(generated<TypeParam>(workload), here);
    EXPECT_EQ(here.hospitals.size(),
              workload.residents *
                  std::min<std::uint64_t>(workload.list_length, workload.hospitals));
    EXPECT_EQ(std::accumulate(here.seats.begin(), here.seats.end(), std::uint64_t{0}),
              workload.seats);
    auto other = workload;
    other.seed = 2;
    EXPECT_EQ(generated<TypeParam>(other) == here, here.hospitals.empty());
  }
}

/// How often each of ten hospitals is a first choice.
template <class Space>
std::vector<int> first_choices(Workload workload) {
  workload.residents = 20'000;
  workload.hospitals = 10;
  workload.list_length = 1;
  std::vector<int> counts(10);
  for (auto const hospital : generated<Space>(workload).hospitals) {
    ++counts[hospital];
  }
  return counts;
}

TYPED_TEST(HospitalsResidentsGenerate, FollowsTheFamily) {
  for (int const count : first_choices<TypeParam>({.family = Family::uniform})) {
    EXPECT_NEAR(count, 2'000, 180);
  }
  // P(id < i) = (i / 10)^(1/2): the first hospital gets 0.316 of all, the last 0.051.
  auto const skewed = first_choices<TypeParam>({.family = Family::popularity, .skew = 2});
  EXPECT_NEAR(skewed[0], 6'325, 260);
  EXPECT_NEAR(skewed[9], 1'026, 130);
  EXPECT_TRUE(std::ranges::is_sorted(skewed, std::greater()));
  // With a common quality alone, all lists begin with the same hospital.
  auto const agreed = generated<TypeParam>({.family = Family::scores,
                                            .residents = 50,
                                            .hospitals = 20,
                                            .list_length = 20,
                                            .strength = 1});
  for (std::size_t i = 20; i < agreed.hospitals.size(); ++i) {
    EXPECT_EQ(agreed.hospitals[i], agreed.hospitals[i % 20]);
    EXPECT_EQ(agreed.keys[i], agreed.keys[i / 20 * 20]);
  }
  auto const near = generated<TypeParam>({.family = Family::geographic,
                                          .residents = 100,
                                          .hospitals = 100,
                                          .list_length = 3,
                                          .reach = 4});
  for (std::size_t i = 0; i < near.hospitals.size(); ++i) {
    auto const apart = (near.hospitals[i] + 100 - i / 3) % 100;
    EXPECT_TRUE(apart <= 4 || apart >= 96) << apart;
  }
}

TYPED_TEST(HospitalsResidentsGenerate, DividesSeatsAndKeys) {
  auto const equal =
      generated<TypeParam>({.residents = 1, .hospitals = 8, .list_length = 1, .seats = 21});
  EXPECT_EQ(equal.seats, (std::vector<std::uint32_t>{3, 3, 3, 3, 3, 2, 2, 2}));
  auto const power = generated<TypeParam>({.residents = 1,
                                           .hospitals = 4,
                                           .list_length = 1,
                                           .seats = 25'000,
                                           .capacities = Capacities::power_law});
  // 12 : 6 : 4 : 3
  EXPECT_NEAR(power.seats[0], 12'000, 2);
  EXPECT_NEAR(power.seats[1], 6'000, 2);
  EXPECT_NEAR(power.seats[2], 4'000, 2);
  EXPECT_NEAR(power.seats[3], 3'000, 2);
  auto const classes =
      generated<TypeParam>({.residents = 300, .hospitals = 8, .list_length = 4, .key_classes = 3});
  std::vector<int> counts(3);
  for (auto const key : classes.keys) {
    ASSERT_LT(key, 3u);
    ++counts[key];
  }
  EXPECT_NEAR(counts[0], 400, 70);
  EXPECT_NEAR(counts[2], 400, 70);
}

TYPED_TEST(HospitalsResidentsGenerate, RefusesWhatIsOutOfRange) {
  EXPECT_EQ(message_of([] { hr::generate(TypeParam(), {.strength = 1.5}); }),
            "taper::hospitals_residents::generate: strength is 0 to 1, not 1.500000");
  EXPECT_EQ(message_of([] { hr::generate(TypeParam(), {.skew = 0}); }),
            "taper::hospitals_residents::generate: skew is at least 1");
}

}  // namespace
