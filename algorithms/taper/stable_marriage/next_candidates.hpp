// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/duo.hpp>
#include <taper/stable_marriage/options.hpp>
#include <taper/stable_marriage/propose.hpp>
#include <taper/stable_marriage/state.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::stable_marriage::detail {

/// The next few candidates of each proposer, from where he stood when they were gathered: a
/// PRMatrix of few columns, that a GPU's cache holds. Past these, the tables.
template <class Tables, class MemorySpace>
struct NextCandidatesLookup {
  using Id = typename Tables::Id;
  static constexpr std::uint32_t columns = next_candidates;

  Tables tables;
  Kokkos::View<std::uint32_t*, MemorySpace>
      first;  ///< first(m): the least position that m's row has
  /// Position p is in column p modulo `columns`.
  Kokkos::View<CandidateWord<Id>* [columns], Kokkos::LayoutRight, MemorySpace> candidates;

  KOKKOS_FUNCTION Proposal<Id> operator()(Chain const& chain) const {
    // Neither load waits for the other.
    auto const word = candidates(chain.proposer, chain.position % columns);
    if (chain.position - first(chain.proposer) >= columns) {
      return tables(chain);
    }
    return {static_cast<Id>(Candidate<Id>::template get<0>(word)),
            static_cast<Id>(Candidate<Id>::template get<1>(word))};
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

template <class Lookup>
struct GatherCandidates {
  Lookup next;
  std::uint32_t n;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    using Id = typename Lookup::Id;
    auto const proposer = static_cast<std::uint32_t>(i / Lookup::columns);
    auto const column = static_cast<std::uint32_t>(i % Lookup::columns);
    std::uint32_t const position = next.first(proposer) + column;
    if (position < n) {
      auto const proposal = next.tables({proposer, position});
      next.candidates(proposer, position % Lookup::columns) =
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
  using Lookup = NextCandidatesLookup<Tables, MemorySpace>;
  using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>;
  std::uint64_t const n = best.extent(0);
  Lookup const next{
      tables,
      decltype(Lookup::first)(Kokkos::view_alloc(where, "taper::stable_marriage::positions"), n),
      decltype(Lookup::candidates)(Kokkos::view_alloc(where, Kokkos::WithoutInitializing,
                                                      "taper::stable_marriage::next_candidates"),
                                   n)};
  Kokkos::parallel_for("taper::stable_marriage::find_positions", Range(where, 0, n + live),
                       FindPositions<MemorySpace>{best, waiting, next.first, n});
  Kokkos::parallel_for("taper::stable_marriage::next_candidates",
                       Range(where, 0, n * Lookup::columns),
                       GatherCandidates<Lookup>{next, static_cast<std::uint32_t>(n)});
  return next;
}

}  // namespace taper::stable_marriage::detail
