// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/duo.hpp>
#include <taper/report.hpp>
#include <taper/stable_marriage/follow_by_lanes.hpp>
#include <taper/stable_marriage/follow_by_ranks.hpp>
#include <taper/stable_marriage/follow_by_teams.hpp>
#include <taper/stable_marriage/follow_on_host.hpp>
#include <taper/stable_marriage/next_candidates.hpp>
#include <taper/stable_marriage/propose.hpp>
#include <taper/stable_marriage/state.hpp>
#include <taper/stable_marriage/workspace.hpp>
#include <taper/tail_policy.hpp>
#include <taper/tapering.hpp>

#include <cstdint>
#include <optional>

namespace taper::stable_marriage::detail {

/// A GPU's tail where runs of rejections are short: each chain by the lanes of a thread. Those
/// that want a team are left.
template <ExecutionSpace Exec, class Lookup, class Memory, class Counters>
void tail_by_lanes(Exec const& where, Lookup const& lookup,
                   Standing<typename Lookup::Id, Memory> const& standing, Counters const& counters,
                   Frontier<Chain, Memory>& frontier) {
  using Id = typename Lookup::Id;
  using Next = NextCandidatesLookup<Lookup, Memory>;
  auto const n = static_cast<std::uint32_t>(standing.best.extent(0));
  Next const next =
      gather_next_candidates(where, lookup, standing.best, frontier.waiting, frontier.live);
  using Contended = Filtered<FetchMin<Id, Memory>, Id, Memory>;
  follow_by_lanes(where, "taper::stable_marriage::tail_by_lanes",
                  Propose<Next, Contended, Counters>{next, {{standing}}, counters, n}, frontier, 1);
  if (frontier.live == 1) {
    follow_by_lanes(where, "taper::stable_marriage::tail_by_lanes",
                    Propose<Next, Alone<Id, Memory>, Counters>{next, {standing}, counters, n},
                    frontier, 0);
  }
}

/// The same, where the last few chains may go on to a core of the host, whose counts are its own;
/// the migration, if they did.
template <AnyDuo P, class Lookup, class Memory, class Counters, class HostCounts>
std::optional<Migration>
tail_by_lanes_and_host(P const& place, LastChains const& last, Lookup const& lookup,
                       Standing<typename Lookup::Id, Memory> const& standing,
                       Workspace<typename Lookup::Id, Memory>& workspace, Counters const& counters,
                       HostCounts const& host_counters, Frontier<Chain, Memory>& frontier) {
  using Id = typename Lookup::Id;
  using Next = NextCandidatesLookup<Lookup, Memory>;
  auto const n = static_cast<std::uint32_t>(standing.best.extent(0));
  Next const next =
      gather_next_candidates(place.device, lookup, standing.best, frontier.waiting, frontier.live);
  using Contended = Filtered<FetchMin<Id, Memory>, Id, Memory>;
  Propose<Next, Contended, Counters> const propose{next, {{standing}}, counters, n};
  follow_by_lanes(place.device, "taper::stable_marriage::tail_by_lanes", propose, frontier,
                  last.chains);
  if (frontier.live > last.chains) {
    return {};
  }
  follow_by_lanes(place.device, "taper::stable_marriage::tail_by_lanes", propose, frontier, 0,
                  last.looks);
  if (frontier.live == 0) {
    return {};
  }
  return follow_on_host(place.device, place.host, last.acceptances_a_fetch, next, standing,
                        workspace.host_copy(place.host, n), host_counters, frontier);
}

/// Calls use(step) with the step by which teams follow the chains of `frontier`: on a GPU one for
/// each, on a host, which takes one after another, and for the only chain that of a single worker.
template <ExecutionSpace Exec, class Lookup, class Memory, class Counters, class Use>
void with_team_step(Lookup const& lookup, Standing<typename Lookup::Id, Memory> const& standing,
                    Counters const& counters, std::uint64_t live, Use const& use) {
  using Id = typename Lookup::Id;
  auto const n = static_cast<std::uint32_t>(standing.best.extent(0));
  if constexpr (is_gpu<Exec>) {
    if (live > 1) {
      using Contention = Filtered<FetchMin<Id, Memory>, Id, Memory>;
      return use(Propose<Lookup, Contention, Counters>{lookup, {{standing}}, counters, n});
    }
  }
  use(Propose<Lookup, Alone<Id, Memory>, Counters>{lookup, {standing}, counters, n});
}

/// The end of a tail, by teams that sweep a proposer's rows.
template <ExecutionSpace Exec, class Lookup, class Memory, class Counters>
void tail_by_teams(Exec const& where, Lookup const& lookup,
                   Standing<typename Lookup::Id, Memory> const& standing, Counters const& counters,
                   Frontier<Chain, Memory>& frontier) {
  with_team_step<Exec>(lookup, standing, counters, frontier.live, [&](auto const& propose) {
    follow_by_teams(where, "taper::stable_marriage::tail", propose, frontier,
                    is_gpu<Exec> ? frontier.live : 1);
  });
}

/// The same where there is a table of positions.
template <ExecutionSpace Exec, class Lookup, class Table, class Memory, class Counters>
void tail_by_ranks(Exec const& where, Lookup const& lookup, Table const& positions,
                   Standing<typename Lookup::Id, Memory> const& standing, Counters const& counters,
                   Frontier<Chain, Memory>& frontier) {
  with_team_step<Exec>(lookup, standing, counters, frontier.live, [&](auto const& propose) {
    follow_by_ranks(where, "taper::stable_marriage::tail", propose, positions, frontier);
  });
}

}  // namespace taper::stable_marriage::detail
