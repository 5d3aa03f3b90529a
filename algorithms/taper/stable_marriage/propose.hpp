// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
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
};

// --- Look-ups: whom a proposer turns to, and his rank in her list ---

template <class Id>
struct Proposal {
  Id receiver;
  Id rank;
};

/// Two accesses: the list, then a random row of the rank matrix (Gale-Shapley, McVitie-Wilson).
template <class Id_>
struct RankMatrixLookup {
  using Id = Id_;
  Rows<Id const> lists;
  Rows<Id const> ranks;

  KOKKOS_FUNCTION Proposal<Id> operator()(Chain const& chain) const {
    Id const receiver = lists(chain.proposer, chain.position);
    return {receiver, ranks(receiver, chain.proposer)};
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

/// Two accesses, both to the proposer's own rows: his list, and his row of the transposed rank
/// matrix. A run of rejections stays in these two rows. With a stride of 0 they are copies of
/// whoever is free, on a side that has no tables.
template <class Id_>
struct ProposerRowsLookup {
  using Id = Id_;
  Rows<Id const> lists;
  Rows<Id const> ranks_by_proposer;

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

  KOKKOS_FUNCTION AtomicWord operator()(Proposal<Id> const& proposal, AtomicWord offer,
                                        Tally&) const {
    if (standing.bar(proposal.receiver) <= proposal.rank) {
      return offer;
    }
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
    AtomicWord* const best = &standing.best(proposal.receiver);
    AtomicWord before = relaxed_load(*best);
    while (offer < before) {
      AtomicWord const seen = Kokkos::atomic_compare_exchange(best, before, offer);
      ++tally.atomic_operations;
      if (seen == before) {
        return before;
      }
      ++tally.failed_compare_exchanges;
      before = seen;
    }
    return offer;
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

/// Asks `bar` first, and spares the atomic where the answer is certain.
template <class Resolve, class Id, class MemorySpace>
struct Filtered {
  using Memory = MemorySpace;
  Resolve resolve;

  KOKKOS_FUNCTION Id bar(std::size_t receiver) const {
    return stale_load(resolve.standing.bar(receiver));
  }

  KOKKOS_FUNCTION AtomicWord operator()(Proposal<Id> const& proposal, AtomicWord offer,
                                        Tally& tally) const {
    Id& bar = resolve.standing.bar(proposal.receiver);
    // Benign race: `bar` may be old, or be overwritten by an acceptor who was overtaken. But each
    // value in it was once the standing rank, and standing ranks only fall: what it rejects, the
    // standing offer rejects.
    if (stale_load(bar) <= proposal.rank) {
      return offer;
    }
    AtomicWord const before = resolve(proposal, offer, tally);
    if (before != offer) {
      stale_store(bar, proposal.rank);
    }
    return before;
  }
};

// --- The step ---

/// One proposal of one free proposer: lines 12 to 24 of Algorithm 1, and of Listing 1.
///
/// Equivalent to: propose to the next receiver on the list; if she prefers him to her partner, he
/// is hers and her partner, if any, is free in his place. Any interleaving of steps ends in the
/// proposer-optimal matching (Theorem IX.7): the order of proposals does not matter (McVitie and
/// Wilson 1971).
template <class Lookup, class Contention, class Counters>
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
    Proposal<Id> const proposal = lookup(chain);
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

  KOKKOS_FUNCTION void expect(Chain const& chain) const { lookup.expect(chain); }

  KOKKOS_FUNCTION void publish(Tally const& tally) const {
    if (counters.extent(0) != 0) {
      Kokkos::atomic_add(&counters(0).acceptances, tally.acceptances);
      Kokkos::atomic_add(&counters(0).atomic_operations, tally.atomic_operations);
      Kokkos::atomic_add(&counters(0).failed_compare_exchanges, tally.failed_compare_exchanges);
    }
  }
};

}  // namespace taper::stable_marriage::detail
