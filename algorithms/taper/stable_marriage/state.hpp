// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/backend.hpp>
#include <taper/preferences/offers.hpp>
#include <taper/stable_marriage/instance.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <utility>

namespace taper::stable_marriage::detail {

using preferences::Candidate;
using preferences::CandidateWord;
using preferences::Chain;
using preferences::no_offer;
using preferences::Offer;
using preferences::offer_proposals;
using preferences::offer_proposer;
using preferences::offer_rank;

/// The standing offer of each receiver, that is the best one so far: the current matching.
///
/// Used by: all stages, tails and runs without a rank matrix.
template <class Id, class MemorySpace>
struct StandingOffers {
  Kokkos::View<AtomicWord*, MemorySpace> best;  ///< the matching: best(w) is an Offer or no_offer
  /// The *rank limit* of a receiver w: it rejects each proposer whose rank is not below
  /// rank_limit(w). This is a rank that best(w) had at some time, or the largest Id. It may be old:
  /// since the rank in best(w) only falls, an old limit still rejects rightly. A proposer that it
  /// rejects need not read best(w).
  Kokkos::View<Id*, MemorySpace> rank_limit;

  StandingOffers(Kokkos::View<AtomicWord*, MemorySpace> offers,
                 Kokkos::View<Id*, MemorySpace> limits)
      : best(std::move(offers)), rank_limit(std::move(limits)) {}

  /// No offers yet.
  template <ExecutionSpace Exec>
  StandingOffers(Exec const& where, std::uint64_t n)
      : best(Kokkos::view_alloc(where, Kokkos::WithoutInitializing, "taper::stable_marriage::best"),
             n),
        rank_limit(Kokkos::view_alloc(where, Kokkos::WithoutInitializing,
                                      "taper::stable_marriage::rank_limit"),
                   n) {
    Kokkos::deep_copy(where, best, no_offer);
    Kokkos::deep_copy(where, rank_limit, std::numeric_limits<Id>::max());
  }
};

}  // namespace taper::stable_marriage::detail
