// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/pack.hpp>
#include <taper/rows.hpp>
#include <taper/stable_marriage/state.hpp>
#include <taper/tapering.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::stable_marriage::detail {

/// What a worker counts by itself. Proposals need no counting: every position is a proposal made.
struct Tally {
  AtomicWord acceptances = 0;
  AtomicWord atomic_operations = 0;
  AtomicWord failed_compare_exchanges = 0;

  Tally& operator+=(Tally const& other) {
    acceptances += other.acceptances;
    atomic_operations += other.atomic_operations;
    failed_compare_exchanges += other.failed_compare_exchanges;
    return *this;
  }
};

// --- Look-ups: whom a proposer turns to, and his rank in her list ---
//
// Each answers for one position of a chain's list, or for `ahead` positions from an aligned one on,
// none waiting for another; past the end of the list it then repeats the last. `Lists` and `Ranks`
// say where a row lies: Rows of one device, or ShardedRows of several.

template <class Id>
struct Proposal {
  Id receiver;
  Id rank;
};

/// `ahead` entries of a row from `position` on, the last again past the end of its n.
template <std::uint32_t ahead, class Id>
KOKKOS_FUNCTION Pack<Id, ahead> read_ahead(Id const* row, std::uint32_t position, std::uint32_t n) {
  using Few = Pack<Id, ahead>;
  if (position + ahead <= n && holds_packs<Few>(row + position)) {
    return pack_at<Few>(row + position);
  }
  Few few;
  for (std::uint32_t k = 0; k < ahead; ++k) {
    few.entries[k] = row[Kokkos::min(position + k, n - 1)];
  }
  return few;
}

/// Two accesses: the list, then a random row of the rank matrix (Gale-Shapley, McVitie-Wilson).
template <class Id_, class Lists = Rows<Id_ const>, class Ranks = Lists>
struct RankMatrixLookup {
  using Id = Id_;
  Lists lists;
  Ranks ranks;

  KOKKOS_FUNCTION Proposal<Id> operator()(Chain const& chain) const {
    Id const receiver = lists(chain.proposer, chain.position);
    return {receiver, ranks(receiver, chain.proposer)};
  }
  template <std::uint32_t ahead>
  KOKKOS_FUNCTION void look(std::uint32_t proposer, std::uint32_t position, std::uint32_t n,
                            Proposal<Id> (&proposals)[ahead]) const {
    auto const receivers = read_ahead<ahead>(lists[proposer], position, n);
    for (std::uint32_t k = 0; k < ahead; ++k) {
      proposals[k] = {receivers.entries[k], ranks(receivers.entries[k], proposer)};
    }
  }
  KOKKOS_FUNCTION void expect(Chain const& chain) const {
    prefetch(lists[chain.proposer] + chain.position);
  }
};

/// One access: the PRMatrix (locality aware).
template <class Id_>
struct PRMatrixLookup {
  using Id = Id_;
  Rows<CandidateWord<Id> const> candidates;

  KOKKOS_FUNCTION Proposal<Id> operator()(Chain const& chain) const {
    auto const word = candidates(chain.proposer, chain.position);
    return {static_cast<Id>(Candidate<Id>::template get<0>(word)),
            static_cast<Id>(Candidate<Id>::template get<1>(word))};
  }
  KOKKOS_FUNCTION void expect(Chain const& chain) const {
    prefetch(candidates[chain.proposer] + chain.position);
  }
};

/// Two accesses that do not wait for each other, at the same position of two of the proposer's own
/// rows: the PRMatrix as two tables, of which the instance has the first.
template <class Id_, class Lists = Rows<Id_ const>>
struct OrderedRanksLookup {
  using Id = Id_;
  Lists lists;
  Lists ordered_ranks;

  KOKKOS_FUNCTION Proposal<Id> operator()(Chain const& chain) const {
    return {lists(chain.proposer, chain.position), ordered_ranks(chain.proposer, chain.position)};
  }
  template <std::uint32_t ahead>
  KOKKOS_FUNCTION void look(std::uint32_t proposer, std::uint32_t position, std::uint32_t n,
                            Proposal<Id> (&proposals)[ahead]) const {
    auto const receivers = read_ahead<ahead>(lists[proposer], position, n);
    auto const ranks = read_ahead<ahead>(ordered_ranks[proposer], position, n);
    for (std::uint32_t k = 0; k < ahead; ++k) {
      proposals[k] = {receivers.entries[k], ranks.entries[k]};
    }
  }
  KOKKOS_FUNCTION void expect(Chain const& chain) const {
    prefetch(lists[chain.proposer] + chain.position);
    prefetch(ordered_ranks[chain.proposer] + chain.position);
  }
};

