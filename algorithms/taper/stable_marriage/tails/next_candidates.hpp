// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/duo.hpp>
#include <taper/stable_marriage/options.hpp>
#include <taper/stable_marriage/propose.hpp>
#include <taper/stable_marriage/state.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::stable_marriage::detail {

/// The next few candidates of each proposer, from where he stood when they were gathered: a
/// PRMatrix of few columns, that a cache holds.
template <class Id_, class MemorySpace>
struct NextCandidates {
  using Id = Id_;
  static constexpr std::uint32_t columns = next_candidates;

  Kokkos::View<std::uint32_t*, MemorySpace>
      first;  ///< first(m): the least position that m's row has
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
  KOKKOS_FUNCTION void expect(Chain const& chain) const {
    prefetch(&candidates(chain.proposer, chain.position % columns));
  }
};

/// The next few candidates of each proposer; past these, the tables.
template <class Tables, class MemorySpace>
struct NextCandidatesLookup {
  using Id = typename Tables::Id;

  Tables tables;
  NextCandidates<Id, MemorySpace> next;

  KOKKOS_FUNCTION Proposal<Id> operator()(Chain const& chain) const {
    // Neither load waits for the other.
    auto const proposal = next(chain);
    return next.has(chain) ? proposal : tables(chain);
  }
};

/// Where each proposer stands: his offer does, or he waits.
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
  static constexpr std::uint32_t columns = next_candidates;

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

/// The next candidates of all proposers, `live` of whom wait and the others stand.
/// Cost: two launches; `columns` look-ups a proposer.
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
