// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/error.hpp>
#include <taper/preferences/lists.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <type_traits>

// Preference lists of any length in Kokkos Views.
// Used by: users of rotations and roommates.

namespace taper::preferences {

/// The lists in two Views of host memory: std::int64_t offsets, and std::int32_t ids of agents
/// 0 .. others - 1. The result refers to the Views' memory, which must outlive it.
///
/// Throws: taper::Error if a View is not contiguous, or with the first fault of the lists.
/// Cost: that of find_fault().
template <class Offsets, class Ids>
Lists lists_of(Offsets const& offsets, Ids const& ids, std::int32_t others) {
  static_assert(Kokkos::is_view_v<Offsets> && Offsets::rank == 1 && Kokkos::is_view_v<Ids> &&
                    Ids::rank == 1,
                "lists_of: offsets and ids are rank-1 Kokkos Views");
  static_assert(std::is_same_v<typename Offsets::non_const_value_type, std::int64_t> &&
                    std::is_same_v<typename Ids::non_const_value_type, std::int32_t>,
                "lists_of: offsets are std::int64_t, ids are std::int32_t");
  static_assert(
      Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Offsets::memory_space>::accessible &&
          Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Ids::memory_space>::accessible,
      "lists_of: Views must be accessible from the host");
  std::string const function = "taper::preferences::lists_of: ";
  TAPER_REQUIRE(offsets.span_is_contiguous() && ids.span_is_contiguous(),
                function + "the Views must be contiguous");
  Lists const lists{{offsets.data(), offsets.extent(0)}, {ids.data(), ids.extent(0)}};
  if (auto const fault = find_fault(lists, others)) {
    using Kind = ListFault::Kind;
    std::string const entry = ", entry " + std::to_string(fault->entry);
    throw Error(function + "list " + std::to_string(fault->agent) +
                (fault->kind == Kind::offsets ? ": the offsets do not divide the ids"
                 : fault->kind == Kind::duplicate
                     ? entry + ": the id is in the list already"
                     : entry + ": the id is not one of 0 to " + std::to_string(others - 1)));
  }
  return lists;
}

}  // namespace taper::preferences
