// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/place.hpp>
#include <taper/stable_marriage/propose.hpp>
#include <taper/stable_marriage/sharded/shards.hpp>
#include <taper/stable_marriage/stages/start_state.hpp>
#include <taper/stable_marriage/state.hpp>
#include <taper/tapering.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <utility>
#include <vector>

/// The chains and counts of a shard, and how the leader collects those of all shards.
///
/// Used by: sharded/execution.hpp and sharded/bamboo.hpp.
namespace taper::stable_marriage::detail {

/// The chains of a shard's proposers, the control of its legs, and its counts. All are in the
/// memory of the shard, except for a copy of the control on the host.
template <class Memory>
struct ShardChains {
  Frontier<Chain, Memory> frontier;
  LegControlView<Memory> control;
  decltype(Kokkos::create_mirror_view(control)) host_control;
  Kokkos::View<Tally*, Memory> counters;  ///< without extent if nothing is counted

  /// All proposers of shard k are free.
  template <ExecutionSpace Exec>
  ShardChains(Exec const& where, RowPartition const& partition, std::uint32_t k, bool count)
      : frontier(
            AllProposersFree::frontier<Exec, Memory>(where, partition.size(k), partition.begin(k))),
        control(Kokkos::view_alloc(where, Kokkos::WithoutInitializing,
                                   "taper::stable_marriage::control")),
        host_control(Kokkos::create_mirror_view(Kokkos::WithoutInitializing, control)),
        counters(Kokkos::view_alloc(where, "taper::stable_marriage::counters"), count ? 1 : 0) {}

  /// Prepares the control for a leg. Async: `where` is not fenced.
  template <ExecutionSpace Exec>
  void reset_control(Exec const& where) const {
    host_control() = {.live = frontier.live, .parked = 0, .idle_after_steps = 0, .stop = 0};
    Kokkos::deep_copy(where, control, host_control);
  }

  /// After a leg: makes the parked chains the live ones. host_control then has the control as the
  /// leg has left it. Async: returns with `where` fenced.
  template <ExecutionSpace Exec>
  void take_parked(Exec const& where) {
    Kokkos::deep_copy(where, host_control, control);
    where.fence("taper::stable_marriage: wait for the number of a shard's free proposers");
    frontier.live = host_control().parked;
    std::swap(frontier.waiting, frontier.parked);
  }
};

/// The number of chains in the frontiers of all shards. `states` are derived from ShardChains.
template <class State>
std::uint64_t count_live(std::vector<State> const& states) {
  std::uint64_t live = 0;
  for (State const& state : states) {
    live += state.frontier.live;
  }
  return live;
}

/// Moves the chains of all shards to one frontier of the leader. Async: `leader` is not fenced.
template <class Memory, ExecutionSpace Exec, class State>
Frontier<Chain, Memory> gather_chains(Exec const& leader, std::vector<State>& states) {
  Frontier<Chain, Memory> all(leader, "taper::stable_marriage::leader_frontier",
                              count_live(states));
  std::uint64_t begin = 0;
  for (State& state : states) {
    std::uint64_t const end = begin + state.frontier.live;
    Kokkos::deep_copy(
        leader, Kokkos::subview(all.waiting, std::pair{begin, end}),
        Kokkos::subview(state.frontier.waiting, std::pair{std::uint64_t{0}, state.frontier.live}));
    state.frontier.live = 0;
    begin = end;
  }
  return all;
}

/// The sum of the counts of all shards; zeros if nothing is counted. Async: fences the shards.
template <ExecutionSpace Exec, class State>
Tally sum_counts(Shards<Exec> const& shards, std::vector<State> const& states) {
  Tally sum{};
  for (std::uint32_t k = 0; k < shards.size() && states[k].counters.extent(0) > 0; ++k) {
    auto const counts = Kokkos::create_mirror_view(Kokkos::HostSpace{}, states[k].counters);
    Kokkos::deep_copy(shards[k], counts, states[k].counters);
    shards[k].fence("taper::stable_marriage: wait for a shard's counts");
    sum += counts(0);
  }
  return sum;
}

}  // namespace taper::stable_marriage::detail
