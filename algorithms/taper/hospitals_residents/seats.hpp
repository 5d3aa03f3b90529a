// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/backend.hpp>
#include <taper/hospitals_residents/market.hpp>
#include <taper/hospitals_residents/offer.hpp>
#include <taper/huge_pages.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>

namespace taper::hospitals_residents::detail {

/// The number of words of a hospital: one per seat, and further ones. In rounds these hold offers
/// that wait for a selection, in chains the bounds of the hospital's blocks of seats. 0 if it has
/// no seats.
KOKKOS_INLINE_FUNCTION std::uint32_t word_count(std::uint32_t seats) {
  return seats == 0 ? 0 : seats + Kokkos::max(7u, seats / 2);
}

/// No cut-off yet: the hospital has not been full.
inline constexpr std::uint32_t no_cutoff = std::numeric_limits<std::uint32_t>::max();

/// What a proposal reads of a hospital before its seats. In 16 bytes, so that one access gets it.
struct alignas(16) Desk {
  std::uint64_t first;   ///< the index of its first word
  std::uint32_t seats;   ///< the number of its seats
  std::uint32_t cutoff;  ///< see admits()
};

/// False if a hospital with this cut-off certainly rejects the offer. A cut-off is the upper half
/// of an offer that was no better than any offer that the hospital held when it was full. A worker
/// may read an old cut-off: then it only searches the seats in vain.
KOKKOS_INLINE_FUNCTION bool admits(std::uint32_t cutoff, AtomicWord offer) {
  return offer >> 32 <= cutoff;
}

/// The seats of all hospitals. A seat is one word: the offer that it holds, or `empty_seat`.
/// Used by: rounds and chains, of one process and of several.
template <class MemorySpace>
struct Seats {
  Kokkos::View<AtomicWord*, MemorySpace> words;  ///< hospital after hospital, word_count() each
  Kokkos::View<Desk*, MemorySpace> desks;
  /// Per hospital: the number of its words that are in use, or will be at once. It may exceed
  /// word_count(), since it also counts offers that found no room.
  Kokkos::View<std::uint32_t*, MemorySpace> offers;

  /// A copy of the desk of a hospital, perhaps with an old cut-off. A GPU reads it in one access,
  /// through its L1 cache.
  KOKKOS_FUNCTION Desk desk(std::uint64_t hospital) const {
    Desk const& shared = desks(hospital);
    KOKKOS_IF_ON_HOST((return {shared.first, shared.seats, relaxed_load(shared.cutoff)};))
    KOKKOS_IF_ON_DEVICE((return shared;))
  }

  /// Lowers the cut-off to the upper half of `bound`. `desk`: as it was read before.
  /// Requires: no seat of the hospital holds a worse offer than `bound`.
  ///
  /// The race is benign: each value that any worker writes is a valid cut-off.
  KOKKOS_FUNCTION void lower_cutoff(std::uint64_t hospital, Desk const& desk,
                                    AtomicWord bound) const {
    auto const cutoff = static_cast<std::uint32_t>(bound >> 32);
    if (cutoff < desk.cutoff) {
      relaxed_store(desks(hospital).cutoff, cutoff);
    }
  }
};

/// Allocates the seats of all hospitals of the market, all empty.
///
/// Async: `where` is not fenced at the end. Cost: 8 bytes per word, and 20 per hospital.
template <class Exec, class Space>
Seats<typename Exec::memory_space> make_seats(Exec const& where, Market<Space> const& market) {
  using Memory = typename Exec::memory_space;
  using Range = ItemRange<Exec>;
  std::uint64_t const hospitals = market.hospital_count();

  Seats<Memory> made;
  made.desks = allocate_large<Kokkos::View<Desk*, Memory>>(
      where, "taper::hospitals_residents::desks", hospitals);
  std::uint64_t total = 0;
  auto const desks = made.desks;
  auto const seats = market.seats;
  Kokkos::parallel_scan(
      "taper::hospitals_residents::open_desks", Range(where, 0, hospitals),
      KOKKOS_LAMBDA(std::uint64_t hospital, std::uint64_t & before, bool final) {
        if (final) {
          desks(hospital) = {before, seats(hospital), no_cutoff};
        }
        before += word_count(seats(hospital));
      },
      total);
  made.words = allocate_large<Kokkos::View<AtomicWord*, Memory>>(
      where, "taper::hospitals_residents::words", total);
  Kokkos::deep_copy(where, made.words, empty_seat);
  made.offers = allocate_large<Kokkos::View<std::uint32_t*, Memory>>(
      where, "taper::hospitals_residents::offers", hospitals);
  Kokkos::deep_copy(where, made.offers, 0u);
  return made;
}

}  // namespace taper::hospitals_residents::detail