/// Two accesses, both to the proposer's own rows: his list, and his row of the transposed rank
/// matrix. A run of rejections stays in these two rows. With a stride of 0 they are copies of
/// whoever is free, on a side that has no tables.
template <class Id_, class Lists = Rows<Id_ const>>
struct ProposerRowsLookup {
  using Id = Id_;
  Lists lists;
  Lists ranks_by_proposer;

  KOKKOS_FUNCTION Proposal<Id> operator()(Chain const& chain) const {
    Id const receiver = lists(chain.proposer, chain.position);
    return {receiver, ranks_by_proposer(chain.proposer, receiver)};
  }
  KOKKOS_FUNCTION void expect(Chain const& chain) const {
    prefetch(lists[chain.proposer] + chain.position);
  }
};

// --- Contention: how an offer meets the one that stands ---
//
// Each returns the offer that stood before, if this one took its place; else no more than this one.

/// The only worker: plain loads and stores. `bar` may be old where other workers went before.
template <class Id, class MemorySpace>
struct Alone {
  using Memory = MemorySpace;
  Standing<Id, MemorySpace> standing;

  KOKKOS_FUNCTION Id bar(std::size_t receiver) const { return standing.bar(receiver); }
  KOKKOS_FUNCTION Id const* bars() const { return standing.bar.data(); }
  KOKKOS_FUNCTION AtomicWord stands(std::size_t receiver) const { return standing.best(receiver); }

  KOKKOS_FUNCTION AtomicWord operator()(Proposal<Id> const& proposal, AtomicWord offer,
                                        Tally&) const {
    AtomicWord const before = standing.best(proposal.receiver);
    bool const accepted = offer < before;
    standing.best(proposal.receiver) = accepted ? offer : before;
    standing.bar(proposal.receiver) =
        accepted ? proposal.rank : static_cast<Id>(Offer::get<offer_rank>(before));
    return accepted ? before : offer;
  }
};

/// Read, and exchange until the offer is in or beaten (the paper's atomicCAS).
template <class Id, class MemorySpace>
struct CompareExchange {
  Standing<Id, MemorySpace> standing;

  KOKKOS_FUNCTION AtomicWord operator()(Proposal<Id> const& proposal, AtomicWord offer,
                                        Tally& tally) const {
    AtomicWord seen = look(proposal.receiver);
    while (offer < seen) {
      if (exchange(proposal.receiver, seen, offer, tally)) {
        return seen;
      }
    }
    return offer;
  }

  KOKKOS_FUNCTION AtomicWord look(std::size_t receiver) const {
    return relaxed_load(standing.best(receiver));
  }

  /// One operation: the offer is in, or `seen` is now what was there instead.
  KOKKOS_FUNCTION bool exchange(std::size_t receiver, AtomicWord& seen, AtomicWord offer,
                                Tally& tally) const {
    AtomicWord const expected = seen;
    seen = Kokkos::atomic_compare_exchange(&standing.best(receiver), expected, offer);
    ++tally.atomic_operations;
    tally.failed_compare_exchanges += seen != expected;
    return seen == expected;
  }
};

/// One atomic minimum a proposal, whatever the others do (Section IV-B). A word is never offered
/// twice, so what stood before is never the offer itself.
template <class Id, class MemorySpace>
struct FetchMin {
  Standing<Id, MemorySpace> standing;

  KOKKOS_FUNCTION AtomicWord operator()(Proposal<Id> const& proposal, AtomicWord offer,
                                        Tally& tally) const {
    ++tally.atomic_operations;
    AtomicWord const before = Kokkos::atomic_fetch_min(&standing.best(proposal.receiver), offer);
    return Kokkos::max(before, offer);
  }
};

/// Keeps `bar` up to date, so that a proposer can ask it first and spare the atomic.
template <class Resolve, class Id, class MemorySpace>
struct Filtered {
  using Memory = MemorySpace;
  Resolve resolve;

  KOKKOS_FUNCTION Id bar(std::size_t receiver) const {
    return relaxed_load(resolve.standing.bar(receiver));
  }
  KOKKOS_FUNCTION Id const* bars() const { return resolve.standing.bar.data(); }
  KOKKOS_FUNCTION AtomicWord stands(std::size_t receiver) const {
    return relaxed_load(resolve.standing.best(receiver));
  }

