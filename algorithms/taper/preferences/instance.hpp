// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/error.hpp>
#include <taper/preferences/limits.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

// Preference lists of two sides.
// Used by: stable marriage, which re-exports these names, and the stable marriage constraint.

namespace taper::preferences {

/// An n x n table of ids or ranks. Each row belongs to one person and is contiguous. `Space` is a
/// memory space or an execution space.
template <class Id, class Space>
using Table = Kokkos::View<Id**, Kokkos::LayoutRight, Space>;
template <class Id, class Space>
using ConstTable = Kokkos::View<const Id**, Kokkos::LayoutRight, Space>;

/// The preference lists of both sides. Entry (p, r) is the id of the person that p ranks r-th,
/// the best first; ids and ranks count from 0. `Preferences` is the View type of both tables.
///
/// Requires: each row is a permutation of 0 .. n-1. find_bad_row() checks this, solve() does not.
template <class Preferences>
struct Instance {
  static_assert(Kokkos::is_view_v<Preferences> && Preferences::rank == 2,
                "Instance: preference lists are rank-2 Kokkos Views");
  static_assert(std::is_same_v<typename Preferences::array_layout, Kokkos::LayoutRight>,
                "Instance: preference lists are LayoutRight, each list contiguous");
  static_assert(std::is_const_v<typename Preferences::value_type>,
                "Instance: preference lists are Views of const ids");

  using Id = typename Preferences::non_const_value_type;
  using MemorySpace = typename Preferences::memory_space;
  static_assert(std::is_same_v<Id, std::uint16_t> || std::is_same_v<Id, std::uint32_t>,
                "Instance: ids are std::uint16_t (n <= 65,535) or std::uint32_t");

  Preferences men;    ///< n x n: the lists of the side that files call men
  Preferences women;  ///< n x n: the lists of the side that files call women

  std::size_t size() const { return men.extent(0); }
};

template <class Men, class Women>
Instance(Men, Women) -> Instance<Men>;

/// Throws: taper::Error if `Id` cannot number n people. The message begins with `function`.
template <class Id>
void require_ids(std::string const& function, std::size_t n) {
  TAPER_REQUIRE(n <= max_people_for<Id>, function + ": n = " + std::to_string(n) +
                                             " needs wider ids: " + std::to_string(8 * sizeof(Id)) +
                                             "-bit ids number at most " +
                                             std::to_string(max_people_for<Id>));
}

/// Throws: taper::Error unless both tables are n x n for one n that the id type can number.
template <class Preferences>
void require_square(char const* function, Instance<Preferences> const& instance) {
  auto const extents = [](Preferences const& table) {
    return std::to_string(table.extent(0)) + " x " + std::to_string(table.extent(1));
  };
  auto const n = instance.size();
  TAPER_REQUIRE(instance.men.extent(1) == n && instance.women.extent(0) == n &&
                    instance.women.extent(1) == n,
                std::string(function) + ": the tables must be n x n for one n, but men is " +
                    extents(instance.men) + " and women is " + extents(instance.women));
  require_ids<typename Instance<Preferences>::Id>(function, n);
}

}  // namespace taper::preferences
