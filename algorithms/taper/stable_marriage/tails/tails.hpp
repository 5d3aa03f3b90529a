// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/place.hpp>
#include <taper/report.hpp>
#include <taper/stable_marriage/propose.hpp>
#include <taper/stable_marriage/state.hpp>
#include <taper/stable_marriage/tail_policy.hpp>
#include <taper/stable_marriage/tails/host.hpp>
#include <taper/stable_marriage/tails/next_candidates.hpp>
#include <taper/stable_marriage/tails/team.hpp>
#include <taper/stable_marriage/tails/team_by_ranks.hpp>
#include <taper/stable_marriage/tails/warp.hpp>
#include <taper/stable_marriage/workspace.hpp>
#include <taper/stop.hpp>
#include <taper/tapering.hpp>

#include <cstdint>
#include <optional>

// The tails of a hybrid run: each function tail_*() picks the step and calls one of run_*_tail().
// Used by: Execution and ShardedExecution.
namespace taper::stable_marriage::detail {

/// A GPU's tail while runs of rejections are short: one warp per chain. Chains with long runs stay
/// in the frontier.
template <ExecutionSpace Exec, class Lookup, class Memory, class Counters>
void tail_warp(Exec const& where, Lookup const& lookup,
               StandingOffers<typename Lookup::Id, Memory> const& standing,
               Counters const& counters, Frontier<Chain, Memory>& frontier) {
  using Id = typename Lookup::Id;
  using Next = NextCandidatesLookup<Lookup, Memory>;
  auto const n = static_cast<std::uint32_t>(standing.best.extent(0));
  Next const next =
      gather_next_candidates(where, lookup, standing.best, frontier.waiting, frontier.live);
  using Contended = WithRankLimits<FetchMin<Id, Memory>, Id, Memory>;
  run_warp_tail(where, "taper::stable_marriage::tail_warp",
                Propose<Next, Contended, Counters>{next, {{standing}}, counters, n}, frontier, 1);
  if (frontier.live == 1) {
    run_warp_tail(where, "taper::stable_marriage::tail_warp",
                  Propose<Next, PlainAccess<Id, Memory>, Counters>{next, {standing}, counters, n},
                  frontier, 0);
  }
}

/// tail_warp(), but the last few chains may continue on a core of the host. The host counts in
/// `host_counters`. Returns the migration if there was one. Throws: Stopped.
template <AnyDuo P, class Lookup, class Memory, class Counters, class HostCounts>
std::optional<Migration>
tail_warp_then_host(P const& place, HandOver const& hand_over, Lookup const& lookup,
                    StandingOffers<typename Lookup::Id, Memory> const& standing,
                    Workspace<typename Lookup::Id, Memory>& workspace, Counters const& counters,
                    HostCounts const& host_counters, Frontier<Chain, Memory>& frontier,
                    StopFlag stop) {
  using Id = typename Lookup::Id;
  using Next = NextCandidatesLookup<Lookup, Memory>;
  auto const n = static_cast<std::uint32_t>(standing.best.extent(0));
  Next const next =
      gather_next_candidates(place.device, lookup, standing.best, frontier.waiting, frontier.live);
  using Contended = WithRankLimits<FetchMin<Id, Memory>, Id, Memory>;
  Propose<Next, Contended, Counters> const propose{next, {{standing}}, counters, n};
  run_warp_tail(place.device, "taper::stable_marriage::tail_warp", propose, frontier,
                hand_over.max_chains);
  if (frontier.live > hand_over.max_chains) {
    return {};
  }
  run_warp_tail(place.device, "taper::stable_marriage::tail_warp", propose, frontier, 0,
                hand_over.min_gpu_steps);
  if (frontier.live == 0) {
    return {};
  }
  return run_host_tail(place.device, place.host, hand_over.min_acceptances_per_refill, next,
                       standing, workspace.host_copy(place.host, n), host_counters, frontier, stop);
}

/// Calls use(step) with the step of a team tail. Several teams of a GPU need atomics. A host's team
/// takes one chain after another, and so does the team of a GPU's only chain: plain accesses do.
template <ExecutionSpace Exec, class Lookup, class Memory, class Counters, class Use>
void with_team_step(Lookup const& lookup,
                    StandingOffers<typename Lookup::Id, Memory> const& standing,
                    Counters const& counters, std::uint64_t live, Use const& use) {
  using Id = typename Lookup::Id;
  auto const n = static_cast<std::uint32_t>(standing.best.extent(0));
  if constexpr (is_gpu<Exec>) {
    if (live > 1) {
      using Contention = WithRankLimits<FetchMin<Id, Memory>, Id, Memory>;
      return use(Propose<Lookup, Contention, Counters>{lookup, {{standing}}, counters, n});
    }
  }
  use(Propose<Lookup, PlainAccess<Id, Memory>, Counters>{lookup, {standing}, counters, n});
}

/// The end of a tail: teams that scan the proposer's rows. No chain is left. Throws: Stopped.
template <ExecutionSpace Exec, class Lookup, class Memory, class Counters>
void tail_team(Exec const& where, Lookup const& lookup,
               StandingOffers<typename Lookup::Id, Memory> const& standing,
               Counters const& counters, Frontier<Chain, Memory>& frontier, StopFlag stop = {}) {
  with_team_step<Exec>(lookup, standing, counters, frontier.live, [&](auto const& propose) {
    run_team_tail(where, "taper::stable_marriage::tail", propose, frontier,
                  is_gpu<Exec> ? frontier.live : 1, stop);
  });
}

/// tail_team() with a table of positions: the position of each receiver in each proposer's list.
/// The lists need not be scanned.
template <ExecutionSpace Exec, class Lookup, class Table, class Memory, class Counters>
void tail_team_by_ranks(Exec const& where, Lookup const& lookup, Table const& positions,
                        StandingOffers<typename Lookup::Id, Memory> const& standing,
                        Counters const& counters, Frontier<Chain, Memory>& frontier) {
  with_team_step<Exec>(lookup, standing, counters, frontier.live, [&](auto const& propose) {
    run_team_tail_by_ranks(where, "taper::stable_marriage::tail", propose, positions, frontier);
  });
}

}  // namespace taper::stable_marriage::detail
