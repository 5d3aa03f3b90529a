// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/backend.hpp>
#include <taper/rows.hpp>
#include <taper/simd.hpp>
#include <taper/stable_marriage/state.hpp>
#include <taper/tapering.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// One proposal: look-ups, contention policies, and the step that combines them.
///
/// A look-up tells which receiver a proposer asks next, and its rank there. A contention policy
/// tells how an offer competes with the standing one. Propose<look-up, policy> is the step functor
/// of all stages and tails.
///
/// Used by: stages/, tails/ and sharded/. The runs without a rank matrix have their own steps.
namespace taper::stable_marriage::detail {

/// What a worker counts. Proposals need no counter: the position of a chain is their number.
struct Tally {
  AtomicWord acceptances = 0;
  AtomicWord atomic_operations = 0;
  AtomicWord failed_compare_exchanges = 0;
  AtomicWord compare_exchange_reads = 0;  ///< plain loads before the first compare-exchange

  Tally& operator+=(Tally const& other) {
    acceptances += other.acceptances;
    atomic_operations += other.atomic_operations;
    failed_compare_exchanges += other.failed_compare_exchanges;
    compare_exchange_reads += other.compare_exchange_reads;
    return *this;
  }
};

// --- Look-ups: the next receiver, and the proposer's rank in its list ---
//
// Each answers for one position of a chain's list. lookup_group() answers for `ahead` positions,
// from an aligned one on; past the end of the list it repeats the last entry. None of its loads
// waits for the result of another position. `Lists` and `Ranks` give rows: Rows of one device, or
// ShardedRows of several.

/// The receiver that a proposer asks, and the proposer's rank in its list.
template <class Id>
struct Proposal {
  Id receiver;
  Id rank;
};

/// Reads `ahead` entries of a row of n from `position` on. Past the end it repeats the last one.
template <std::uint32_t ahead, class Id>
KOKKOS_FUNCTION SimdVector<Id, ahead> read_group(Id const* row, std::uint32_t position,
                                                 std::uint32_t n) {
  using Group = SimdVector<Id, ahead>;
  if (position + ahead <= n && is_aligned_for<Group>(row + position)) {
    return vector_at<Group>(row + position);
  }
  Group group;
  for (std::uint32_t k = 0; k < ahead; ++k) {
    group.entries[k] = row[Kokkos::min(position + k, n - 1)];
  }
  return group;
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
  KOKKOS_FUNCTION void lookup_group(std::uint32_t proposer, std::uint32_t position, std::uint32_t n,
                                    Proposal<Id> (&proposals)[ahead]) const {
    auto const receivers = read_group<ahead>(lists[proposer], position, n);
    for (std::uint32_t k = 0; k < ahead; ++k) {
      proposals[k] = {receivers.entries[k], ranks(receivers.entries[k], proposer)};
    }
  }
  KOKKOS_FUNCTION void prefetch_for(Chain const& chain) const {
    prefetch(lists[chain.proposer] + chain.position);
  }
};

/// One access: the PRMatrix (locality aware).
template <class Id_, class Candidates = Rows<CandidateWord<Id_> const>>
struct PRMatrixLookup {
  using Id = Id_;
  Candidates candidates;

  KOKKOS_FUNCTION Proposal<Id> operator()(Chain const& chain) const {
    auto const word = candidates(chain.proposer, chain.position);
    return {static_cast<Id>(Candidate<Id>::template get<0>(word)),
            static_cast<Id>(Candidate<Id>::template get<1>(word))};
  }
  KOKKOS_FUNCTION void prefetch_for(Chain const& chain) const {
    prefetch(candidates[chain.proposer] + chain.position);
  }
};

/// Two independent accesses, at the same position of two rows of the proposer: the PRMatrix as two
/// tables. The instance's lists are the first of them.
template <class Id_, class Lists = Rows<Id_ const>>
struct OrderedRanksLookup {
  using Id = Id_;
  Lists lists;
  Lists ordered_ranks;

  KOKKOS_FUNCTION Proposal<Id> operator()(Chain const& chain) const {
    return {lists(chain.proposer, chain.position), ordered_ranks(chain.proposer, chain.position)};
  }
  template <std::uint32_t ahead>
  KOKKOS_FUNCTION void lookup_group(std::uint32_t proposer, std::uint32_t position, std::uint32_t n,
                                    Proposal<Id> (&proposals)[ahead]) const {
    auto const receivers = read_group<ahead>(lists[proposer], position, n);
    auto const ranks = read_group<ahead>(ordered_ranks[proposer], position, n);
    for (std::uint32_t k = 0; k < ahead; ++k) {
      proposals[k] = {receivers.entries[k], ranks.entries[k]};
    }
  }
  KOKKOS_FUNCTION void prefetch_for(Chain const& chain) const {
    prefetch(lists[chain.proposer] + chain.position);
    prefetch(ordered_ranks[chain.proposer] + chain.position);
  }
};

/// Two accesses, both to rows of the proposer: its list, and its row of the transposed rank matrix.
/// A run of rejections stays in these two rows. With a stride of 0 the rows are copies for the
/// current proposer, on a host that does not reach the tables.
template <class Id_, class Lists = Rows<Id_ const>>
struct ProposerRowsLookup {
  using Id = Id_;
  Lists lists;
  Lists ranks_by_proposer;