  KOKKOS_FUNCTION AtomicWord operator()(Proposal<Id> const& proposal, AtomicWord offer,
                                        Tally& tally) const {
    AtomicWord const before = resolve(proposal, offer, tally);
    if (before != offer) {
      // Benign race: an acceptor who was overtaken may overwrite a better bar. But each value in it
      // was once the standing rank, and standing ranks only fall: what it rejects, the standing
      // offer rejects.
      relaxed_store(resolve.standing.bar(proposal.receiver), proposal.rank);
    }
    return before;
  }
};

/// A contention policy that can tell a certain rejection without an offer.
template <class T>
concept HasBar = requires(T const& contention, std::size_t receiver) {
  contention.bar(receiver);
};

// --- The step ---

/// Proposals of one free proposer up to the first that is an offer: lines 12 to 24 of Algorithm 1,
/// and of Listing 1. Where the contention policy has bars, up to `ahead` rejections that are
/// certain go before it, and may be all that a step does.
///
/// Equivalent to: propose to the next receiver on the list; if she prefers him to her partner, he
/// is hers and her partner, if any, is free in his place. Any interleaving of steps ends in the
/// proposer-optimal matching (Theorem IX.7): the order of proposals does not matter (McVitie and
/// Wilson 1971).
template <class Lookup, class Contention, class Counters, std::uint32_t ahead = 1>
struct Propose {
  using Id = typename Lookup::Id;
  using State = Chain;
  using Tally = detail::Tally;

  Lookup lookup;
  Contention contention;
  Counters counters;  ///< a View of one Tally, or of none where nobody asked
  std::uint32_t n;

  KOKKOS_FUNCTION Outcome operator()(Chain& chain, Tally& tally) const {
    if (chain.position == n) {
      return Outcome::retired;  // rejected by all, which no valid instance does: he stays alone,
                                // and solve says so
    }
    Proposal<Id> proposal{};
    if constexpr (HasBar<Contention> && ahead > 1) {
      if (!first_uncertain(chain, proposal)) {
        return Outcome::again;
      }
    } else {
      proposal = lookup(chain);
      if constexpr (HasBar<Contention>) {
        if (contention.bar(proposal.receiver) <= proposal.rank) {
          ++chain.position;
          return Outcome::again;
        }
      }
    }
    return offer(chain, proposal, tally);
  }

  /// The proposal at the chain's position, whatever the bars say.
  KOKKOS_FUNCTION Outcome offer(Chain& chain, Proposal<Id> const& proposal, Tally& tally) const {
    ++chain.position;
    AtomicWord const offer =
        Offer::pack(std::uint32_t{proposal.rank}, chain.proposer, chain.position);
    AtomicWord const before = contention(proposal, offer, tally);
    if (before == offer) {
      return Outcome::again;
    }
    ++tally.acceptances;
    if (before == no_offer) {
      return Outcome::retired;
    }
    chain = {static_cast<std::uint32_t>(Offer::get<offer_proposer>(before)),
             static_cast<std::uint32_t>(Offer::get<offer_proposals>(before))};
    return Outcome::handed_over;
  }

  KOKKOS_FUNCTION std::uint32_t progress(Chain const& chain) const { return chain.position; }
  KOKKOS_FUNCTION void expect(Chain const& chain) const { lookup.expect(chain); }

  KOKKOS_FUNCTION void publish(Tally const& tally) const {
    if (counters.extent(0) != 0) {
      Kokkos::atomic_add(&counters(0).acceptances, tally.acceptances);
      Kokkos::atomic_add(&counters(0).atomic_operations, tally.atomic_operations);
      Kokkos::atomic_add(&counters(0).failed_compare_exchanges, tally.failed_compare_exchanges);
    }
  }

 private:
  /// Takes the chain over certain rejections, to the end of its group of `ahead` positions at most;
  /// true if it has come to one that is not certain.
  KOKKOS_FUNCTION bool first_uncertain(Chain& chain, Proposal<Id>& proposal) const {
    std::uint32_t const begin = chain.position / ahead * ahead;
    Proposal<Id> group[ahead];
    lookup.look(chain.proposer, begin, n, group);
    Id bars[ahead];
    for (std::uint32_t k = 0; k < ahead; ++k) {
      if (begin + k >= chain.position) {
        bars[k] = contention.bar(group[k].receiver);
      }
    }
    std::uint32_t const end = Kokkos::min(begin + ahead, n);
    std::uint32_t first = end;
    for (std::uint32_t k = ahead; k-- > 0;) {
      if (begin + k >= chain.position && begin + k < end && group[k].rank < bars[k]) {
        first = begin + k;
        proposal = group[k];
      }
    }
    chain.position = first;
    return first < end;
  }
};

}  // namespace taper::stable_marriage::detail
