// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/backend.hpp>
#include <taper/rows.hpp>
#include <taper/stable_marriage/state.hpp>
#include <taper/tapering.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>

// The kernels of a round after its proposals, in their order: 1 collect the new offers of the
// replica, 2 take the offers of other processes, 3 take the best offers of all receivers. Messages
// travel between 1 and 2, and between 2 and 3. Then the kernels for process 0, if it finishes.
// Used by: DistributedRun.

namespace taper::stable_marriage::detail {

/// An offer in a message; or, without a receiver, a free proposer. The word of a free proposer has
/// rank 0, and the number of proposals that it has made.
struct SentOffer {
  static constexpr std::uint32_t no_receiver = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t receiver;
  std::uint32_t upper;  ///< two halves of the offer's word, so that a record takes 12 bytes
  std::uint32_t lower;

  KOKKOS_FUNCTION static SentOffer of(std::uint64_t receiver, AtomicWord word) {
    return {static_cast<std::uint32_t>(receiver), static_cast<std::uint32_t>(word >> 32),
            static_cast<std::uint32_t>(word)};
  }
  KOKKOS_FUNCTION static SentOffer of(Chain const& free) {
    return of(no_receiver, Offer::pack(0u, free.proposer, free.position));
  }

  KOKKOS_FUNCTION AtomicWord word() const { return AtomicWord{upper} << 32 | lower; }
  KOKKOS_FUNCTION std::uint32_t proposer() const {
    return static_cast<std::uint32_t>(Offer::get<offer_proposer>(word()));
  }
  KOKKOS_FUNCTION std::uint32_t proposals() const {
    return static_cast<std::uint32_t>(Offer::get<offer_proposals>(word()));
  }
};
static_assert(sizeof(SentOffer) == 12);

/// A list of free proposers of this process, to which kernels add.
template <class Memory>
struct FreeProposers {
  std::uint32_t first;                         ///< the first proposer of this process
  std::uint32_t count;                         ///< the number of proposers of this process
  Kokkos::View<Chain*, Memory> chains;         ///< the free ones
  Kokkos::View<std::uint64_t, Memory> number;  ///< of the free ones

  /// Below `first` the difference wraps to a large number.
  KOKKOS_FUNCTION bool has(std::uint32_t proposer) const { return proposer - first < count; }

  /// Adds the proposer of an offer if it belongs to this process. No proposer is added twice, since
  /// each offer is beaten once.
  KOKKOS_FUNCTION void add(AtomicWord offer) const {
    auto const proposer = static_cast<std::uint32_t>(Offer::get<offer_proposer>(offer));
    if (offer != no_offer && has(proposer)) {
      chains(Kokkos::atomic_fetch_add(&number(), std::uint64_t{1})) = {
          proposer, static_cast<std::uint32_t>(Offer::get<offer_proposals>(offer))};
    }
  }
};

/// 1. Collects the standing offers that have changed since all processes knew them. A scan over
/// receivers.
template <class Memory>
struct CollectChanges {
  Kokkos::View<AtomicWord*, Memory> best;
  Kokkos::View<AtomicWord*, Memory> known;
  Kokkos::View<SentOffer*, Memory> changes;

  KOKKOS_FUNCTION void operator()(std::uint64_t receiver, std::uint64_t& before, bool final) const {
    AtomicWord const now = best(receiver);
    if (now == known(receiver)) {
      return;
    }
    if (final) {
      changes(before) = SentOffer::of(receiver, now);
    }
    ++before;
  }
};

/// 2. The receivers of this process take the offers that came. Offers of own proposers are in the
/// replica already. An own proposer that loses becomes free. A proposer of another process learns
/// that it has lost from the better offer, which travels next.
template <class Memory>
struct TakeOffers {
  Kokkos::View<SentOffer*, Memory> came;
  Kokkos::View<AtomicWord*, Memory> best;
  FreeProposers<Memory> free;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    AtomicWord const offer = came(i).word();
    AtomicWord const before = Kokkos::atomic_fetch_min(&best(came(i).receiver), offer);
    free.add(Kokkos::max(before, offer));
  }
};

