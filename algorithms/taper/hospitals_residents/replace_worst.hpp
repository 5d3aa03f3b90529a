// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/hospitals_residents/offer.hpp>
#include <taper/hospitals_residents/seats.hpp>
#include <taper/random.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>

// How one offer at a time takes a seat, while other workers bring offers to the same hospital.
// Used by: the chains.

namespace taper::hospitals_residents::detail {

/// Hospitals with more seats than this have their seats in blocks.
inline constexpr std::uint32_t max_seats_in_one_block = 24;

/// Seats per block of a hospital with many seats: about the square root of their number, so that a
/// search reads as many bounds as seats, in multiples of a cache line.
KOKKOS_INLINE_FUNCTION std::uint32_t seats_per_block(std::uint32_t seats) {
  std::uint32_t block = 8;
  while (block * block < seats) {
    block += 8;
  }
  return block;
}

/// Puts offers into seats.
///
/// A hospital accepts an offer by an atomic minimum on the seat that holds its worst offer. So a
/// word never rises, and every bound that was true once stays true. All races below rest on that.
///
/// With blocks, the words after the seats are bounds: no seat of a block is worse than its bound.
/// `empty_seat` is always a bound.
template <class MemorySpace>
struct ReplaceWorst {
  Seats<MemorySpace> seats;

  /// Gives the hospital an offer, and returns the offer that it rejects: this one, the worst one
  /// that it held, or `empty_seat` if a seat was free.
  ///
  /// Each pass of the loop returns, or another worker has improved a seat of this hospital in
  /// between. So the passes of all workers are at most the improvements of all seats.
  KOKKOS_FUNCTION AtomicWord operator()(std::uint64_t hospital, AtomicWord offer) const {
    std::uint64_t const first = seats.desks(hospital).first;
    std::uint32_t const count = seats.desks(hospital).seats;
    if (count == 0) {
      return offer;
    }
    // While seats are free, offers begin to look at different ones.
    bool const full = relaxed_load(seats.desks(hospital).cutoff) != no_cutoff;
    std::uint32_t const spread = full ? 0 : static_cast<std::uint32_t>(scatter_bits(offer));
    for (bool again = false;; again = true) {
      Worst const worst = find_worst(first, count, spread, again);
      if (offer > worst.word) {
        seats.lower_cutoff(hospital, worst.word);
        return offer;
      }
      AtomicWord const held = Kokkos::atomic_fetch_min(&seats.words(worst.index), offer);
      if (held == worst.word) {
        // No seat was worse at that moment, since no other has got worse since it was read.
        if (worst.bound != no_bound) {
          relaxed_store(seats.words(worst.bound), Kokkos::max(worst.next_in_block, offer));
        }
        seats.lower_cutoff(hospital, Kokkos::max(worst.next, offer));
        return held;
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
  KOKKOS_FUNCTION Worst find_worst(std::uint64_t first, std::uint32_t count, std::uint32_t spread,
                                   [[maybe_unused]] bool again) const {
    if (count <= max_seats_in_one_block) {
      return worst_of(first, count, spread, again);
    }
    std::uint32_t const block = seats_per_block(count);
    std::uint32_t const blocks = (count + block - 1) / block;
    std::uint64_t const bounds = first + count;
    for (;; again = true) {
      Worst const top = worst_of(bounds, blocks, spread, again);
      auto const offset = static_cast<std::uint32_t>(top.index - bounds) * block;
      Worst worst = worst_of(first + offset, Kokkos::min(block, count - offset), spread, again);
      if (worst.word < top.word) {
        relaxed_store(seats.words(top.index), worst.word);
      }
      if (worst.word >= top.next) {
        worst.bound = top.index;
        worst.next_in_block = worst.next;
        worst.next = Kokkos::max(worst.next, top.next);
        return worst;
      }
    }
  }

  /// The worst of `count` words. If several are empty, the first of them from a place on that
  /// depends on `spread`.
  KOKKOS_FUNCTION Worst worst_of(std::uint64_t begin, std::uint32_t count, std::uint32_t spread,
                                 [[maybe_unused]] bool again) const {
    std::uint64_t const start = begin + (std::uint64_t{spread} * count >> 32);
    Worst worst{begin, 0, 0, 0, no_bound};
    scan(start, begin + count, worst, again);
    scan(begin, start, worst, again);
    return worst;
  }

  /// The first search reads a GPU's L1 cache, which may be late: a late word is a bound as well. If
  /// it was late where it matters, the atomic minimum shows it, and the next search reads the L2
  /// cache.
  KOKKOS_FUNCTION void scan(std::uint64_t index, std::uint64_t end, Worst& worst,
                            [[maybe_unused]] bool again) const {
    for (; index < end; ++index) {
      AtomicWord word = 0;
      KOKKOS_IF_ON_HOST((word = relaxed_load(seats.words(index));))
      KOKKOS_IF_ON_DEVICE((word = again ? relaxed_load(seats.words(index)) : seats.words(index);))
      if (word > worst.word) {
        worst.next = worst.word;
        worst.word = word;
        worst.index = index;
      } else if (word > worst.next) {
        worst.next = word;
      }
    }
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
