// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/lanes.hpp>
#include <taper/marriage_propagator/domains.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>

namespace taper::marriage_propagator::detail {

// --- Lanes: how a worker looks for the next value at which something happens. A question's ask(value)
// reads what does not depend on others, hear(asked) what others write, and is_wanted() judges. ---

/// A worker that is one thread.
struct OneLane {
  template <class Question>
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t first(std::uint32_t begin, std::uint32_t end,
                                                  Question& question) const {
    for (; begin < end; ++begin) {
      auto const asked = question.ask(begin);
      if (question.is_wanted(begin, asked, question.hear(asked))) {
        break;
      }
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
  template <class Question>
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t first(std::uint32_t begin, std::uint32_t,
                                                  Question&) const {
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

  template <class Question>
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t first(std::uint32_t begin, std::uint32_t end,
                                                  Question& question) const {
    // Most look no further than the first few; the others have far to go.
    std::uint32_t next = begin + width;
    std::uint32_t found = look<1>(begin, end, question);
    if (found == next && next < end) {
      begin = next;
      next += 4 * width;
      found = look<4>(begin, end, question);
    }
    while (found == next && next < end) {
      begin = next;
      next += 8 * width;
      found = look<8>(begin, end, question);
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
  /// Tests `times` values with each lane; the first that is wanted, or the one behind them. All is
  /// asked, and then all heard, without a branch between: what a loop did in turn, waiting for each,
  /// took a search with missing values a third longer. Requires: end > 0.
  template <std::uint32_t times, class Question>
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t look(std::uint32_t begin, std::uint32_t end,
                                                 Question& question) const {
    decltype(question.ask(begin)) asked[times];
    decltype(question.hear(asked[0])) heard[times];
    TAPER_UNROLL
    for (std::uint32_t i = 0; i < times; ++i) {
      asked[i] = question.ask(Kokkos::min(begin + i * width + lane, end - 1));
    }
    TAPER_UNROLL
    for (std::uint32_t i = 0; i < times; ++i) {
      heard[i] = question.hear(asked[i]);
    }
    bool is_wanted[times];
    TAPER_UNROLL
    for (std::uint32_t i = 0; i < times; ++i) {
      std::uint32_t const value = begin + i * width + lane;
      is_wanted[i] = question.is_wanted(value, asked[i], heard[i]) & (value < end);
    }
    TAPER_UNROLL
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
/// free a man while the proposer stays free: such a man goes to a worker who has nobody left, and
/// where there is none waits in a list of this worker's own, linked through `next`, until it is done
/// with the one at hand.
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

  /// Who would take a proposer, or be told that he is missing.
  struct Suit {
    Tighten const& tighten;
    std::uint32_t proposer;
    std::uint32_t seen_at = nobody;  ///< the first value that this lane found wanted
    Word seen = 0;                   ///< who stood there

    KOKKOS_FORCEINLINE_FUNCTION Proposal ask(std::uint32_t value) const {
      return tighten.proposal(proposer, value);
    }
    KOKKOS_FORCEINLINE_FUNCTION Word hear(Proposal const& to_her) const {
      return relaxed_load(tighten.receivers.offer[to_her.receiver]);
    }
    KOKKOS_FORCEINLINE_FUNCTION bool is_wanted(std::uint32_t value, Proposal const& to_her,
                                               Word standing) {
      bool const wanted = to_her.offer < standing;
      bool const is_first = wanted & (value < seen_at);
      seen_at = is_first ? value : seen_at;
      seen = is_first ? standing : seen;
      return wanted;
    }
  };

  /// Follows `chain` and all whom it frees. Offers only fall, so an old copy of
  /// one that beats a proposal rejects it for certain, and a rejected proposal
  /// changes nothing whether the value is there or not.
  ///
  /// `books` lowers offers and takes notes; it knows of workers who have nobody left, and may call a
  /// halt, and is then given whoever is still free.
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
      Suit suit{*this, chain.proposer};
      std::uint32_t const value = lanes.first(chain.position, proposers.n, suit);
      if (value == proposers.n) {
        lanes.once([&] {
          books.fail();
          return 0;
        });
        return;
      }
      if (suit.seen_at == value && is_engaged(suit.seen)) {
        // Whom she leaves goes on from here: it comes while her offer is lowered.
        prefetch(&proposers.candidates(proposer_of(suit.seen), value_of(suit.seen)));
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
      Chain const freed{proposer_of(before), value_of(before) + 1};
      lanes.once([&] {
        books.improved(receivers, best.receiver, before, best.offer);
        if (accepted) {
          books.moved(proposers, chain.proposer, value);
        } else if (frees) {
          books.moved(proposers, freed.proposer, freed.position);
        }
        return 0;
      });
      if (!accepted) {
        chain.position = value + 1;
        if (frees) {
          bool const given = books.give(lanes, freed);
          if (!given) {
            lanes.once([&] {
              books.fence();  // acquire: whoever had him last has read his link
              next[freed.proposer] = waiting;
              return 0;
            });
            waiting = freed.proposer;
          }
        }
      } else if (frees) {
        chain = freed;
      } else if (waiting == nobody) {
        bool const received = books.receive(lanes, chain);
        if (!received) {
          return;
        }
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
