// SPDX-License-Identifier: Apache-2.0
#include "host_market.hpp"

#include <support/backends.hpp>
#include <support/case_stride.hpp>
#include <support/error_message.hpp>
#include <taper/hospitals_residents/verify.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace {

namespace hr = taper::hospitals_residents;
using hr::BadAssignment;
using hr::Stability;
using taper::testing::blocking_pairs;
using taper::testing::DeviceMarket;
using taper::testing::HostAssignment;
using taper::testing::HostMarket;
using taper::testing::message_of;
using taper::testing::random_market;
using taper::testing::unassigned;

template <class Space>
class HospitalsResidentsVerify : public ::testing::Test {};
TYPED_TEST_SUITE(HospitalsResidentsVerify, taper::testing::Backends, taper::testing::BackendNames);

TYPED_TEST(HospitalsResidentsVerify, FindsTheBlockingPairsOfEveryMatching) {
  std::size_t stable = 0;
  std::size_t unstable = 0;
  for (std::uint64_t seed = 0; seed < 24; seed += taper::testing::case_stride) {
    auto const market = random_market(seed, 4, 3, 2, 3);
    DeviceMarket<TypeParam> const there(market);
    // Tie classes that rise by 0 or 1 from one entry to the next.
    taper::testing::Tiers tiers;
    Kokkos::View<std::uint32_t*, TypeParam> const tiers_there("tiers", market.entries());
    auto const tiers_here = Kokkos::create_mirror_view(tiers_there);
    std::size_t entry = 0;
    for (auto const& list : market.lists) {
      auto& own = tiers.emplace_back();
      for (std::size_t i = 0; i < list.size(); ++i) {
        own.push_back(i == 0 ? 0 : own.back() + static_cast<std::uint32_t>((seed >> i) & 1));
        tiers_here(entry++) = own.back();
      }
    }
    Kokkos::deep_copy(tiers_there, tiers_here);
    taper::testing::for_all_matchings(market, [&](HostAssignment const& matching) {
      there.assign(matching);
      ASSERT_EQ(hr::find_bad_assignment(TypeParam(), there.market(), there.hospital_of),
                std::nullopt);
      for (auto const stability : {Stability::weak, Stability::strong, Stability::super}) {
        auto const expected = blocking_pairs(market, matching, stability, tiers);
        auto const found = hr::find_blocking_pairs(TypeParam(), there.market(), there.hospital_of,
                                                   100, stability, tiers_there);
        ASSERT_EQ(found.count, expected.size()) << taper::to_string(stability);
        ASSERT_EQ(found.first, expected);
        ++(expected.empty() ? stable : unstable);
      }
      // With a limit, the first ones.
      auto const all = hr::find_blocking_pairs(TypeParam(), there.market(), there.hospital_of, 100);
      auto const two = hr::find_blocking_pairs(TypeParam(), there.market(), there.hospital_of, 2);
      ASSERT_EQ(two.count, all.count);
      ASSERT_EQ(two.first,
                std::vector(all.first.begin(),
                            all.first.begin() + static_cast<std::ptrdiff_t>(
                                                    std::min<std::size_t>(2, all.first.size()))));
    });
  }
  EXPECT_GT(stable, 0u);
  EXPECT_GT(unstable, 0u);
}

TYPED_TEST(HospitalsResidentsVerify, NamesTheFirstFaultOfAnAssignment) {
  HostMarket const market{{{{0, 1}, {1, 1}}, {{0, 2}}, {{0, 3}}}, {2, 1}};
  DeviceMarket<TypeParam> const there(market);
  auto const fault = [&](HostAssignment const& assignment) {
    there.assign(assignment);
    return hr::find_bad_assignment(TypeParam(), there.market(), there.hospital_of);
  };
  EXPECT_EQ(fault({1, 0, 0}), std::nullopt);
  EXPECT_EQ(fault({unassigned, unassigned, unassigned}), std::nullopt);
  EXPECT_EQ(fault({0, 0, 0}), (BadAssignment{BadAssignment::Kind::too_many, 0}));
  EXPECT_EQ(fault({0, 1, 0}), (BadAssignment{BadAssignment::Kind::not_listed, 1}));
  EXPECT_EQ(fault({0, 0, 7}), (BadAssignment{BadAssignment::Kind::not_listed, 2}));
}

TYPED_TEST(HospitalsResidentsVerify, NamesTheFirstBadList) {
  auto const bad = [](HostMarket const& market) {
    return hr::find_bad_list(TypeParam(), DeviceMarket<TypeParam>(market).market());
  };
  EXPECT_EQ(bad({{{{0, 1}, {1, 1}}, {{1, 2}}}, {1, 1}}), std::nullopt);
  EXPECT_EQ(bad({{{{0, 1}}, {{2, 2}}}, {1, 1}}), std::optional<std::uint64_t>(1));
  EXPECT_EQ(bad({{{{0, 1}, {1, 1}, {0, 3}}, {{9, 2}}}, {1, 1}}), std::optional<std::uint64_t>(0));
  DeviceMarket<TypeParam> const falling(HostMarket{{{{0, 1}}, {{1, 1}}}, {1, 1}});
  auto const offsets = Kokkos::create_mirror_view(falling.offsets);
  Kokkos::deep_copy(offsets, falling.offsets);
  offsets(1) = 3;
  Kokkos::deep_copy(falling.offsets, offsets);
  EXPECT_EQ(hr::find_bad_list(TypeParam(), falling.market()), std::optional<std::uint64_t>(0));
}

TYPED_TEST(HospitalsResidentsVerify, RefusesExtentsThatDisagree) {
  DeviceMarket<TypeParam> const there(random_market(1, 4, 3, 2, 4));
  Kokkos::View<std::uint32_t*, TypeParam> const few("few", 3);
  EXPECT_NE(message_of([&] {
              hr::find_blocking_pairs(TypeParam(), there.market(), few);
            }).find("hospital_of has 3 entries"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              hr::find_blocking_pairs(TypeParam(), there.market(), there.hospital_of, 1,
                                      Stability::weak, few);
            }).find("tiers has 3"),
            std::string::npos);
}

}  // namespace
