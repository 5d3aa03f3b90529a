// SPDX-License-Identifier: Apache-2.0
#include <taper/preferences/view_lists.hpp>
#include <taper/rotations/rotations.hpp>

#include <support/error_message.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace {

using taper::preferences::lists_of;
using taper::testing::message_of;
using Offsets = Kokkos::View<std::int64_t*, Kokkos::HostSpace>;
using Ids = Kokkos::View<std::int32_t*, Kokkos::HostSpace>;

template <class View>
View view_of(std::vector<typename View::value_type> const& entries) {
  View const view("entries", entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    view(i) = entries[i];
  }
  return view;
}

TEST(ListsOf, ViewsSolve) {
  auto const offsets = view_of<Offsets>({0, 2, 4});
  Kokkos::View<std::int32_t const*, Kokkos::HostSpace> const men = view_of<Ids>({0, 1, 1, 0});
  auto const women = view_of<Ids>({1, 0, 0, 1});
  taper::rotations::Market const market{lists_of(offsets, men, 2), lists_of(offsets, women, 2)};
  auto const poset = taper::rotations::find_rotations(market);
  EXPECT_EQ(taper::rotations::count_stable_matchings(poset).matchings, 2u);
}

TEST(ListsOf, FaultsThrow) {
  auto const fault = [](std::vector<std::int64_t> const& offsets,
                        std::vector<std::int32_t> const& ids) {
    return message_of([&] { lists_of(view_of<Offsets>(offsets), view_of<Ids>(ids), 2); });
  };
  std::string const function = "taper::preferences::lists_of: ";
  EXPECT_EQ(fault({0, 1, 2}, {0, 2}), function + "list 1, entry 0: the id is not one of 0 to 1");
  EXPECT_EQ(fault({0, 2}, {1, 1}), function + "list 0, entry 1: the id is in the list already");
  EXPECT_EQ(fault({0, 1}, {0, 1}), function + "list 0: the offsets do not divide the ids");
  Kokkos::View<std::int32_t**, Kokkos::LayoutRight, Kokkos::HostSpace> const table("table", 2, 2);
  auto const column = Kokkos::subview(table, Kokkos::ALL, 0);
  EXPECT_EQ(message_of([&] {
              lists_of(view_of<Offsets>({0, 2}), column, 2);
            }),
            function + "the Views must be contiguous");
}

}  // namespace
