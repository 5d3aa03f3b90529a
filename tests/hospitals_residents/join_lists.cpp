// SPDX-License-Identifier: Apache-2.0
#include <support/backends.hpp>
#include <support/error_message.hpp>
#include <taper/hospitals_residents/join_lists.hpp>
#include <taper/random.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace {

namespace hr = taper::hospitals_residents;
using taper::testing::message_of;

/// One side in vectors: per agent, ids and tie classes.
struct HostLists {
  struct Entry {
    std::uint32_t other;
    std::uint32_t tier;
  };
  std::vector<std::vector<Entry>> lists;
};

/// Random lists; tie classes rise by 0 or 1 from entry to entry if `with_ties`, else by 1.
HostLists random_lists(std::uint64_t seed, std::uint32_t agents, std::uint32_t others,
                       bool with_ties) {
  taper::RandomStream stream(seed, agents);
  HostLists side;
  std::vector<std::uint32_t> ids(others);
  std::iota(ids.begin(), ids.end(), 0u);
  for (std::uint32_t agent = 0; agent < agents; ++agent) {
    taper::shuffle(ids.data(), ids.size(), stream);
    auto& list = side.lists.emplace_back();
    std::uint32_t tier = 0;
    for (std::uint32_t i = 0, length = stream.below(others + 1); i < length; ++i) {
      tier += i == 0 ? 0 : with_ties ? stream.below(2) : 1;
      list.push_back({ids[i], tier});
    }
  }
  return side;
}

template <class Space, class T>
Kokkos::View<T*, typename Space::memory_space> on_device(std::vector<T> const& values) {
  Kokkos::View<T*, typename Space::memory_space> const there("values", values.size());
  auto const here = Kokkos::create_mirror_view(there);
  std::ranges::copy(values, here.data());
  Kokkos::deep_copy(there, here);
  return there;
}
template <class View>
auto on_host(View const& view) {
  auto const here = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, view);
  using T = typename View::non_const_value_type;
  return std::vector<T>(here.data(), here.data() + here.extent(0));
}

template <class Space>
hr::Lists<typename Space::memory_space> lists_of(HostLists const& side, bool with_ties) {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::uint32_t> others;
  std::vector<std::uint32_t> tiers;
  for (auto const& list : side.lists) {
    for (auto const& [other, tier] : list) {
      others.push_back(other);
      tiers.push_back(tier);
    }
    offsets.push_back(static_cast<std::int64_t>(others.size()));
  }
  return {on_device<Space>(offsets), on_device<Space>(others),
          with_ties ? on_device<Space>(tiers) : on_device<Space>(std::vector<std::uint32_t>())};
}

template <class Space>
class JoinLists : public ::testing::Test {};
TYPED_TEST_SUITE(JoinLists, taper::testing::Backends, taper::testing::BackendNames);

TYPED_TEST(JoinLists, KeepsWhatBothSidesHave) {
  std::uint64_t one_sided = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    bool const with_ties = seed % 2 == 0;
    auto const size = static_cast<std::uint32_t>(seed);
    auto const residents = random_lists(seed, size % 11, size % 5, with_ties);
    auto const hospitals = random_lists(seed + 1'000, size % 5, size % 11, with_ties);
    std::vector<std::uint32_t> const seats(hospitals.lists.size(), 2);
    auto const joined =
        hr::join_lists(TypeParam(), lists_of<TypeParam>(residents, with_ties),
                       lists_of<TypeParam>(hospitals, with_ties), on_device<TypeParam>(seats));
    std::vector<std::int64_t> offsets{0};
    std::vector<std::uint32_t> kept, keys, tiers;
    std::uint64_t listed = 0;
    for (std::uint32_t resident = 0; resident < residents.lists.size(); ++resident) {
      for (auto const& [hospital, tier] : residents.lists[resident]) {
        ++listed;
        for (auto const& [other, key] : hospitals.lists[hospital]) {
          if (other == resident) {
            kept.push_back(hospital);
            keys.push_back(key);
            tiers.push_back(tier);
          }
        }
      }
      offsets.push_back(static_cast<std::int64_t>(kept.size()));
    }
    std::uint64_t mentions = 0;
    for (auto const& list : hospitals.lists) {
      mentions += list.size();
    }
    EXPECT_EQ(on_host(joined.market.offsets), offsets);
    EXPECT_EQ(on_host(joined.market.hospitals), kept);
    EXPECT_EQ(on_host(joined.market.keys), keys);
    EXPECT_EQ(on_host(joined.market.seats), seats);
    EXPECT_EQ(on_host(joined.resident_tiers), with_ties ? tiers : std::vector<std::uint32_t>());
    EXPECT_EQ(joined.only_residents, listed - kept.size());
    EXPECT_EQ(joined.only_hospitals, mentions - kept.size());
    one_sided += joined.only_residents + joined.only_hospitals;
  }
  EXPECT_GT(one_sided, 0u);
}

TYPED_TEST(JoinLists, RefusesExtentsThatDisagree) {
  auto const side = lists_of<TypeParam>(random_lists(1, 4, 3, false), false);
  auto const other = lists_of<TypeParam>(random_lists(2, 3, 4, false), false);
  auto const two = on_device<TypeParam>(std::vector<std::uint32_t>{1, 1});
  EXPECT_EQ(message_of([&] { hr::join_lists(TypeParam(), side, other, two); }),
            "taper::hospitals_residents::join_lists: seats has 2 entries for 3 hospitals");
}

}  // namespace
