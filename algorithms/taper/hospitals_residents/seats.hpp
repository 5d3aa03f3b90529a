// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/arena.hpp>
#include <taper/atomics.hpp>
#include <taper/backend.hpp>
#include <taper/hospitals_residents/market.hpp>
#include <taper/hospitals_residents/offer.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace taper::hospitals_residents::detail {

/// Hospitals with more seats than this have their seats in blocks.
inline constexpr std::uint32_t max_seats_in_one_block = 24;

/// What a hospital's words have room for, besides its seats.
enum class Room {
  offers,  ///< offers that wait for a selection, or the bounds of blocks
  bounds   ///< the bounds of blocks alone
};

/// The number of words of a hospital: one per seat, and further ones. In rounds these hold offers
/// that wait for a selection, in chains the bounds of the hospital's blocks of seats. 0 if it has
/// no seats.
KOKKOS_INLINE_FUNCTION std::uint32_t word_count(std::uint32_t seats, Room room = Room::offers) {
  if (seats == 0 || (room == Room::bounds && seats <= max_seats_in_one_block)) {
    return seats;
  }
  return seats + Kokkos::max(7u, seats / 2);
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

/// A cut-off in 16 bits: a number of 5 bits that says how long it is, and its 11 bits after the
/// first. A lower cut-off never gets a greater code, so codes reject no offer that the cut-offs admit.
///
/// Those of ten million hospitals fit the L2 cache of a GPU; their desks do not.
KOKKOS_INLINE_FUNCTION std::uint16_t brief(std::uint32_t cutoff) {
  constexpr unsigned kept = 11;
  auto const length = static_cast<unsigned>(32 - Kokkos::countl_zero(cutoff));
  if (length <= kept + 1) {
    return static_cast<std::uint16_t>(cutoff);
  }
  unsigned const dropped = length - kept - 1;
  return static_cast<std::uint16_t>((dropped << kept) + (cutoff >> dropped));
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
  /// Per hospital, brief() of its cut-off, which its desk then lacks. Without entries: the desks have
  /// the cut-offs.
  Kokkos::View<std::uint16_t*, MemorySpace> brief_cutoffs = {};
  /// The number of seats of each hospital, if it is the same for all and their words are their seats;
  /// desks are not read then. Else 0.
  std::uint32_t equal_seats = 0;
  Kokkos::View<std::byte*, MemorySpace> memory = {};  ///< of all that is above

  KOKKOS_FUNCTION bool has_brief_cutoffs() const { return brief_cutoffs.extent(0) > 0; }

  /// The brief cut-off of a hospital. It may be late, as desk() may be.
  KOKKOS_FUNCTION std::uint16_t brief_cutoff(std::uint64_t hospital) const {
    KOKKOS_IF_ON_HOST((return relaxed_load(brief_cutoffs(hospital));))
    KOKKOS_IF_ON_DEVICE((return brief_cutoffs(hospital);))
  }

  /// A copy of the desk of a hospital, perhaps with an old cut-off. A GPU reads it in one access,
  /// through its L1 cache.
  KOKKOS_FUNCTION Desk desk(std::uint64_t hospital) const {
    if (equal_seats > 0) {
      return {hospital * equal_seats, equal_seats, no_cutoff};
    }
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
    if (has_brief_cutoffs()) {
      std::uint16_t const code = brief(cutoff);
      if (code < brief_cutoff(hospital)) {
        relaxed_store(brief_cutoffs(hospital), code);
      }
    } else if (cutoff < desk.cutoff) {
      relaxed_store(desks(hospital).cutoff, cutoff);
    }
  }
};

/// What a run has to know of all seats before it makes them.
struct SeatNumbers {
  std::uint64_t sum;
  std::uint32_t least;  ///< of a hospital
  std::uint32_t most;
};

template <class Exec, class Space>
SeatNumbers count_seats(Exec const& where, Market<Space> const& market) {
  SeatNumbers found{0, 0, 0};
  auto const seats = market.seats;
  Kokkos::parallel_reduce(
      "taper::hospitals_residents::count_seats", ItemRange<Exec>(where, 0, market.hospital_count()),
      KOKKOS_LAMBDA(std::uint64_t hospital, std::uint64_t & sum, std::uint32_t & least,
                    std::uint32_t & most) {
        std::uint32_t const own = seats(hospital);
        sum += own;
        least = Kokkos::min(least, own);
        most = Kokkos::max(most, own);
      },
      found.sum, Kokkos::Min<std::uint32_t>(found.least), Kokkos::Max<std::uint32_t>(found.most));
  return found;
}

/// The words of all hospitals.
template <class Exec, class Space>
std::uint64_t count_words(Exec const& where, Market<Space> const& market, Room room,
                          SeatNumbers const& numbers) {
  std::uint64_t words = numbers.sum;
  if (room == Room::offers || numbers.most > max_seats_in_one_block) {
    auto const seats = market.seats;
    Kokkos::parallel_reduce(
        "taper::hospitals_residents::count_words",
        ItemRange<Exec>(where, 0, market.hospital_count()),
        KOKKOS_LAMBDA(std::uint64_t hospital, std::uint64_t & sum) {
          sum += word_count(seats(hospital), room);
        },
        words);
  }
  return words;
}

/// Allocates the seats of all hospitals of the market at once, all empty. `briefly`: with brief
/// cut-offs.
///
/// Async: `where` is not fenced at the end. Cost: 8 bytes per word, and 20 per hospital, 22 with
/// brief cut-offs.
template <class Exec, class Space>
Seats<typename Exec::memory_space> make_seats(Exec const& where, Market<Space> const& market,
                                              Room room, SeatNumbers const& numbers, bool briefly) {
  using Memory = typename Exec::memory_space;
  using Range = ItemRange<Exec>;
  std::uint64_t const hospitals = market.hospital_count();
  std::uint64_t const words = count_words(where, market, room, numbers);

  Seats<Memory> made;
  auto const take_from = [&](Arena<Memory>& arena) {
    made.words = arena.template take<Kokkos::View<AtomicWord*, Memory>>(words);
    made.desks = arena.template take<Kokkos::View<Desk*, Memory>>(hospitals);
    made.offers = arena.template take<Kokkos::View<std::uint32_t*, Memory>>(hospitals);
    made.brief_cutoffs =
        arena.template take<Kokkos::View<std::uint16_t*, Memory>>(briefly ? hospitals : 0);
  };
  Arena<Memory> measured;
  take_from(measured);
  Arena<Memory> arena(where, "taper::hospitals_residents::seats", measured.used());
  take_from(arena);
  made.memory = arena.memory();

  auto const desks = made.desks;
  auto const offers = made.offers;
  auto const brief_cutoffs = made.brief_cutoffs;
  auto const seats = market.seats;
  Kokkos::parallel_scan(
      "taper::hospitals_residents::open_desks", Range(where, 0, hospitals),
      KOKKOS_LAMBDA(std::uint64_t hospital, std::uint64_t & before, bool final) {
        if (final) {
          desks(hospital) = {before, seats(hospital), no_cutoff};
          offers(hospital) = 0;
          if (brief_cutoffs.extent(0) > 0) {
            brief_cutoffs(hospital) = brief(no_cutoff);
          }
        }
        before += word_count(seats(hospital), room);
      });
  Kokkos::deep_copy(where, made.words, empty_seat);
  return made;
}

template <class Exec, class Space>
Seats<typename Exec::memory_space> make_seats(Exec const& where, Market<Space> const& market,
                                              Room room = Room::offers) {
  return make_seats(where, market, room, count_seats(where, market), false);
}

}  // namespace taper::hospitals_residents::detail