  KOKKOS_FUNCTION Proposal<Id> operator()(Chain const& chain) const {
    Id const receiver = lists(chain.proposer, chain.position);
    return {receiver, ranks_by_proposer(chain.proposer, receiver)};
  }
  KOKKOS_FUNCTION void prefetch_for(Chain const& chain) const {
    prefetch(lists[chain.proposer] + chain.position);
  }
};

// --- Contention policies: how an offer competes with the standing one ---
//
// A policy makes the better of two offers the standing one. If the new offer wins, the policy
// returns the offer that stood before. If it loses, the policy returns the new offer itself.

/// For a single worker: plain loads and stores. A rank limit may be older than its offer if other
/// workers ran before.
template <class Id, class MemorySpace>
struct PlainAccess {
  using Memory = MemorySpace;
  StandingOffers<Id, MemorySpace> standing;

  KOKKOS_FUNCTION Id rank_limit(std::size_t receiver) const {
    return standing.rank_limit(receiver);
  }
  KOKKOS_FUNCTION Id const* rank_limits() const { return standing.rank_limit.data(); }
  KOKKOS_FUNCTION AtomicWord standing_offer(std::size_t receiver) const {
    return standing.best(receiver);
  }

  KOKKOS_FUNCTION AtomicWord operator()(Proposal<Id> const& proposal, AtomicWord offer,
                                        Tally&) const {
    AtomicWord const before = standing.best(proposal.receiver);
    bool const accepted = offer < before;
    standing.best(proposal.receiver) = accepted ? offer : before;
    standing.rank_limit(proposal.receiver) =
        accepted ? proposal.rank : static_cast<Id>(Offer::get<offer_rank>(before));
    return accepted ? before : offer;
  }
};

/// Compare-exchange until the offer is stored or beaten (the paper's atomicCAS).
template <class Id, class MemorySpace>
struct CompareExchange {
  StandingOffers<Id, MemorySpace> standing;

  KOKKOS_FUNCTION AtomicWord operator()(Proposal<Id> const& proposal, AtomicWord offer,
                                        Tally& tally) const {
    AtomicWord seen = load(proposal.receiver);
    ++tally.compare_exchange_reads;
    while (offer < seen) {
      if (exchange(proposal.receiver, seen, offer, tally)) {
        return seen;
      }
    }
    return offer;
  }

  /// Relaxed: a hint, since exchange() decides.
  KOKKOS_FUNCTION AtomicWord load(std::size_t receiver) const {
    return relaxed_load(standing.best(receiver));
  }

  /// One operation: the offer is stored, or `seen` is now the word that was there instead.
  KOKKOS_FUNCTION bool exchange(std::size_t receiver, AtomicWord& seen, AtomicWord offer,
                                Tally& tally) const {
    AtomicWord const expected = seen;
    seen = Kokkos::atomic_compare_exchange(&standing.best(receiver), expected, offer);
    ++tally.atomic_operations;
    tally.failed_compare_exchanges += seen != expected;
    return seen == expected;
  }
};

/// One atomic minimum per proposal, whatever other workers do (Section IV-B). A word is offered
/// only once, so the word that stood before is never the offer itself.
template <class Id, class MemorySpace>
struct FetchMin {
  StandingOffers<Id, MemorySpace> standing;

  KOKKOS_FUNCTION AtomicWord operator()(Proposal<Id> const& proposal, AtomicWord offer,
                                        Tally& tally) const {
    ++tally.atomic_operations;
    AtomicWord const before = Kokkos::atomic_fetch_min(&standing.best(proposal.receiver), offer);
    return Kokkos::max(before, offer);
  }
};

/// Adds rank limits to a policy: sets the limit of a receiver that has accepted. A proposer that
/// reads the limit first saves the atomic operation of a certain rejection. The loads are relaxed:
/// limits and offers only fall, so what an old one rejects is rejected.
template <class Resolve, class Id, class MemorySpace>
struct WithRankLimits {
  using Memory = MemorySpace;
  Resolve resolve;

