// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/contract.hpp>
#include <taper/stable_marriage/execute.hpp>
#include <taper/stable_marriage/state.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

namespace taper::stable_marriage::detail {

/// Hands out each receiver's best offer; counts receivers that have none.
template <class Partners, class MemorySpace>
struct Announce {
  Kokkos::View<AtomicWord*, MemorySpace> best;
  Partners partner_of;
  bool men_proposed;

  KOKKOS_FUNCTION void operator()(std::uint64_t receiver, std::uint64_t& alone) const {
    AtomicWord const offer = best(receiver);
    if (offer == no_offer) {
      ++alone;
      return;
    }
    std::uint64_t const proposer = Offer::get<offer_proposer>(offer);
    std::uint64_t const man = men_proposed ? proposer : receiver;
    std::uint64_t const woman = men_proposed ? receiver : proposer;
    partner_of(man) = static_cast<typename Partners::value_type>(woman);
  }
};

template <class Lists, class Partners>
struct AnnounceFirstChoices {
  Lists lists;
  Partners partner_of;
  bool men_proposed;

  KOKKOS_FUNCTION void operator()(std::uint64_t proposer) const {
    std::uint64_t const receiver = lists(proposer, 0);
    partner_of(men_proposed ? proposer : receiver) =
        static_cast<typename Partners::value_type>(men_proposed ? receiver : proposer);
  }
};

/// Writes the matching that `best` is, and returns the proposals that it took.
/// Throws: taper::Error where somebody has no offer.
template <class MemorySpace, ExecutionSpace Exec, class Partners>
std::uint64_t announce(Exec const& where, Kokkos::View<AtomicWord*, MemorySpace> const& best,
                       Partners const& partner_of, bool men_proposed) {
  using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>;
  std::uint64_t const n = best.extent(0);
  std::uint64_t alone = 0;
  std::uint64_t proposals = 0;
  Kokkos::parallel_reduce("taper::stable_marriage::announce", Range(where, 0, n),
                          Announce<Partners, MemorySpace>{best, partner_of, men_proposed}, alone);
  Kokkos::parallel_reduce("taper::stable_marriage::count_proposals", Range(where, 0, n),
                          SumProposals<MemorySpace>{best, nullptr, n}, proposals);
  where.fence("taper::stable_marriage: the sums have arrived");
  TAPER_REQUIRE(alone == 0, "taper::stable_marriage::solve: " + std::to_string(alone) +
                                " people were rejected by everybody, so some row is no permutation "
                                "(find_bad_row() names it)");
  return proposals;
}

}  // namespace taper::stable_marriage::detail
