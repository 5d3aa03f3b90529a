// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/backend.hpp>
#include <taper/stable_marriage/propose.hpp>
#include <taper/stable_marriage/state.hpp>
#include <taper/tapering.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

// What a stage starts from: standing offers, free proposers, and counts.
// Used by: the stages, the runs without a rank matrix (lazy_ranks/ and shortlist_run.hpp), and
// write_matching.hpp.
namespace taper::stable_marriage::detail {

/// Sums the proposals of the proposers that hold a receiver and of those that wait in a frontier.
template <class MemorySpace>
struct SumProposals {
  Kokkos::View<AtomicWord*, MemorySpace> best;
  Chain const* waiting;
  std::uint64_t receivers;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& sum) const {
    if (i >= receivers) {
      sum += waiting[i - receivers].position;
    } else if (best(i) != no_offer) {
      sum += Offer::get<offer_proposals>(best(i));
    }
  }
};

/// The number of proposals when a run tapers. Async: returns with `where` fenced.
template <ExecutionSpace Exec, class MemorySpace>
std::uint64_t count_taper_steps(Exec const& where,
                                Kokkos::View<AtomicWord*, MemorySpace> const& best,
                                Frontier<Chain, MemorySpace> const& frontier) {
  std::uint64_t const receivers = best.extent(0);
  std::uint64_t sum = 0;
  Kokkos::parallel_reduce("taper::stable_marriage::taper_step",
                          Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>(
                              where, 0, receivers + frontier.live),
                          SumProposals<MemorySpace>{best, frontier.waiting.data(), receivers}, sum);
  where.fence("taper::stable_marriage: wait for the number of proposals");
  return sum;
}

/// Sets each rank limit to the rank of the standing offer, the lowest that it may have.
template <class Id, class MemorySpace>
struct RefreshRankLimits {
  StandingOffers<Id, MemorySpace> standing;

  KOKKOS_FUNCTION void operator()(std::uint64_t receiver) const {
    AtomicWord const best = standing.best(receiver);
    if (best != no_offer) {
      standing.rank_limit(receiver) = static_cast<Id>(Offer::get<offer_rank>(best));
    }
  }
};

template <ExecutionSpace Exec, class Id, class MemorySpace>
void refresh_rank_limits(Exec const& where, StandingOffers<Id, MemorySpace> const& standing) {
  Kokkos::parallel_for("taper::stable_marriage::refresh_rank_limits",
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>(
                           where, 0, standing.best.extent(0)),
                       RefreshRankLimits<Id, MemorySpace>{standing});
}

/// The start of a run: no proposer has asked yet.
struct AllProposersFree {
  template <class MemorySpace>
  struct Fill {
    Kokkos::View<Chain*, MemorySpace> waiting;
    std::uint32_t first;
    KOKKOS_FUNCTION void operator()(std::uint32_t i) const { waiting(i) = {first + i, 0}; }
  };

  /// The frontier of `proposers` free proposers, numbered from `first` on.
  template <ExecutionSpace Exec, class MemorySpace>
  static Frontier<Chain, MemorySpace> frontier(Exec const& where, std::uint64_t proposers,
                                               std::uint32_t first = 0) {
    Frontier<Chain, MemorySpace> all(where, "taper::stable_marriage::frontier", proposers);
    Kokkos::parallel_for(
        "taper::stable_marriage::all_proposers_free",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint32_t>>(where, 0, proposers),
        Fill<MemorySpace>{all.waiting, first});
    return all;
  }
};

/// What Execution starts from: the standing offers, the free proposers, and the counts of a run
/// without a rank matrix that came before.
template <class Id, class MemorySpace>
struct StartState {
  StandingOffers<Id, MemorySpace> standing;
  Frontier<Chain, MemorySpace> frontier;
  Tally tally = {};

  template <ExecutionSpace Exec>
  static StartState all_free(Exec const& where, std::uint64_t n) {
    return {StandingOffers<Id, MemorySpace>(where, n),
            AllProposersFree::frontier<Exec, MemorySpace>(where, n)};
  }
};

}  // namespace taper::stable_marriage::detail
