// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/hospitals_residents/offer.hpp>
#include <taper/hospitals_residents/seats.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>

// How one offer at a time takes a seat, while other workers bring offers to the same hospital.
// Used by: the chains.

namespace taper::hospitals_residents::detail {

/// Seats per block of a hospital with many seats: about the square root of their number, so that a
/// search reads as many bounds as seats, in multiples of a cache line.
KOKKOS_INLINE_FUNCTION std::uint32_t seats_per_block(std::uint32_t seats) {
  std::uint32_t block = 8;
  while (block * block < seats) {
    block += 8;
  }
  return block;
}

/// Searches and replaces offers in words that other workers change, too.
///
/// A hospital accepts an offer by an atomic minimum on the seat that holds its worst offer. So a
/// word never rises, and every bound that was true once stays true. All races below rest on that.
///
/// With blocks, the words after the seats are bounds: no seat of a block is worse than its bound.
/// `empty_seat` is always a bound.
template <class MemorySpace>
struct SeatSearch {
  Kokkos::View<AtomicWord*, MemorySpace> words;

  struct Result {
    AtomicWord rejected;  ///< the offer, or the worst one before, or `empty_seat`: a seat was free
    AtomicWord bound;     ///< no seat is worse
  };

  /// Gives an offer to the hospital whose seats begin at `first`.
  ///
  /// Each pass of the loop returns, or another worker has improved a seat of this hospital in
  /// between. So the passes of all workers are at most the improvements of all seats.
  KOKKOS_FUNCTION Result replace(std::uint64_t first, std::uint32_t count, AtomicWord offer) const {
    for (bool again = false;; again = true) {
      Worst const worst = find_worst(first, count, again);
      if (offer > worst.word) {
        return {offer, worst.word};
      }
      AtomicWord const held = Kokkos::atomic_fetch_min(&words(worst.index), offer);
      if (held == worst.word) {
        // No seat was worse at that moment, since no other has got worse since it was read.
        if (worst.bound != no_bound) {
          relaxed_store(words(worst.bound), Kokkos::max(worst.next_in_block, offer));
        }
        return {held, Kokkos::max(worst.next, offer)};
      }
      // Another offer came first. The worse of the two still has to be compared with all seats.
      offer = Kokkos::max(held, offer);
    }
  }

 private:
  static constexpr std::uint64_t no_bound = std::numeric_limits<std::uint64_t>::max();

  struct Worst {
    std::uint64_t index;       ///< in `words`
    AtomicWord word;           ///< what that seat holds
    AtomicWord next;           ///< no other seat is worse
    AtomicWord next_in_block;  ///< no other seat of its block is worse
    std::uint64_t bound;       ///< where the bound of its block is
  };

  /// A seat that holds the hospital's worst offer.
  ///
  /// With blocks, the block of the greatest bound is searched. If its worst seat is below its own
  /// bound, the bound is lowered; if it is also below the next bound, another block may have a
  /// worse seat. Concurrent stores to a bound are benign: each value is a bound.
  KOKKOS_FUNCTION Worst find_worst(std::uint64_t first, std::uint32_t count, bool again) const {
    if (count <= max_seats_in_one_block) {
      return worst_of(first, count, again);
    }
    std::uint32_t const block = seats_per_block(count);
    std::uint32_t const blocks = (count + block - 1) / block;
    std::uint64_t const bounds = first + count;
    for (;; again = true) {
      Worst const top = worst_of(bounds, blocks, again);
      auto const offset = static_cast<std::uint32_t>(top.index - bounds) * block;
      Worst worst = worst_of(first + offset, Kokkos::min(block, count - offset), again);
      if (worst.word < top.word) {
        relaxed_store(words(top.index), worst.word);
      }
      if (worst.word >= top.next) {
        worst.bound = top.index;
        worst.next_in_block = worst.next;
        worst.next = Kokkos::max(worst.next, top.next);
        return worst;
      }
    }
  }

