// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/backend.hpp>
#include <taper/preferences/rank_matrix.hpp>
#include <taper/simd.hpp>
#include <taper/stable_marriage/lazy_ranks/first_columns.hpp>
#include <taper/stable_marriage/propose.hpp>
#include <taper/stable_marriage/receiver_queues.hpp>
#include <taper/stable_marriage/state.hpp>
#include <taper/tapering.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace taper::stable_marriage::detail {

/// The position of `id` in the first `end` entries of a list; `end` if it is not there.
template <class Id>
std::uint32_t find_position(Id const* list, std::uint32_t end, Id id) {
  constexpr std::uint32_t run = 128;
  std::uint32_t begin = 0;
  while (begin + run <= end &&
         !any_equal<Id, run>(vector_at<ComparisonVector<Id, run>>(list + begin), id, id)) {
    begin += run;
  }
  while (begin < end && list[begin] != id) {
    ++begin;
  }
  return begin;
}

/// The counts of one worker in a run with lazy ranks.
struct LazyTally {
  Tally offers;
  AtomicWord proposals = 0;
  AtomicWord searches = 0;  ///< of a receiver's list for the rank of one proposer
};

/// One proposal of a free proposer, without a rank matrix.
///
/// The receiver may not have scanned its list yet. Then the proposer joins the queue of the
/// receiver, and its chain retires. Otherwise the first columns have each rank that is better than
/// the offer which the scan found. A proposer that is past the first columns costs a search of the
/// receiver's list, down to the rank of its standing offer.
///
/// Used by: LazyRankRun.
/// Equivalent to: Propose, with the proposals to receivers that have not scanned put off. Any order
/// of proposals ends in the same matching (McVitie and Wilson 1971).
template <class Id_, class Lists, class MemorySpace>
struct ProposeLazily {
  using Id = Id_;
  using State = Chain;
  using Tally = LazyTally;

  FirstColumns<Id, MemorySpace> columns;
  Lists proposers;
  Lists receivers;
  StandingOffers<Id, MemorySpace> standing;  ///< of a receiver that has not scanned: its queue
  ReceiverQueues<MemorySpace> queues;
  Kokkos::View<LazyTally, MemorySpace> counters;
  std::uint32_t n;

  Outcome operator()(Chain& chain, LazyTally& tally) const {
    if (chain.position == n) {
      return Outcome::retired;  // rejected by all, as in Propose: solve() reports it
    }
    bool const in_columns = columns.has(chain);
    auto proposal = in_columns ? columns(chain)
                               : Proposal<Id>{proposers(chain.proposer, chain.position),
                                              preferences::no_rank<Id>};
    ++chain.position;
    ++tally.proposals;
    AtomicWord const seen = relaxed_load(standing.best(proposal.receiver));
    if (is_queue(seen)) {
      join(seen, proposal.receiver, chain, tally);
      return Outcome::retired;
    }
    // Benign race: `seen` may be old. The rank of the standing offer only falls, so a proposer that
    // is no better than an old offer is rejected by the present one too.
    auto const bound = static_cast<std::uint32_t>(Offer::get<offer_rank>(seen));
    if (!in_columns) {
      ++tally.searches;
      proposal.rank = static_cast<Id>(
          find_position<Id>(receivers[proposal.receiver], bound, static_cast<Id>(chain.proposer)));
    }
    return proposal.rank < bound ? offer(chain, proposal, tally) : Outcome::again;
  }

  std::uint32_t progress(Chain const& chain) const { return chain.position; }
  void prefetch_for(Chain const& chain) const { columns.prefetch_for(chain); }

  void publish(LazyTally const& tally) const {
    Kokkos::atomic_add(&counters().offers.acceptances, tally.offers.acceptances);
    Kokkos::atomic_add(&counters().offers.atomic_operations, tally.offers.atomic_operations);
    Kokkos::atomic_add(&counters().offers.failed_compare_exchanges,
                       tally.offers.failed_compare_exchanges);
    Kokkos::atomic_add(&counters().proposals, tally.proposals);
    Kokkos::atomic_add(&counters().searches, tally.searches);
  }

 private:
  Outcome offer(Chain& chain, Proposal<Id> const& proposal, LazyTally& tally) const {
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

  /// Adds the proposer to the queue of the receiver. Queues become offers between legs only. So a
  /// word that was a queue when it was read is still one when the exchange succeeds. A relaxed
  /// exchange suffices, since the links are read between legs too.
  void join(AtomicWord queue, std::size_t receiver, Chain const& chain, LazyTally& tally) const {
    CompareExchange<Id, MemorySpace> const contention{standing};
    AtomicWord joined;
    do {
      queues.links(chain.proposer) = {queue_last(queue), chain.position};
      joined = queue_with(queue, chain.proposer);
    } while (!contention.exchange(receiver, queue, joined, tally.offers));
    if (queue_length(joined) == 2) {
      queues.pending(Kokkos::atomic_fetch_add(&queues.pending_count(), 1u)) =
          static_cast<std::uint32_t>(receiver);
    }
  }
};

}  // namespace taper::stable_marriage::detail