/// 3. The replica takes the best offers, which all processes know now. No race: each receiver
/// occurs once. Counts the receivers that had no offer before.
template <class Id, class Memory>
struct TakeNews {
  Kokkos::View<SentOffer*, Memory> news;
  StandingOffers<Id, Memory> standing;
  Kokkos::View<AtomicWord*, Memory> known;
  FreeProposers<Memory> free;
  /// Whether own proposers whose offers were beaten become free. If process 0 finishes, they do
  /// not: it proposes for them, and its messages name those that are free.
  bool beaten_are_free;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& first_offers) const {
    SentOffer const sent = news(i);
    AtomicWord const word = sent.word();
    if (sent.receiver == SentOffer::no_receiver) {
      free.add(word);
      return;
    }
    AtomicWord const before = standing.best(sent.receiver);
    if (beaten_are_free && before != word) {
      free.add(before);
    }
    first_offers += known(sent.receiver) == no_offer ? 1u : 0u;
    known(sent.receiver) = word;
    standing.best(sent.receiver) = word;
    standing.rank_limit(sent.receiver) = static_cast<Id>(Offer::get<offer_rank>(word));
  }
};

// --- If process 0 finishes ---

/// Sets the number of proposals that each own proposer with a standing offer has made.
template <class Memory>
struct SetPositionsOfHolders {
  Kokkos::View<AtomicWord*, Memory> best;
  FreeProposers<Memory> own;
  Kokkos::View<std::uint32_t*, Memory> positions;

  KOKKOS_FUNCTION void operator()(std::uint64_t receiver) const {
    AtomicWord const offer = best(receiver);
    auto const proposer = static_cast<std::uint32_t>(Offer::get<offer_proposer>(offer));
    if (offer != no_offer && own.has(proposer)) {
      positions(proposer - own.first) =
          static_cast<std::uint32_t>(Offer::get<offer_proposals>(offer));
    }
  }
};

/// The same for free own proposers. Their chains become the first records of the message to process
/// 0.
template <class Memory>
struct SetPositionsOfFree {
  FreeProposers<Memory> own;
  Kokkos::View<std::uint32_t*, Memory> positions;
  Kokkos::View<SentOffer*, Memory> records;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    positions(own.chains(i).proposer - own.first) = own.chains(i).position;
    records(i) = SentOffer::of(own.chains(i));
  }
};

/// Finds the next candidates of each own proposer, at most `length`: the receivers after its last
/// proposal whose standing offers are worse. Receivers that it skips never accept it later, since
/// standing offers only get better.
template <class Id, class Memory>
struct FindCandidates {
  Rows<Id const> lists;
  Rows<Id const> ordered_ranks;
  Kokkos::View<Id*, Memory> rank_limit;
  Kokkos::View<std::uint32_t*, Memory> positions;
  std::uint32_t first;
  std::uint32_t n;
  std::uint32_t length;
  Kokkos::View<SentOffer*, Memory> slots;      ///< `length` per proposer
  Kokkos::View<std::uint32_t*, Memory> found;  ///< per proposer

  KOKKOS_FUNCTION void operator()(std::uint64_t proposer) const {
    std::uint32_t count = 0;
    for (std::uint32_t position = positions(proposer); position < n && count < length; ++position) {
      Id const receiver = lists(proposer, position);
      Id const rank = ordered_ranks(proposer, position);
      if (rank < rank_limit(receiver)) {
        slots(proposer * length + count++) = SentOffer::of(
            receiver, Offer::pack(std::uint32_t{rank}, first + static_cast<std::uint32_t>(proposer),
                                  position + 1));
      }
    }
    found(proposer) = count;
  }
};

/// Moves the candidates of all own proposers together, without gaps. A scan over the proposers.
template <class Memory>
struct MoveCandidates {
  Kokkos::View<SentOffer*, Memory> slots;
  Kokkos::View<std::uint32_t*, Memory> found;
  std::uint32_t length;
  Kokkos::View<SentOffer*, Memory> records;
  std::uint64_t begin;  ///< of the candidates among the records

  KOKKOS_FUNCTION void operator()(std::uint64_t proposer, std::uint64_t& before, bool final) const {
    std::uint32_t const count = found(proposer);
    for (std::uint32_t i = 0; final && i < count; ++i) {
      records(begin + before + i) = slots(proposer * length + i);
    }
    before += count;
  }
};

