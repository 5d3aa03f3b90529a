// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/backend.hpp>
#include <taper/place.hpp>
#include <taper/stable_marriage/options.hpp>
#include <taper/stable_marriage/propose.hpp>
#include <taper/stable_marriage/state.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::stable_marriage::detail {

/// The *next candidates* of each proposer: a fixed number of candidates from its position when they
/// were gathered. They are a PRMatrix of few columns that fits a cache, and a look-up for the
/// positions that it has.
///
/// Used by: the warp tail and the host tail.
template <class Id_, class MemorySpace>
struct NextCandidates {
  using Id = Id_;
  static constexpr std::uint32_t columns = next_candidates_per_proposer;

  /// first(m): the least position that m's row has.
  Kokkos::View<std::uint32_t*, MemorySpace> first;
  /// Position p is in column p modulo `columns`.
  Kokkos::View<CandidateWord<Id>* [columns], Kokkos::LayoutRight, MemorySpace> candidates;

  KOKKOS_FUNCTION bool has(Chain const& chain) const {
    return chain.position - first(chain.proposer) < columns;
  }
  KOKKOS_FUNCTION Proposal<Id> operator()(Chain const& chain) const {
    auto const word = candidates(chain.proposer, chain.position % columns);
    return {static_cast<Id>(Candidate<Id>::template get<0>(word)),
            static_cast<Id>(Candidate<Id>::template get<1>(word))};
  }
  KOKKOS_FUNCTION void prefetch_for(Chain const& chain) const {
    prefetch(&candidates(chain.proposer, chain.position % columns));
  }
};

/// Reads the next candidates of each proposer; past these, the tables, by another look-up.
template <class Tables, class MemorySpace>
struct NextCandidatesLookup {
  using Id = typename Tables::Id;

  Tables tables;
  NextCandidates<Id, MemorySpace> next;

  KOKKOS_FUNCTION Proposal<Id> operator()(Chain const& chain) const {
    // Neither load waits for the other: both are issued before `has` is known.
    auto const proposal = next(chain);
    return next.has(chain) ? proposal : tables(chain);
  }
};

/// Finds the position of each proposer: in its standing offer, or in its chain of the frontier.
template <class MemorySpace>
struct FindPositions {
  Kokkos::View<AtomicWord*, MemorySpace> best;
  Kokkos::View<Chain*, MemorySpace> waiting;
  Kokkos::View<std::uint32_t*, MemorySpace> position;
  std::uint64_t receivers;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    if (i >= receivers) {
      position(waiting(i - receivers).proposer) = waiting(i - receivers).position;
    } else if (best(i) != no_offer) {
      position(Offer::get<offer_proposer>(best(i))) =
          static_cast<std::uint32_t>(Offer::get<offer_proposals>(best(i)));
    }
  }
};

/// Copies candidates from the tables to the rows of proposers `begin`, begin + 1, ...
template <class Tables, class MemorySpace>
struct GatherCandidates {
  using Id = typename Tables::Id;
  static constexpr std::uint32_t columns = next_candidates_per_proposer;

  Tables tables;
  NextCandidates<Id, MemorySpace> next;
  std::uint32_t begin;
  std::uint32_t n;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    auto const proposer = begin + static_cast<std::uint32_t>(i / columns);
    std::uint32_t const position = next.first(proposer) + static_cast<std::uint32_t>(i % columns);
    if (position < n) {
      auto const proposal = tables({proposer, position});
      next.candidates(proposer, position % columns) =
          Candidate<Id>::pack(proposal.receiver, proposal.rank);
    }
  }
};

/// Gathers the next candidates of all proposers. The first `live` entries of `waiting` are the free
/// proposers; the offers of the others stand.
/// Cost: two launches; `columns` look-ups per proposer.
template <ExecutionSpace Exec, class Tables, class MemorySpace>
NextCandidatesLookup<Tables, MemorySpace>
gather_next_candidates(Exec const& where, Tables const& tables,
                       Kokkos::View<AtomicWord*, MemorySpace> const& best,
                       Kokkos::View<Chain*, MemorySpace> const& waiting, std::uint64_t live) {
  using Next = NextCandidates<typename Tables::Id, MemorySpace>;
  using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>;
  std::uint64_t const n = best.extent(0);
  Next const next{
      decltype(Next::first)(Kokkos::view_alloc(where, "taper::stable_marriage::positions"), n),
      decltype(Next::candidates)(Kokkos::view_alloc(where, Kokkos::WithoutInitializing,
                                                    "taper::stable_marriage::next_candidates"),
                                 n)};
  Kokkos::parallel_for("taper::stable_marriage::find_positions", Range(where, 0, n + live),
                       FindPositions<MemorySpace>{best, waiting, next.first, n});
  Kokkos::parallel_for(
      "taper::stable_marriage::next_candidates", Range(where, 0, n * Next::columns),
      GatherCandidates<Tables, MemorySpace>{tables, next, 0, static_cast<std::uint32_t>(n)});
  return {tables, next};
}

}  // namespace taper::stable_marriage::detail
