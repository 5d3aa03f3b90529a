// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/hospitals_residents/market.hpp>
#include <taper/huge_pages.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

namespace taper::hospitals_residents::detail {

/// Places for items that will lie group after group, in any order within a group.
template <class MemorySpace>
struct GroupPlaces {
  Kokkos::View<std::uint64_t*, MemorySpace> first;  ///< groups + 1
  /// Per group: its next free place. A kernel that moves items takes places by atomic additions.
  Kokkos::View<AtomicWord*, MemorySpace> next;
};

/// The places of items whose groups are `group_of`. `what`: the items, for the labels.
/// Used by: the hospitals' lists, and the join of both sides' lists.
template <class Exec, class Ids>
GroupPlaces<typename Ids::memory_space> places_of_groups(Exec const& where, std::string const& what,
                                                         Ids const& group_of,
                                                         std::uint64_t groups) {
  using Memory = typename Ids::memory_space;
  std::string const name = "taper::hospitals_residents::";
  GroupPlaces<Memory> places;
  places.first = allocate_large<Kokkos::View<std::uint64_t*, Memory>>(where, name + "first_" + what,
                                                                      groups + 1);
  places.next =
      Kokkos::View<AtomicWord*, Memory>(Kokkos::view_alloc(where, name + "next_" + what), groups);
  auto const first = places.first;
  auto const next = places.next;
  Kokkos::parallel_for(
      name + "count_" + what, ItemRange<Exec>(where, 0, group_of.extent(0)),
      KOKKOS_LAMBDA(std::uint64_t item) {
        Kokkos::atomic_add(&next(group_of(item)), AtomicWord{1});
      });
  // A group's number of items becomes its first place.
  Kokkos::parallel_scan(
      name + "first_" + what, ItemRange<Exec>(where, 0, groups + 1),
      KOKKOS_LAMBDA(std::uint64_t group, std::uint64_t & before, bool final) {
        std::uint64_t const items = group < groups ? next(group) : 0;
        if (final) {
          first(group) = before;
          if (group < groups) {
            next(group) = before;
          }
        }
        before += items;
      });
  return places;
}

}  // namespace taper::hospitals_residents::detail
