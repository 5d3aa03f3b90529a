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

/// The words of a hospital: its seats, and room for offers that wait for a selection, or for the
/// bounds of its blocks. None if it has no seats.
KOKKOS_INLINE_FUNCTION std::uint32_t word_count(std::uint32_t seats) {
  return seats == 0 ? 0 : seats + Kokkos::max(7u, seats / 2);
}

/// No cut-off yet: the hospital has not been full.
inline constexpr std::uint32_t no_cutoff = std::numeric_limits<std::uint32_t>::max();

/// What a worker that brings an offer has to know of a hospital, in one sector of memory.
struct alignas(16) Desk {
  std::uint64_t first;  ///< where its words begin
  std::uint32_t seats;
  std::uint32_t cutoff;  ///< see admits()
};

/// False if a hospital with this cut-off certainly rejects the offer. A cut-off is the upper half of
/// an offer that was at least as bad as each that the hospital held, once it was full. A late
/// cut-off only costs a search of the seats.
KOKKOS_INLINE_FUNCTION bool admits(std::uint32_t cutoff, AtomicWord offer) {
  return offer >> 32 <= cutoff;
}

/// The seats of all hospitals. Each is one word: the offer that it holds, or `empty_seat`.
template <class MemorySpace>
struct Seats {
  Kokkos::View<AtomicWord*, MemorySpace> words;  ///< hospital after hospital, word_count() each
  Kokkos::View<Desk*, MemorySpace> desks;
  /// Per hospital, the words in use, or about to be. May exceed word_count(), by offers without room.
  Kokkos::View<std::uint32_t*, MemorySpace> offers;

  /// The desk of a hospital. Its cut-off may be late. A GPU reads it in one access, through its L1
  /// cache.
  KOKKOS_FUNCTION Desk desk(std::uint64_t hospital) const {
    Desk const& shared = desks(hospital);
    KOKKOS_IF_ON_HOST((return {shared.first, shared.seats, relaxed_load(shared.cutoff)};))
    KOKKOS_IF_ON_DEVICE((return shared;))
  }

  /// Lowers the cut-off to that of `bound`, if no seat of the hospital is worse. `desk` was read
  /// before. A benign race: each value that is written is a cut-off.
  KOKKOS_FUNCTION void lower_cutoff(std::uint64_t hospital, Desk const& desk,
                                    AtomicWord bound) const {
    auto const cutoff = static_cast<std::uint32_t>(bound >> 32);
    if (cutoff < desk.cutoff) {
      relaxed_store(desks(hospital).cutoff, cutoff);
    }
  }
};

/// Empty seats for all hospitals of the market.
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