/// The candidates of all proposers, in process 0.
template <class Memory>
struct CandidateLists {
  Kokkos::View<SentOffer*, Memory> records;
  Kokkos::View<std::uint64_t*, Memory>
      begin;  ///< per proposer: of its candidates among the records
  Kokkos::View<std::uint64_t*, Memory> end;
};

/// Finds where the candidates of each proposer begin and end, and collects the free proposers.
/// Requires: the candidates of a proposer follow each other.
template <class Memory>
struct SortRecords {
  CandidateLists<Memory> lists;
  std::uint64_t count;
  FreeProposers<Memory> free;  ///< of all processes

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    SentOffer const record = lists.records(i);
    if (record.receiver == SentOffer::no_receiver) {
      free.add(record.word());
      return;
    }
    if (i == 0 || !is_candidate_of(record.proposer(), i - 1)) {
      lists.begin(record.proposer()) = i;
    }
    if (i + 1 == count || !is_candidate_of(record.proposer(), i + 1)) {
      lists.end(record.proposer()) = i + 1;
    }
  }

 private:
  KOKKOS_FUNCTION bool is_candidate_of(std::uint32_t proposer, std::uint64_t i) const {
    SentOffer const record = lists.records(i);
    return record.receiver != SentOffer::no_receiver && record.proposer() == proposer;
  }
};

/// One step of a chain in process 0: a proposal to the next candidate. A proposer without another
/// candidate retires, and is added to need_more.
template <class Memory>
struct ProposeToCandidate {
  using State = Chain;
  struct Tally {};

  CandidateLists<Memory> lists;
  Kokkos::View<AtomicWord*, Memory> best;
  FreeProposers<Memory> need_more;

  KOKKOS_FUNCTION Outcome operator()(Chain& chain, Tally&) const {
    std::uint64_t const next = find_next(chain);
    if (next == lists.end(chain.proposer)) {
      need_more.add(Offer::pack(0u, chain.proposer, chain.position));
      return Outcome::retired;
    }
    SentOffer const candidate = lists.records(next);
    chain.position = candidate.proposals();
    AtomicWord const offer = candidate.word();
    AtomicWord const before = Kokkos::atomic_fetch_min(&best(candidate.receiver), offer);
    if (before < offer) {
      return Outcome::again;
    }
    if (before == no_offer) {
      return Outcome::retired;
    }
    chain = {static_cast<std::uint32_t>(Offer::get<offer_proposer>(before)),
             static_cast<std::uint32_t>(Offer::get<offer_proposals>(before))};
    return Outcome::handed_over;
  }
  KOKKOS_FUNCTION std::uint32_t progress(Chain const& chain) const { return chain.position; }
  KOKKOS_FUNCTION void prefetch_for(Chain const&) const {}
  KOKKOS_FUNCTION void publish(Tally const&) const {}

 private:
  /// The first candidate after the chain's position; the end if there is none. A binary search.
  KOKKOS_FUNCTION std::uint64_t find_next(Chain const& chain) const {
    std::uint64_t low = lists.begin(chain.proposer);
    for (std::uint64_t end = lists.end(chain.proposer); low < end;) {
      std::uint64_t const middle = low + (end - low) / 2;
      if (lists.records(middle).proposals() > chain.position) {
        end = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }
};

/// Writes the partners of the own men, from the standing offers.
template <class Partners, class Memory>
struct WriteOwnPartners {
  Kokkos::View<AtomicWord*, Memory> best;
  Partners partner_of;
  std::uint64_t first_man;
  bool men_proposed;

  KOKKOS_FUNCTION void operator()(std::uint64_t receiver) const {
    std::uint64_t const proposer = Offer::get<offer_proposer>(best(receiver));
    std::uint64_t const man = men_proposed ? proposer : receiver;
    std::uint64_t const woman = men_proposed ? receiver : proposer;
    if (man - first_man < partner_of.extent(0)) {
      partner_of(man - first_man) = static_cast<typename Partners::value_type>(woman);
    }
  }
};

}  // namespace taper::stable_marriage::detail
