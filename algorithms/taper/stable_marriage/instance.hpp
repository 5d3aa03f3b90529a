// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/contract.hpp>
#include <taper/stable_marriage/options.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

namespace taper::stable_marriage {

/// An n x n table of ids or ranks, one person's row contiguous. `Space` is a memory or execution
/// space.
template <class Id, class Space>
using Table = Kokkos::View<Id**, Kokkos::LayoutRight, Space>;
template <class Id, class Space>
using ConstTable = Kokkos::View<const Id**, Kokkos::LayoutRight, Space>;

/// The most people a side that an id type can number, one value left for "nobody".
template <class Id>
inline constexpr std::size_t max_size = std::min<std::uint64_t>(std::numeric_limits<Id>::max(),
                                                                max_people);

/// Both sides' preference lists: entry (p, r) is the id of the person that p ranks r-th, the best
/// first.
///
/// Requires each row to be a permutation of 0 .. n-1 (see find_bad_row(); not checked by solve).
template <class Preferences>
struct Instance {
  static_assert(Kokkos::is_view_v<Preferences> && Preferences::rank == 2,
                "Instance: preference lists are rank-2 Kokkos Views");
  static_assert(std::is_same_v<typename Preferences::array_layout, Kokkos::LayoutRight>,
                "Instance: preference lists are LayoutRight, a person's list contiguous");
  static_assert(std::is_const_v<typename Preferences::value_type>,
                "Instance: preference lists are Views of const ids");

  using Id = typename Preferences::non_const_value_type;
  using MemorySpace = typename Preferences::memory_space;
  static_assert(std::is_same_v<Id, std::uint16_t> || std::is_same_v<Id, std::uint32_t>,
                "Instance: ids are std::uint16_t (n <= 65,535) or std::uint32_t");

  Preferences men;
  Preferences women;

  std::size_t size() const { return men.extent(0); }
};

template <class Men, class Women>
Instance(Men, Women) -> Instance<Men>;

namespace detail {

template <class Id>
void require_ids(std::string const& function, std::size_t n) {
  TAPER_REQUIRE(n <= max_size<Id>, function + ": n = " + std::to_string(n) +
                                       " needs wider ids: " + std::to_string(8 * sizeof(Id)) +
                                       "-bit ids number at most " + std::to_string(max_size<Id>));
}

/// Throws unless both tables are n x n for one n that the id type can number.
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

}  // namespace detail
}  // namespace taper::stable_marriage
