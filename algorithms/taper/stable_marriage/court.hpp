// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/pack.hpp>
#include <taper/stable_marriage/first_columns.hpp>
#include <taper/stable_marriage/propose.hpp>
#include <taper/stable_marriage/sieve.hpp>
#include <taper/stable_marriage/state.hpp>
#include <taper/tapering.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::stable_marriage::detail {

// --- Queues: receivers who have not looked through their lists yet ---
//
// Such a receiver has a queue in the place of an offer: a word whose rank is the largest, the
// proposer the last who joined, the proposals as many less than the largest as there are in it.
// no_offer is the empty queue, any offer is less than any queue.

inline bool is_queue(AtomicWord word) {
  return Offer::get<offer_rank>(word) == Offer::largest<offer_rank>;
}
inline std::uint32_t queue_length(AtomicWord queue) {
  return static_cast<std::uint32_t>(Offer::largest<offer_proposals> -
                                    Offer::get<offer_proposals>(queue));
}
inline std::uint32_t queue_last(AtomicWord queue) {
  return static_cast<std::uint32_t>(Offer::get<offer_proposer>(queue));
}
inline AtomicWord queue_with(AtomicWord queue, std::uint32_t proposer) {
  return Offer::pack(Offer::largest<offer_rank>, std::uint64_t{proposer},
                     Offer::get<offer_proposals>(queue) - 1);
}

/// Of a proposer who waits in a queue.
struct QueuePlace {
  std::uint32_t before;     ///< who joined before him
  std::uint32_t proposals;  ///< that he has made
};

template <class MemorySpace>
struct Queues {
  Kokkos::View<QueuePlace*, MemorySpace> places;
  /// Receivers with several in their queues, each once.
  Kokkos::View<std::uint32_t*, MemorySpace> crowded;
  Kokkos::View<std::uint32_t, MemorySpace> crowds;  ///< how many

  template <ExecutionSpace Exec>
  Queues(Exec const& where, std::uint64_t n)
      : places(Kokkos::view_alloc(where, Kokkos::WithoutInitializing,
                                  "taper::stable_marriage::queue_places"),
               n),
        crowded(Kokkos::view_alloc(where, Kokkos::WithoutInitializing,
                                   "taper::stable_marriage::crowded"),
                n),
        crowds(Kokkos::view_alloc(where, "taper::stable_marriage::crowds")) {}

  /// Calls use(proposer) for all in a queue.
  template <class Use>
  void each(AtomicWord queue, Use const& use) const {
    std::uint32_t proposer = queue_last(queue);
    for (std::uint32_t k = queue_length(queue); k > 0; --k) {
      std::uint32_t const before = places(proposer).before;
      use(proposer);
      proposer = before;
    }
  }
};

/// The position of `person` in the first `end` of a list; `end` if not there.
template <class Id>
std::uint32_t position_of(Id const* list, std::uint32_t end, Id person) {
  constexpr std::uint32_t run = 128;
  std::uint32_t begin = 0;
  while (begin + run <= end &&
         !any_of<Id, run>(pack_at<Compared<Id, run>>(list + begin), person, person)) {
    begin += run;
  }
  while (begin < end && list[begin] != person) {
    ++begin;
  }
  return begin;
}

/// What a worker counts of a courtship.
struct CourtTally {
  Tally offers;
  AtomicWord proposals = 0;
  AtomicWord looks = 0;  ///< at a list, for the rank of one proposer
};

/// One proposal of a free proposer: Propose, where ranks are not known before somebody has looked.
/// He joins the queue of a receiver who has not looked at her list yet, and his chain ends there.
/// Of another all ranks that matter are in the first columns; for a proposer who is past these she
/// looks for his rank down to her partner's.
///
/// Equivalent to: Propose, with proposals to those who have not looked put off. Any order of
/// proposals ends in the same matching (McVitie and Wilson 1971).
template <class Id_, class Lists, class MemorySpace>
struct Court {
  using Id = Id_;
  using State = Chain;
  using Tally = CourtTally;

  FirstColumns<Id, MemorySpace> columns;
  Lists proposers;
  Lists receivers;
  Standing<Id, MemorySpace> standing;
  Queues<MemorySpace> queues;
  Kokkos::View<CourtTally, MemorySpace> counters;
  std::uint32_t n;

  Outcome operator()(Chain& chain, CourtTally& tally) const {
    if (chain.position == n) {
      return Outcome::retired;  // as in Propose: solve says so
    }
    bool const noted = columns.has(chain);
    auto proposal = noted ? columns(chain)
                          : Proposal<Id>{proposers(chain.proposer, chain.position), padding<Id>};
    ++chain.position;
    ++tally.proposals;
    AtomicWord const seen = relaxed_load(standing.best(proposal.receiver));
    if (is_queue(seen)) {
      join(seen, proposal.receiver, chain, tally);
      return Outcome::retired;
    }
    // Standing ranks only fall: who is no better than one that is old is rejected for certain.
    auto const bound = static_cast<std::uint32_t>(Offer::get<offer_rank>(seen));
    if (!noted) {
      ++tally.looks;
      proposal.rank = static_cast<Id>(
          position_of<Id>(receivers[proposal.receiver], bound, static_cast<Id>(chain.proposer)));
    }
    return proposal.rank < bound ? offer(chain, proposal, tally) : Outcome::again;
  }

  std::uint32_t progress(Chain const& chain) const { return chain.position; }
  void expect(Chain const& chain) const { columns.expect(chain); }

  void publish(CourtTally const& tally) const {
    Kokkos::atomic_add(&counters().offers.acceptances, tally.offers.acceptances);
    Kokkos::atomic_add(&counters().offers.atomic_operations, tally.offers.atomic_operations);
    Kokkos::atomic_add(&counters().offers.failed_compare_exchanges,
                       tally.offers.failed_compare_exchanges);
    Kokkos::atomic_add(&counters().proposals, tally.proposals);
    Kokkos::atomic_add(&counters().looks, tally.looks);
  }

