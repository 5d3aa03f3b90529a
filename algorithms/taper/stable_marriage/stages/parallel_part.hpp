// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/stable_marriage/propose.hpp>
#include <taper/stable_marriage/state.hpp>

#include <cstdint>

namespace taper::stable_marriage::detail {

/// Propose where lists are alike, by a GPU's worker: whoever is next is contended, only an offer
/// tells, and it is mostly rejected. So there is an offer a step, which the lanes of a warp make
/// together, and the next part of the proposer's rows is asked for in time.
///
/// Asking first, for the bar or for the offer that stands, takes longer than the atomics that it
/// spares; so do several positions a step, since the lanes have come differently far.
template <class Lookup, class Contention, class Counters>
struct ProposeContended : Propose<Lookup, Contention, Counters> {
  using Base = Propose<Lookup, Contention, Counters>;

  KOKKOS_FUNCTION Outcome operator()(Chain& chain, Tally& tally) const {
    constexpr std::uint32_t part = 32 / sizeof(typename Lookup::Id);  // what a GPU reads at least
    if (chain.position % part == 0 && chain.position + part < this->n) {
      this->lookup.expect({chain.proposer, chain.position + part});
    }
    return Base::operator()(chain, tally);
  }
};

/// Calls use(step) with the step of a wide leg that takes minima. A worker looks ahead and asks the
/// bars first, except a GPU's where lists are alike.
template <ExecutionSpace Exec, class Lookup, class Memory, class Counters, class Use>
void with_wide_step(Lookup const& lookup, Standing<typename Lookup::Id, Memory> const& standing,
                    Counters const& counters, [[maybe_unused]] bool lists_are_alike,
                    Use const& use) {
  using Id = typename Lookup::Id;
  using Plain = FetchMin<Id, Memory>;
  using Asking = Filtered<Plain, Id, Memory>;
  auto const n = static_cast<std::uint32_t>(standing.best.extent(0));
  if constexpr (is_gpu<Exec>) {
    if (lists_are_alike) {
      return use(ProposeContended<Lookup, Plain, Counters>{{lookup, {standing}, counters, n}});
    }
  }
  use(Propose<Lookup, Asking, Counters, RowTeams<Exec>::template ahead<Id>>{
      lookup, {{standing}}, counters, n});
}

}  // namespace taper::stable_marriage::detail
