// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/stable_marriage/propose.hpp>
#include <taper/stable_marriage/state.hpp>

#include <cstdint>

/// The steps of parallel legs. Used by: Execution and ShardedExecution.
namespace taper::stable_marriage::detail {

/// Propose for similar lists on a GPU. Many proposers ask the next receiver of a list at once. Only
/// an offer shows if it accepts, and mostly it rejects. So each step makes one offer, and the lanes
/// of a warp make theirs together. The next part of the proposer's rows is prefetched in time.
///
/// Reading the rank limit or the standing offer first takes longer than the atomic operations that
/// it saves. Several positions per step take longer too: the lanes of a warp then advance
/// differently far, and no longer ask one receiver together.
template <class Lookup, class Contention, class Counters>
struct ProposeContended : Propose<Lookup, Contention, Counters> {
  using Base = Propose<Lookup, Contention, Counters>;

  KOKKOS_FUNCTION Outcome operator()(Chain& chain, Tally& tally) const {
    constexpr std::uint32_t part = 32 / sizeof(typename Lookup::Id);  // the least that a GPU reads
    if (chain.position % part == 0 && chain.position + part < this->n) {
      this->lookup.prefetch_for({chain.proposer, chain.position + part});
    }
    return Base::operator()(chain, tally);
  }
};

/// Calls use(step) with the step of a parallel leg that resolves contention by atomic minima. A
/// step reads several candidates ahead, and the rank limits before it makes an offer. On a GPU it
/// does neither if the receivers are contended: if the lists are similar.
template <ExecutionSpace Exec, class Lookup, class Memory, class Counters, class Use>
void with_parallel_step(Lookup const& lookup,
                        StandingOffers<typename Lookup::Id, Memory> const& standing,
                        Counters const& counters, [[maybe_unused]] bool contended, Use const& use) {
  using Id = typename Lookup::Id;
  using Minimum = FetchMin<Id, Memory>;
  using MinimumWithRankLimits = WithRankLimits<Minimum, Id, Memory>;
  auto const n = static_cast<std::uint32_t>(standing.best.extent(0));
  if constexpr (is_gpu<Exec>) {
    if (contended) {
      return use(ProposeContended<Lookup, Minimum, Counters>{{lookup, {standing}, counters, n}});
    }
  }
  use(Propose<Lookup, MinimumWithRankLimits, Counters, RowTeams<Exec>::template read_ahead<Id>>{
      lookup, {{standing}}, counters, n});
}

}  // namespace taper::stable_marriage::detail
