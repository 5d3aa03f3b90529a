// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/backend.hpp>
#include <taper/error.hpp>
#include <taper/stable_marriage/stages/start_state.hpp>
#include <taper/stable_marriage/state.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

// From the last offers, or from the first choices, to the matching. Used by: phases.hpp.
namespace taper::stable_marriage::detail {

/// Writes the partners of the standing offers. Counts the receivers without an offer.
template <class Partners, class MemorySpace>
struct WriteMatching {
  Kokkos::View<AtomicWord*, MemorySpace> best;
  Partners partner_of;
  bool men_proposed;

  KOKKOS_FUNCTION void operator()(std::uint64_t receiver, std::uint64_t& unmatched) const {
    AtomicWord const offer = best(receiver);
    if (offer == no_offer) {
      ++unmatched;
      return;
    }
    std::uint64_t const proposer = Offer::get<offer_proposer>(offer);
    std::uint64_t const man = men_proposed ? proposer : receiver;
    std::uint64_t const woman = men_proposed ? receiver : proposer;
    partner_of(man) = static_cast<typename Partners::value_type>(woman);
  }
};

/// Writes each proposer's first choice as its partner.
template <class Lists, class Partners>
struct WriteFirstChoices {
  Lists lists;
  Partners partner_of;
  bool men_proposed;

  KOKKOS_FUNCTION void operator()(std::uint64_t proposer) const {
    std::uint64_t const receiver = lists(proposer, 0);
    partner_of(men_proposed ? proposer : receiver) =
        static_cast<typename Partners::value_type>(men_proposed ? receiver : proposer);
  }
};

/// Writes the matching of the standing offers `best` and returns the number of proposals that led
/// to it.
/// Throws: taper::Error if a receiver has no offer.
template <class MemorySpace, ExecutionSpace Exec, class Partners>
std::uint64_t write_matching(Exec const& where, Kokkos::View<AtomicWord*, MemorySpace> const& best,
                             Partners const& partner_of, bool men_proposed) {
  using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>;
  std::uint64_t const n = best.extent(0);
  std::uint64_t unmatched = 0;
  std::uint64_t proposals = 0;
  Kokkos::parallel_reduce("taper::stable_marriage::write_matching", Range(where, 0, n),
                          WriteMatching<Partners, MemorySpace>{best, partner_of, men_proposed},
                          unmatched);
  Kokkos::parallel_reduce("taper::stable_marriage::count_proposals", Range(where, 0, n),
                          SumProposals<MemorySpace>{best, nullptr, n}, proposals);
  where.fence("taper::stable_marriage: wait for the sums");
  TAPER_REQUIRE(unmatched == 0, "taper::stable_marriage::solve: " + std::to_string(unmatched) +
                                    " receivers got no offer, so some row is not a permutation; "
                                    "find_bad_row() finds it");
  return proposals;
}

}  // namespace taper::stable_marriage::detail