 private:
  Outcome offer(Chain& chain, Proposal<Id> const& proposal, CourtTally& tally) const {
    AtomicWord const offer =
        Offer::pack(std::uint32_t{proposal.rank}, chain.proposer, chain.position);
    AtomicWord const before = FetchMin<Id, MemorySpace>{standing}(proposal, offer, tally.offers);
    if (before == offer) {
      return Outcome::again;
    }
    ++tally.offers.acceptances;
    chain = {static_cast<std::uint32_t>(Offer::get<offer_proposer>(before)),
             static_cast<std::uint32_t>(Offer::get<offer_proposals>(before))};
    return Outcome::handed_over;
  }

  /// Queues become offers between legs alone: what is a queue now is one when he has joined it.
  void join(AtomicWord queue, std::size_t receiver, Chain const& chain, CourtTally& tally) const {
    CompareExchange<Id, MemorySpace> const contention{standing};
    AtomicWord joined;
    do {
      queues.places(chain.proposer) = {queue_last(queue), chain.position};
      joined = queue_with(queue, chain.proposer);
    } while (!contention.exchange(receiver, queue, joined, tally.offers));
    if (queue_length(joined) == 2) {
      queues.crowded(Kokkos::atomic_fetch_add(&queues.crowds(), 1u)) =
          static_cast<std::uint32_t>(receiver);
    }
  }
};

/// Receivers look through their lists, each down to the first who is in her queue: he is her
/// partner, and the others are free. On the way the first columns get the ranks of whoever has her
/// there. Each worker takes the next receiver and has a mark for each proposer.
template <class Id_, class Lists, class MemorySpace>
struct LookThroughLists {
  using Id = Id_;
  using Mark = std::uint8_t;
  static constexpr Mark in_queue = 0x80;  ///< else, or too: his column, counted from 1
  static_assert(FirstColumns<Id, MemorySpace>::columns < in_queue);

  FirstColumns<Id, MemorySpace> columns;
  Lists lists;
  Standing<Id, MemorySpace> standing;
  Queues<MemorySpace> queues;
  Kokkos::View<std::uint32_t const*, MemorySpace> looking;
  std::uint32_t receivers;
  Kokkos::View<Mark**, Kokkos::LayoutRight, MemorySpace> marks;  ///< workers x n, all 0
  Kokkos::View<Chain*, MemorySpace> free;
  Kokkos::View<AtomicWord[2], MemorySpace> counts;  ///< receivers taken, proposers free
  std::uint32_t n;

  void operator()(std::uint64_t worker) const {
    Mark* const mark = &marks(worker, 0);
    std::uint64_t const workers = marks.extent(0);
    for (std::uint64_t i; (i = Kokkos::atomic_fetch_add(&counts(0), AtomicWord{1})) < receivers;) {
      if (i + workers < receivers) {
        expect(lists[looking(i + workers)]);
      }
      choose(static_cast<Id>(looking(i)), mark);
    }
  }

 private:
  /// The first KiB of a list; whoever reads on in order is served by the hardware.
  static void expect(Id const* list) {
    for (std::uint32_t i = 0; i < 1024; i += 64) {
      prefetch(reinterpret_cast<char const*>(list) + i);
    }
  }

  void choose(Id receiver, Mark* mark) const {
    AtomicWord const queue = standing.best(receiver);
    Sieve<Id> sieve(mark);
    each_suit(receiver, [&](std::uint32_t proposer, std::uint32_t column) {
      mark[proposer] = static_cast<Mark>(column + 1);
      sieve.put(proposer);
    });
    queues.each(queue, [&](std::uint32_t proposer) {
      mark[proposer] |= in_queue;
      sieve.put(proposer);
    });

    Id const* const list = lists[receiver];
    std::uint32_t const position = note_ranks(receiver, list, mark, sieve);
    // A list that is no permutation may have none of them: then all are rejected.
    std::uint32_t const rejected = queue_length(queue) - (position < n ? 1 : 0);
    std::uint64_t slot = Kokkos::atomic_fetch_add(&counts(1), AtomicWord{rejected});
    standing.best(receiver) = no_offer;
    queues.each(queue, [&](std::uint32_t proposer) {
      std::uint32_t const proposals = queues.places(proposer).proposals;
      if (position < n && list[position] == proposer) {
        standing.best(receiver) = Offer::pack(position, proposer, proposals);
      } else {
        free(slot++) = {proposer, proposals};
      }
      mark[proposer] = 0;
    });
    each_suit(receiver, [&](std::uint32_t proposer, std::uint32_t) { mark[proposer] = 0; });
  }

  /// Goes down the list to the first in the queue; n if there is none.
  std::uint32_t note_ranks(Id receiver, Id const* list, Mark const* mark,
                           Sieve<Id> const& sieve) const {
    return first_held(sieve, list, n, n, [&](std::uint32_t position) {
      std::uint32_t const proposer = list[position];
      std::uint32_t const column = mark[proposer] & Mark{0x7f};
      if (column != 0) {
        columns.note_rank(proposer * columns.columns + column - 1, receiver, position);
      }
      return (mark[proposer] & in_queue) != 0;
    });
  }

  template <class Use>
  void each_suit(Id receiver, Use const& use) const {
    for (std::uint32_t i = columns.suits_begin(receiver); i < columns.suits_begin(receiver + 1u);
         ++i) {
      use(columns.suits(i) / columns.columns, columns.suits(i) % columns.columns);
    }
  }
};

}  // namespace taper::stable_marriage::detail
