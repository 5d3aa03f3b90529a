// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/stable_marriage/state.hpp>
#include <taper/tapering.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::stable_marriage::detail {

/// A step for the proposers of one shard. A displaced proposer of another shard retires here; the
/// exchange frees it in its own shard.
///
/// Used by: sharded/ and distributed/.
template <class Inner>
struct OwnProposersStep {
  using State = typename Inner::State;
  using Tally = typename Inner::Tally;

  Inner propose;
  std::uint32_t first;      ///< the first proposer of the shard
  std::uint32_t proposers;  ///< their number

  KOKKOS_FUNCTION Outcome operator()(Chain& chain, Tally& tally) const {
    Outcome const outcome = propose(chain, tally);
    // Below `first` the difference wraps to a large number.
    bool const is_remote = chain.proposer - first >= proposers;
    return outcome == Outcome::handed_over && is_remote ? Outcome::retired : outcome;
  }
  KOKKOS_FUNCTION std::uint32_t progress(Chain const& chain) const {
    return propose.progress(chain);
  }
  KOKKOS_FUNCTION void prefetch_for(Chain const& chain) const { propose.prefetch_for(chain); }
  KOKKOS_FUNCTION void publish(Tally const& tally) const { propose.publish(tally); }
};

}  // namespace taper::stable_marriage::detail
