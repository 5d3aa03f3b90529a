// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/pack.hpp>
#include <taper/stable_marriage/notes.hpp>
#include <taper/stable_marriage/propose.hpp>
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
  AtomicWord read =
      0;  ///< entries of lists for single ranks, and 64 for each of them or place in a queue
};

/// One step of a free proposer: Propose, where ranks are not known before somebody has looked. He
/// joins the queue of a receiver who has not looked through her list yet, and his chain ends there.
/// Another's notes have his rank, or say that she is certain to reject him; or she looks for his rank
/// down to her partner's.
///
/// Equivalent to: Propose, with proposals to those who have not looked put off. Any order of
/// proposals ends in the same matching (McVitie and Wilson 1971).
template <class Notes, class Lists>
struct Court {
  using Id = typename Notes::Id;
  using Memory = typename Notes::Memory;
  static constexpr std::uint32_t entries_a_miss = 64;

  Notes notes;
  Lists proposers;
  Lists receivers;
  Standing<Id, Memory> standing;
  Queues<Memory> queues;
  Kokkos::View<CourtTally, Memory> counters;
  std::uint32_t n;

  Outcome operator()(Chain& chain, CourtTally& tally) const {
    if (chain.position == n) {
      return Outcome::retired;  // as in Propose: solve says so
    }
    std::uint32_t const begin = chain.position;
    Proposal<Id> proposal{};
    Noted const noted = notes.turn(chain, proposers, proposal);
    tally.proposals += chain.position - begin;
    if (noted == Noted::rejections) {
      return Outcome::again;
    }
    ++chain.position;
    ++tally.proposals;
    AtomicWord const seen = relaxed_load(standing.best(proposal.receiver));
    if (is_queue(seen)) {
      join(seen, proposal.receiver, chain, tally);
      return Outcome::retired;
    }
    // Standing ranks only fall: who is no better than one that is old is rejected for certain.
    auto const bound = static_cast<std::uint32_t>(Offer::get<offer_rank>(seen));
    if (noted == Noted::nothing) {
      proposal.rank = static_cast<Id>(
          position_of<Id>(receivers[proposal.receiver], bound, static_cast<Id>(chain.proposer)));
      tally.read += proposal.rank + entries_a_miss;
    }
    return proposal.rank < bound ? offer(chain, proposal, tally) : Outcome::again;
  }

  void expect(Chain const& chain) const {
    notes.expect(chain);
    prefetch(proposers[chain.proposer] + chain.position);
  }

  void publish(CourtTally const& tally) const {
    Kokkos::atomic_add(&counters().offers.acceptances, tally.offers.acceptances);
    Kokkos::atomic_add(&counters().offers.atomic_operations, tally.offers.atomic_operations);
    Kokkos::atomic_add(&counters().offers.failed_compare_exchanges,
                       tally.offers.failed_compare_exchanges);
    Kokkos::atomic_add(&counters().proposals, tally.proposals);
    Kokkos::atomic_add(&counters().read, tally.read);
  }

 private:
  Outcome offer(Chain& chain, Proposal<Id> const& proposal, CourtTally& tally) const {
    AtomicWord const offer =
        Offer::pack(std::uint32_t{proposal.rank}, chain.proposer, chain.position);
    AtomicWord const before = FetchMin<Id, Memory>{standing}(proposal, offer, tally.offers);
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
    CompareExchange<Id, Memory> const contention{standing};
    AtomicWord joined;
    do {
      queues.places(chain.proposer) = {queue_last(queue), chain.position};
      joined = queue_with(queue, chain.proposer);
    } while (!contention.exchange(receiver, queue, joined, tally.offers));
    tally.read += entries_a_miss;
    if (queue_length(joined) == 2) {
      queues.crowded(Kokkos::atomic_fetch_add(&queues.crowds(), 1u)) =
          static_cast<std::uint32_t>(receiver);
    }
  }
};

/// Each worker takes the next few free proposers, one after another, and follows each and whoever he
/// displaces into a queue. That is a leg that shares no count of its chains, which are many and short.
template <class Notes, class Lists>
struct FollowIntoQueues {
  Court<Notes, Lists> court;
  Kokkos::View<Chain const*, typename Notes::Memory> chains;
  std::uint64_t live;
  std::uint64_t few;
  Kokkos::View<AtomicWord, typename Notes::Memory> taken;
  std::uint64_t proposals;  ///< after which a worker puts his chains back
  Kokkos::View<std::uint8_t*, typename Notes::Memory> free;  ///< as in LookThroughLists

  void operator()(std::uint64_t) const {
    constexpr std::uint64_t chains_ahead = 4;
    CourtTally tally;
    for (std::uint64_t begin;
         (begin = Kokkos::atomic_fetch_add(&taken(), AtomicWord{few})) < live;) {
      std::uint64_t const end = Kokkos::min(begin + few, live);
      for (std::uint64_t i = begin; i < end; ++i) {
        court.expect(chains(Kokkos::min(i + chains_ahead, live - 1)));
        Chain chain = chains(i);
        Outcome outcome = Outcome::again;
        while (outcome != Outcome::retired && tally.proposals <= proposals) {
          outcome = court(chain, tally);
        }
        if (outcome != Outcome::retired) {
          court.queues.places(chain.proposer) = {0, chain.position};
          free(court.notes.turn_of(chain.proposer)) = 1;
        }
      }
    }
    court.publish(tally);
  }
};

/// Receivers look through their lists, each down to the first who is in her queue: he is her
/// partner, and the others are free. On the way she makes her notes. Each worker takes the next
/// receiver and has marks of its own.
template <class Notes, class Lists>
struct LookThroughLists {
  using Id = typename Notes::Id;
  using Memory = typename Notes::Memory;

  Notes notes;
  Lists lists;
  Standing<Id, Memory> standing;
  Queues<Memory> queues;
  Kokkos::View<std::uint32_t const*, Memory> looking;
  std::uint32_t receivers;
  Kokkos::View<Mark**, Kokkos::LayoutRight, Memory> marks;  ///< workers x notes.marks(), all 0
  Kokkos::View<std::uint8_t*, Memory> free;  ///< of the proposer whose turn it is: 1 if he is free
  Kokkos::View<AtomicWord, Memory> taken;    ///< receivers
  std::uint32_t n;

  void operator()(std::uint64_t worker) const {
    std::uint64_t const workers = marks.extent(0);
    for (std::uint64_t i; (i = Kokkos::atomic_fetch_add(&taken(), AtomicWord{1})) < receivers;) {
      if (i + workers < receivers) {
        expect(lists[looking(i + workers)]);
      }
      choose(static_cast<Id>(looking(i)), &marks(worker, 0));
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
    typename Notes::Look look(notes, receiver, mark);
    queues.each(queue, [&](std::uint32_t proposer) { look.add_to_queue(proposer); });
    Id const* const list = lists[receiver];
    std::uint32_t const position = look.first(list, n);

    // A list that is no permutation may have none of them: then all are rejected.
    standing.best(receiver) = no_offer;
    queues.each(queue, [&](std::uint32_t proposer) {
      if (position < n && list[position] == proposer) {
        standing.best(receiver) =
            Offer::pack(position, proposer, queues.places(proposer).proposals);
      } else {
        free(notes.turn_of(proposer)) = 1;
      }
      mark[proposer] = 0;
    });
  }
};

}  // namespace taper::stable_marriage::detail
