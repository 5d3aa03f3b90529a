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

// What a process does in a round, around its proposals. Messages go between these kernels.

namespace taper::stable_marriage::detail {

/// An offer in a message. Without a receiver, the word is that of a free proposer: its rank is 0,
/// and it goes on after as many proposals as the word has.
struct SentOffer {
  static constexpr std::uint32_t no_receiver = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t receiver;
  std::uint32_t upper;  ///< halves of the word, so that the record has 12 bytes
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

/// The proposers of this process, and those that are free.
template <class Memory>
struct FreeProposers {
  std::uint32_t first;
  std::uint32_t count;
  Kokkos::View<Chain*, Memory> chains;
  Kokkos::View<std::uint64_t, Memory> number;  ///< of chains

  /// Below `first` the difference wraps to a large number.
  KOKKOS_FUNCTION bool has(std::uint32_t proposer) const { return proposer - first < count; }

  /// Adds a proposer if it is of this process. No proposer is added twice: each offer is beaten
  /// once.
  KOKKOS_FUNCTION void add(AtomicWord offer) const {
    auto const proposer = static_cast<std::uint32_t>(Offer::get<offer_proposer>(offer));
    if (offer != no_offer && has(proposer)) {
      chains(Kokkos::atomic_fetch_add(&number(), std::uint64_t{1})) = {
          proposer, static_cast<std::uint32_t>(Offer::get<offer_proposals>(offer))};
    }
  }
};

/// 1. A scan over receivers collects the offers that all processes do not know yet.
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

/// 2. The receivers of this process take the offers that came. Those of the own proposers stand
/// already, since they were made on the replica. Each loser that is of this process is free; others
/// are told by their receiver's next offer.
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

/// 3. The replica takes the offers that all know now. No race: a receiver is there once. Counts the
/// receivers that had none before.
template <class Id, class Memory>
struct TakeNews {
  Kokkos::View<SentOffer*, Memory> news;
  StandingOffers<Id, Memory> standing;
  Kokkos::View<AtomicWord*, Memory> known;
  FreeProposers<Memory> free;
  /// Whether the own proposers whose offers were beaten are free. If one process finishes, it names
  /// those that are.
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

// --- If one process finishes ---

/// How many proposals each own proposer has made: those that hold a receiver, ...
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

/// ... and those that are free. Their chains become the first records of a message.
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

/// The next offers of each own proposer that no standing offer beats, at most `length`. Later ones
/// need not be looked for: a standing offer only gets better.
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

/// A scan over the own proposers moves their candidates together.
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

/// What the process that finishes has of all proposers.
template <class Memory>
struct CandidateLists {
  Kokkos::View<SentOffer*, Memory> records;
  Kokkos::View<std::uint64_t*, Memory>
      begin;  ///< per proposer: of its candidates among the records
  Kokkos::View<std::uint64_t*, Memory> end;
};

/// Finds the candidates of each proposer, and the free proposers. The candidates of a proposer
/// follow each other.
template <class Memory>
struct SortRecords {
  CandidateLists<Memory> lists;
  std::uint64_t count;
  FreeProposers<Memory> free;  ///< all proposers are own ones here

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

/// A proposal to the next candidate. A proposer without one stops, and joins those that need more.
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
  /// The first candidate after the proposals that have been made.
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

/// The partners of the own men, from the standing offers.
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