  /// The worst of `count` words. Reads some of them together, so that they do not wait for each
  /// other.
  KOKKOS_FUNCTION Worst worst_of(std::uint64_t begin, std::uint32_t count, bool again) const {
    constexpr std::uint32_t together = 4;
    Worst worst{begin, 0, 0, 0, no_bound};
    for (std::uint32_t i = 0; i < count; i += together) {
      AtomicWord found[together];
      for (std::uint32_t j = 0; j < together; ++j) {
        found[j] = i + j < count ? read(begin + i + j, again) : 0;
      }
      for (std::uint32_t j = 0; j < together; ++j) {
        bool const is_worse = found[j] > worst.word;
        worst.next = Kokkos::max(worst.next, is_worse ? worst.word : found[j]);
        worst.word = is_worse ? found[j] : worst.word;
        worst.index = is_worse ? begin + i + j : worst.index;
      }
    }
    return worst;
  }

  /// The first search reads a GPU's L1 cache, which may be late: a late word is a bound as well. If
  /// it was late where it matters, the atomic minimum shows it, and the next search reads the L2
  /// cache.
  KOKKOS_FUNCTION AtomicWord read(std::uint64_t index, [[maybe_unused]] bool again) const {
    KOKKOS_IF_ON_HOST((return relaxed_load(words(index));))
    KOKKOS_IF_ON_DEVICE((return again ? relaxed_load(words(index)) : words(index);))
  }
};

/// Puts offers into seats.
///
/// While a hospital has free seats, each offer draws a seat of its own. Afterwards the offer is
/// compared with all seats.
template <class MemorySpace>
struct ReplaceWorst {
  Seats<MemorySpace> seats;

  /// Gives the hospital an offer, and returns the offer that it rejects: this one, the worst one
  /// that it held, or `empty_seat` if a seat was free.
  KOKKOS_FUNCTION AtomicWord operator()(std::uint64_t hospital, AtomicWord offer) const {
    Desk const desk = seats.desk(hospital);
    if (!admits(desk.cutoff, offer) || desk.seats == 0) {
      return offer;
    }
    if (may_have_free_seats(hospital, desk)) {
      offer = draw_seat(hospital, desk, offer);
      if (offer == empty_seat) {
        return offer;
      }
    }
    auto const result = SeatSearch<MemorySpace>{seats.words}.replace(desk.first, desk.seats, offer);
    seats.lower_cutoff(hospital, desk, result.bound);
    return result.rejected;
  }

 private:
  /// False if no seat is free, or if a search finds a free seat as fast as a draw: with few seats and
  /// brief cut-offs, which spare the counters' memory.
  KOKKOS_FUNCTION bool may_have_free_seats(std::uint64_t hospital, Desk const& desk) const {
    if (!seats.has_brief_cutoffs()) {
      return desk.cutoff == no_cutoff;
    }
    return desk.seats > max_seats_in_one_block && seats.brief_cutoff(hospital) == brief(no_cutoff);
  }

  /// Puts the offer into the next free seat, if there is one. Returns what still has to be compared
  /// with all seats: the offer, or the worse of two; `empty_seat`: nothing.
  ///
  /// A seat that is drawn is empty until its offer arrives. Another worker may find it empty, and
  /// put an offer there first.
  KOKKOS_FUNCTION AtomicWord draw_seat(std::uint64_t hospital, Desk const& desk,
                                       AtomicWord offer) const {
    if (relaxed_load(seats.offers(hospital)) >= desk.seats) {
      return offer;
    }
    std::uint32_t const seat = Kokkos::atomic_fetch_add(&seats.offers(hospital), 1u);
    if (seat >= desk.seats) {
      return offer;
    }
    AtomicWord const held = Kokkos::atomic_fetch_min(&seats.words(desk.first + seat), offer);
    return held == empty_seat ? held : Kokkos::max(held, offer);
  }
};

/// Makes bounds of the words behind the seats of a hospital. They had offers of the rounds.
template <class MemorySpace>
struct ClearBounds {
  Seats<MemorySpace> seats;

  KOKKOS_FUNCTION void operator()(std::uint64_t hospital) const {
    Desk const desk = seats.desks(hospital);
    if (desk.seats > max_seats_in_one_block) {
      for (std::uint32_t i = desk.seats; i < word_count(desk.seats); ++i) {
        seats.words(desk.first + i) = empty_seat;
      }
    }
  }
};

}  // namespace taper::hospitals_residents::detail
