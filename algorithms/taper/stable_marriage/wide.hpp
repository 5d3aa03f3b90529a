// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/stable_marriage/propose.hpp>
#include <taper/stable_marriage/state.hpp>

#include <cstdint>

namespace taper::stable_marriage::detail {

/// Calls use(step) with the step of a wide leg that takes minima. A worker looks ahead and asks the
/// bars first, except a GPU's where lists are alike: there whoever is next is contended, only an
/// offer tells, and the lanes of a warp make it together.
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
      return use(Propose<Lookup, Plain, Counters>{lookup, {standing}, counters, n});
    }
  }
  use(Propose<Lookup, Asking, Counters, RowTeams<Exec>::template ahead<Id>>{
      lookup, {{standing}}, counters, n});
}

}  // namespace taper::stable_marriage::detail