  KOKKOS_FUNCTION Id rank_limit(std::size_t receiver) const {
    return relaxed_load(resolve.standing.rank_limit(receiver));
  }
  KOKKOS_FUNCTION Id const* rank_limits() const { return resolve.standing.rank_limit.data(); }
  KOKKOS_FUNCTION AtomicWord standing_offer(std::size_t receiver) const {
    return relaxed_load(resolve.standing.best(receiver));
  }

  KOKKOS_FUNCTION AtomicWord operator()(Proposal<Id> const& proposal, AtomicWord offer,
                                        Tally& tally) const {
    AtomicWord const before = resolve(proposal, offer, tally);
    if (before != offer) {
      // Benign race: another worker may have displaced this offer, and a better rank limit is
      // overwritten here. But each value of a rank limit was the rank of a standing offer at some
      // time, and that rank only falls. So the standing offer rejects whatever the limit rejects.
      relaxed_store(resolve.standing.rank_limit(proposal.receiver), proposal.rank);
    }
    return before;
  }
};

/// A contention policy that maintains rank limits.
template <class T>
concept HasRankLimits = requires(T const& contention, std::size_t receiver) {
  contention.rank_limit(receiver);
};

// --- The step ---

/// One proposal of a free proposer: lines 12 to 24 of Algorithm 1, and of Listing 1.
///
/// If the contention policy has rank limits, a step first skips certain rejections, up to the end
/// of a group of `ahead` positions. If the group has nothing else, the step makes no offer. If an
/// offer displaces another one, the step returns `handed_over`: `chain` is then that of the
/// displaced proposer.
///
/// Equivalent to: propose to the next receiver of the list. If it prefers this proposer to its
/// partner, they become partners, and the former partner, if any, is free instead. Any interleaving
/// of steps ends in the proposer-optimal matching (Theorem IX.7), since the order of proposals does
/// not matter (McVitie and Wilson 1971).
template <class Lookup, class Contention, class Counters, std::uint32_t ahead = 1>
struct Propose {
  using Id = typename Lookup::Id;
  using State = Chain;
  using Tally = detail::Tally;

  Lookup lookup;
  Contention contention;
  Counters counters;  ///< a View of one Tally, or of none if nothing is counted
  std::uint32_t n;

  KOKKOS_FUNCTION Outcome operator()(Chain& chain, Tally& tally) const {
    if (chain.position == n) {
      return Outcome::retired;  // rejected by all: no valid instance does this; solve() reports it
    }
    Proposal<Id> proposal{};
    if constexpr (HasRankLimits<Contention> && ahead > 1) {
      if (!skip_certain_rejections(chain, proposal)) {
        return Outcome::again;
      }
    } else {
      proposal = lookup(chain);
      if constexpr (HasRankLimits<Contention>) {
        if (contention.rank_limit(proposal.receiver) <= proposal.rank) {
          ++chain.position;
          return Outcome::again;
        }
      }
    }
    return offer(chain, proposal, tally);
  }

  /// Makes the proposal at the chain's position, without a look at the rank limit.
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
  KOKKOS_FUNCTION void prefetch_for(Chain const& chain) const { lookup.prefetch_for(chain); }

  KOKKOS_FUNCTION void publish(Tally const& tally) const {
    if (counters.extent(0) != 0) {
      Kokkos::atomic_add(&counters(0).acceptances, tally.acceptances);
      Kokkos::atomic_add(&counters(0).atomic_operations, tally.atomic_operations);
      Kokkos::atomic_add(&counters(0).failed_compare_exchanges, tally.failed_compare_exchanges);
      Kokkos::atomic_add(&counters(0).compare_exchange_reads, tally.compare_exchange_reads);
    }
  }

 private:
  /// Moves the chain past certain rejections, at most to the end of its group of `ahead` positions.
  /// Returns true with the first proposal that may be accepted; false if the group has none.
  KOKKOS_FUNCTION bool skip_certain_rejections(Chain& chain, Proposal<Id>& proposal) const {
    std::uint32_t const begin = chain.position / ahead * ahead;
    Proposal<Id> group[ahead];
    lookup.lookup_group(chain.proposer, begin, n, group);
    Id rank_limits[ahead];
    for (std::uint32_t k = 0; k < ahead; ++k) {
      if (begin + k >= chain.position) {
        rank_limits[k] = contention.rank_limit(group[k].receiver);
      }
    }
    std::uint32_t const end = Kokkos::min(begin + ahead, n);
    std::uint32_t first = end;
    for (std::uint32_t k = ahead; k-- > 0;) {
      if (begin + k >= chain.position && begin + k < end && group[k].rank < rank_limits[k]) {
        first = begin + k;
        proposal = group[k];
      }
    }
    chain.position = first;
    return first < end;
  }
};

}  // namespace taper::stable_marriage::detail
