// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/lanes.hpp>
#include <taper/marriage_propagator/domains.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>

namespace taper::marriage_propagator::detail {

// --- Lanes: how a worker looks for the next value at which something happens
// ---

/// A worker that is one thread.
struct OneLane {
  template <class Wanted>
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t first(std::uint32_t begin, std::uint32_t end,
                                                  Wanted const& wanted) const {
    while (begin < end && !wanted(begin)) {
      ++begin;
    }
    return begin;
  }
  template <class Act>
  KOKKOS_FORCEINLINE_FUNCTION auto once(Act const& act) const {
    return act();
  }
};

/// A worker that is one thread and proposes without a look at who stands. Where many turn to the
/// same few, what a look finds is old before it is there.
struct BlindLane : OneLane {
  template <class Wanted>
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t first(std::uint32_t begin, std::uint32_t,
                                                  Wanted const&) const {
    return begin;
  }
};

/// A worker that is the lanes of one thread of a team: they test as many values at once. Each lane
/// runs all of the worker's program, with what the others have found.
template <ExecutionSpace Exec>
struct VectorLanes {
  using All = taper::Lanes<Exec>;
  static constexpr std::uint32_t width = All::count;

  std::uint32_t lane;

  template <class Wanted>
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t first(std::uint32_t begin, std::uint32_t end,
                                                  Wanted const& wanted) const {
    // Most look no further than the first few; the others have far to go.
    std::uint32_t next = begin + width;
    std::uint32_t found = look<1>(begin, end, wanted);
    while (found == next && next < end) {
      begin = next;
      next += 4 * width;
      found = look<4>(begin, end, wanted);
    }
    return Kokkos::min(found, end);
  }
  template <class Act>
  KOKKOS_FORCEINLINE_FUNCTION auto once(Act const& act) const {
    decltype(act()) result{};
    if (lane == 0) {
      result = act();
    }
    return All::from(0, result);
  }

 private:
  /// Tests `times` values with each lane; the first that is wanted, or the one behind them.
  template <std::uint32_t times, class Wanted>
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t look(std::uint32_t begin, std::uint32_t end,
                                                 Wanted const& wanted) const {
    bool is_wanted[times];
    for (std::uint32_t i = 0; i < times; ++i) {
      std::uint32_t const value = begin + i * width + lane;
      is_wanted[i] = value < end && wanted(value);
    }
    for (std::uint32_t i = 0; i < times; ++i) {
      std::uint32_t const ahead = All::first(is_wanted[i]);
      if (ahead < width) {
        return begin + i * width + ahead;
      }
    }
    return begin + times * width;
  }
};

inline constexpr std::uint32_t nobody = std::numeric_limits<std::uint32_t>::max();

/// Phase 2, the constraint itself (the paper's Algorithm 3): a free man
/// proposes down his list, missing values included, until a woman takes him;
/// whoever she was engaged to is the worker's next man. A missing value can
/// free a man while the proposer stays free: such men wait in a list of the
/// worker's own, linked through `next`, until he is done with the one at hand.
///
/// Domains are not written here. A pair (m, w) is left iff m's bit is set and
/// w's offer keeps m's rank, so all that the proposals remove is implied by n
/// offers, and prune() writes it out row by row.
///
/// Men and women are as in the paper; with the sides exchanged, women propose.
template <class Id>
struct Tighten {
  Side<Id> proposers;
  Side<Id> receivers;
  std::uint32_t* next;

  /// One value of a proposer: whom it means, and the offer that he makes.
  struct Proposal {
    std::uint32_t receiver;
    Word offer;
  };

  KOKKOS_FORCEINLINE_FUNCTION Proposal proposal(std::uint32_t proposer, std::uint32_t value) const {
    Twin const twin = proposers.twin(proposer, value);
    return {twin.person, proposers.has(proposer, value) ? engaged(twin.value, proposer, value)
                                                        : open(twin.value)};
  }

  /// Follows `chain` and all whom it frees. Offers only fall, so an old copy of
  /// one that beats a proposal rejects it for certain, and a rejected proposal
  /// changes nothing whether the value is there or not.
  ///
  /// `books` lowers offers and takes notes; it may also call a halt, and is
  /// then given whoever is still free.
  template <class Lanes, class Books>
  KOKKOS_FUNCTION void operator()(Lanes const& lanes, Books& books, Chain chain) const {
    std::uint32_t waiting = nobody;
    for (;;) {
      if (lanes.once([&] { return books.halts(); })) {
        lanes.once([&] {
          books.park(chain);
          for (; waiting != nobody; waiting = next[waiting]) {
            books.park({waiting, relaxed_load(proposers.first[waiting])});
          }
          return 0;
        });
        return;
      }
      std::uint32_t seen_at = nobody;  // by this lane
      Word seen = 0;
      std::uint32_t const value =
          lanes.first(chain.position, proposers.n, [&](std::uint32_t candidate) {
            Proposal const to_her = proposal(chain.proposer, candidate);
            Word const standing = relaxed_load(receivers.offer[to_her.receiver]);
            bool const wanted = to_her.offer < standing;
            if (wanted && candidate < seen_at) {
              seen_at = candidate;
              seen = standing;
            }
            return wanted;
          });
      if (value == proposers.n) {
        lanes.once([&] {
          books.fail();
          return 0;
        });
        return;
      }
      if (seen_at == value && is_engaged(seen)) {
        // Whom she leaves goes on from here: it comes while her offer is lowered.
        prefetch(&proposers.candidates(proposer_of(seen), value_of(seen)));
      }
      Proposal const best = proposal(chain.proposer, value);
      Word const before =
          lanes.once([&] { return books.lower(receivers.offer[best.receiver], best.offer); });
      if (before <= best.offer) {
        chain.position = value + 1;
        continue;
      }
      bool const accepted = is_engaged(best.offer);
      bool const frees = is_engaged(before);
      waiting = lanes.once([&] {
        books.improved(receivers, best.receiver, before, best.offer);
        if (accepted) {
          books.moved(proposers, chain.proposer, value);
        } else if (frees) {
          books.fence();  // acquire: whoever had him last has read his link
          next[proposer_of(before)] = waiting;
          books.moved(proposers, proposer_of(before), value_of(before) + 1);
          return proposer_of(before);
        }
        return waiting;
      });
      if (!accepted) {
        chain.position = value + 1;
      } else if (frees) {
        chain = {proposer_of(before), value_of(before) + 1};
      } else if (waiting == nobody) {
        return;
      } else {
        Word const popped = lanes.once([&] {
          Word const position = relaxed_load(proposers.first[waiting]);
          Word const link = next[waiting];
          books.fence();  // release: the link has been read before anybody can free him anew
          return position << 32 | link;
        });
        chain = {waiting, static_cast<std::uint32_t>(popped >> 32)};
        waiting = static_cast<std::uint32_t>(popped);
      }
    }
  }
};

}  // namespace taper::marriage_propagator::detail
