// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/huge_pages.hpp>
#include <taper/place.hpp>
#include <taper/preferences/list_similarity.hpp>
#include <taper/preferences/rank_matrix.hpp>
#include <taper/region.hpp>
#include <taper/report.hpp>
#include <taper/rows.hpp>
#include <taper/stable_marriage/hybrid_plan.hpp>
#include <taper/stable_marriage/instance.hpp>
#include <taper/stable_marriage/options.hpp>
#include <taper/stable_marriage/propose.hpp>
#include <taper/stable_marriage/stages/parallel_part.hpp>
#include <taper/stable_marriage/stages/start_state.hpp>
#include <taper/stable_marriage/state.hpp>
#include <taper/stable_marriage/tails/tails.hpp>
#include <taper/stable_marriage/workspace.hpp>
#include <taper/stop.hpp>
#include <taper/tapering.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace taper::stable_marriage::detail {

/// Phase 3 on one place: all proposals, from the initialised state to the last one. The tables lie
/// in the device's memory.
///
/// A serial or parallel schedule is one leg. `bamboo` is one leg, and then the last proposer on the
/// host. A hybrid schedule has a first stage, which reads the rank matrix as it is. If proposers
/// are free after it, prepare_second_stage() transposes the ranks and run_second_stage() does the
/// rest. A stage starts with parallel legs and ends with a tail.
///
/// Throws: Stopped, between launches.
/// Used by: solve_after_precheck() in phases.hpp, for solve() on one place.
template <Place P, class Lists>
struct Execution {
  using Device = DeviceOf<P>;
  using Memory = typename Lists::memory_space;
  using Id = typename Lists::non_const_value_type;
  using Candidates = Kokkos::View<CandidateWord<Id>**, Kokkos::LayoutRight, Memory>;
  static constexpr bool shared_memory = HostExecutionSpace<Device>;
  static constexpr std::uint32_t ahead = RowTeams<Device>::template read_ahead<Id>;

  P const& place;
  Options const& options;
  /// The proposers' preference lists.
  Lists lists;
  /// The rank matrix: one row per receiver. Transposed for the PRMatrix and for a second stage.
  Table<Id, Memory> ranks;
  /// The PRMatrix, in one table of pairs (candidates) or as the ranks that belong to the entries of
  /// `lists` (ordered). Both are empty until needed.
  Candidates candidates;
  Table<Id, Memory> ordered;
  /// The position of each receiver in each proposer's list; empty unless a long tail needs it.
  Table<Id, Memory> positions;
  Workspace<Id, Memory>& workspace;
  StandingOffers<Id, Memory> standing;
  Frontier<Chain, Memory> frontier;
  Kokkos::View<Tally*, Memory> counters;

  /// Whether all proposers ask the same few receivers; none: run() samples the lists. On a GPU the
  /// second stage then uses ProposeContended.
  std::optional<bool> similar_lists;
  bool ranks_are_transposed = false;
  std::uint64_t taper_step = 0;
  std::uint64_t taper_live = 0;
  Location tail_side = Location::none;
  std::vector<Migration> migrations = {};

  Device const& device() const { return device_of(place); }
  StopFlag stop() const { return {options.stop}; }
  std::uint32_t n() const { return static_cast<std::uint32_t>(lists.extent(0)); }
  HybridPlan<Device> plan() const { return {device(), options, n(), AnyDuo<P>, sizeof(Id)}; }
  /// The tail threshold.
  bool lists_are_similar() const { return similar_lists.value_or(false); }
  std::uint64_t threshold() const { return plan().threshold(lists_are_similar()); }

  RankMatrixLookup<Id> rank_matrix_lookup() const { return {rows_of(lists), rank_rows()}; }
  ProposerRowsLookup<Id> proposer_rows_lookup() const { return {rows_of(lists), rank_rows()}; }
  OrderedRanksLookup<Id> ordered_ranks_lookup() const {
    return {rows_of(lists), rows_of(ConstTable<Id, Memory>(ordered))};
  }
  PRMatrixLookup<Id> pr_matrix_lookup() const {
    return {rows_of(typename Candidates::const_type(candidates))};
  }
  Rows<Id const> rank_rows() const { return rows_of(ConstTable<Id, Memory>(ranks)); }

  template <std::uint32_t ahead = 1, class Lookup, class Contention, class Counters>
  Propose<Lookup, Contention, Counters, ahead>
  step(Lookup const& lookup, Contention const& contention, Counters const& counts) const {
    return {lookup, contention, counts, n()};
  }

  /// Turns the receivers' rows of ranks into rows of the proposers.
  void transpose_ranks() {
    if (!ranks_are_transposed) {
      preferences::transpose<Device, Id, Memory>(device(), ranks, stop());
      ranks_are_transposed = true;
    }
  }

  /// Builds the PRMatrix in one table.
  void build_candidates() {
    transpose_ranks();
    candidates =
        allocate_large<Candidates>(device(), "taper::stable_marriage::pr_matrix", n(), n());
    preferences::pair_candidates<Device, Lists, Id>(device(), lists, ranks, candidates, stop());
  }

  /// Builds what a hybrid run reads after its first stage. More parallel legs read the PRMatrix as
  /// two tables. A tail reads single rows of proposers, so it gets the transposed ranks. If a tail
  /// stays on a GPU, its runs of rejections were too long for warps. It gets `positions` too, in
  /// the memory of the second table.
  void prepare_second_stage() {
    transpose_ranks();
    if (frontier.live > threshold()) {
      ordered = workspace.ordered_ranks(device());
      preferences::order_ranks<Device, Lists, Id>(device(), lists, ranks, ordered, stop());
    } else if (is_gpu<Device> && plan().location_for_long_runs(frontier.live) == Location::device) {
      positions = workspace.ordered_ranks(device());
      preferences::build_rank_matrix(device(), lists, positions, stop());
    }
  }

  void run() {
    FencedRegion const region(device(), "taper::stable_marriage::execution");
    bool const has_pr_matrix = candidates.extent(0) != 0;
    switch (options.schedule) {
    case Schedule::serial:
      return has_pr_matrix ? run_serial(pr_matrix_lookup()) : run_serial(rank_matrix_lookup());
    case Schedule::parallel:
      return has_pr_matrix ? run_parallel(pr_matrix_lookup()) : run_parallel(rank_matrix_lookup());
    case Schedule::bamboo:
      return run_bamboo();
    case Schedule::hybrid:
      if (!similar_lists) {
        similar_lists = preferences::are_similar(device(), rows_of(lists), n(), n());
      }
      run_parallel_part(rank_matrix_lookup(), first_stage_steps(), false);
      short_tail();
      tail_on_warps(rank_matrix_lookup());
    }
  }

  void run_second_stage() {
    FencedRegion const region(device(), "taper::stable_marriage::execution");
    if (ordered.extent(0) != 0) {
      run_parallel_part(ordered_ranks_lookup(), unlimited, lists_are_similar());
      if (lists_are_similar()) {
        refresh_rank_limits();
      }
      tail_on_warps(ordered_ranks_lookup());
    }
    final_tail();
  }

 private:
  /// A leg that can be stopped. Returns as run_leg().
  template <class Where, class Step>
  std::uint64_t advance(Where const& where, char const* label, Step const& propose, Leg leg) {
    leg.stop = stop();
    auto const idle_after_steps = run_leg(where, label, propose, frontier, leg);
    stop().check();
    return idle_after_steps;
  }

  template <class Lookup>
  void run_serial(Lookup const& lookup) {
    advance(device(), "taper::stable_marriage::serial",
            step(lookup, PlainAccess<Id, Memory>{standing}, counters),
            {.turn = plan().turn_length(), .max_workers = 1});
  }

  template <class Lookup>
  void run_parallel(Lookup const& lookup) {
    Leg const leg{.turn = plan().turn_length(),
                  .max_workers = options.algorithm == Algorithm::gale_shapley
                                     ? concurrency(device())
                                     : unlimited};
    if (options.contention == Contention::fetch_min) {
      advance(device(), "taper::stable_marriage::parallel",
              step(lookup, FetchMin<Id, Memory>{standing}, counters), leg);
    } else {
      advance(device(), "taper::stable_marriage::parallel",
              step(lookup, CompareExchange<Id, Memory>{standing}, counters), leg);
    }
  }

  /// The execution phase of Algorithm 2: the kernel of LA-Par-GPU-MIN (Listing 1) until at most one
  /// proposer is free. If one is, it continues on the host, on the host's PRMatrix.
  ///
  /// The published host polls a copy of the partner ranks to find this proposer (Listing 2). The
  /// published device goes on proposing meanwhile, and the first to finish wins. Here the kernel
  /// counts the free proposers and parks the last one. So device and host never advance the same
  /// chain. The device is first exactly if no proposer is parked.
  void run_bamboo() {
    if constexpr (AnyDuo<P>) {
      advance(device(), "taper::stable_marriage::parallel",
              step(pr_matrix_lookup(), FetchMin<Id, Memory>{standing}, counters),
              {.stop_at_live = 1});
      if (frontier.live == 0) {
        return;
      }
      record_taper();
      if constexpr (shared_memory) {
        advance(place.host, "taper::stable_marriage::tail",
                step(pr_matrix_lookup(), PlainAccess<Id, Memory>{standing}, counters),
                {.max_workers = 1});
      } else {
        HostCounts const counts = host_counts();
        migrations.push_back(run_host_tail_on_copy(device(), place.host, candidates,
                                                   workspace.host_pr_matrix(n(), n()), standing,
                                                   counts, frontier, stop()));
        merge_counts(counts);
      }
    }
  }

  /// Steps per worker in the first stage. On a host, workers that advance in lockstep over similar
  /// lists look up the ranks of a few receivers again and again. These rows stay in the cache, so
  /// the run needs no second stage: its first one has no limit.
  std::uint64_t first_stage_steps() const {
    bool const stays_cached =
        shared_memory && options.algorithm == Algorithm::locality_aware && lists_are_similar();
    return stays_cached ? unlimited : plan().first_stage_steps();
  }

  /// Runs parallel legs until the run tapers or `steps` steps are made. `contended`: a GPU uses
  /// ProposeContended. That does not pay in a first stage, in which the rank limits still fall.
  template <class Lookup>
  void run_parallel_part(Lookup const& lookup, std::uint64_t steps, bool contended) {
    Leg leg = plan().parallel_leg();
    leg.stop_at_live = threshold();
    leg.rebalance = leg.max_workers != unlimited;
    // A worker without chains ends a leg. The next leg distributes the live chains anew.
    auto const legs = [&](auto const& propose) {
      std::uint64_t made = 0;
      std::uint64_t idle_after_steps = 0;
      do {
        leg.max_steps = steps - made;
        idle_after_steps = advance(device(), "taper::stable_marriage::parallel_leg", propose, leg);
        made += idle_after_steps;
      } while (idle_after_steps > 0 && made < steps && frontier.live > leg.stop_at_live);
    };
    if constexpr (shared_memory) {
      if (leg.max_workers == 1) {
        return legs(step(lookup, PlainAccess<Id, Memory>{standing}, counters));
      }
    }
    if (options.contention == Contention::compare_exchange) {
      using Contended = WithRankLimits<CompareExchange<Id, Memory>, Id, Memory>;
      return legs(step<ahead>(lookup, Contended{{standing}}, counters));
    }
    with_parallel_step<Device>(lookup, standing, counters, contended, legs);
  }

  /// The first steps of a host's tail, with one worker on the rank matrix as it is. A short tail
  /// ends here and saves the transposition. A GPU's single threads are too slow for it.
  void short_tail() {
    if constexpr (shared_memory) {
      if (has_tapered()) {
        record_taper();
        on_tail_side([&](auto const& where) {
          advance(where, "taper::stable_marriage::tail",
                  step(rank_matrix_lookup(), PlainAccess<Id, Memory>{standing}, counters),
                  {.max_steps = plan().short_run_proposals(),
                   .turn = plan().turn_length(),
                   .max_workers = 1});
        });
      }
    }
  }

  /// A GPU's tail while runs of rejections are short: one warp per chain, and a core of the host
  /// for the last few chains if the caller gave a Duo. Chains with long runs stay in the frontier,
  /// for final_tail(). On a host it does nothing.
  template <class Lookup>
  void tail_on_warps(Lookup const& lookup) {
    if constexpr (!shared_memory) {
      if (has_tapered() && plan().tail_plan().location == Location::device) {
        record_taper();
        if constexpr (AnyDuo<P>) {
          if (options.tail == Tail::automatic && plan().hand_over().max_chains > 0) {
            return tail_on_warps_and_host(lookup);
          }
        }
        tail_warp(device(), lookup, standing, counters, frontier);
      }
    }
  }

  template <class Lookup>
  void tail_on_warps_and_host(Lookup const& lookup) {
    HostCounts const counts = host_counts();
    if (auto const migration = tail_warp_then_host(place, plan().hand_over(), lookup, standing,
                                                   workspace, counters, counts, frontier, stop())) {
      migrations.push_back(*migration);
      tail_side = frontier.live == 0 ? Location::host : Location::device;
      merge_counts(counts);
    }
  }

  /// Advances the chains that are left until they retire: on a host or by teams of a GPU.
  void final_tail() {
    if (frontier.live == 0) {
      return;
    }
    transpose_ranks();
    record_taper();
    if constexpr (shared_memory) {
      on_tail_side([&](auto const& where) {
        tail_team(where, proposer_rows_lookup(), standing, counters, frontier, stop());
      });
    } else {
      if constexpr (AnyDuo<P>) {
        tail_side = plan().location_for_long_runs(frontier.live);
        if (tail_side == Location::host) {
          return host_tail_by_rows();
        }
      }
      if (positions.extent(0) != 0) {
        return tail_team_by_ranks(device(), proposer_rows_lookup(),
                                  rows_of(ConstTable<Id, Memory>(positions)), standing, counters,
                                  frontier);
      }
      tail_team(device(), proposer_rows_lookup(), standing, counters, frontier, stop());
    }
  }

  void host_tail_by_rows() {
    HostCounts const counts = host_counts();
    migrations.push_back(run_host_tail_by_rows(device(), place.host, lists, ranks, standing, counts,
                                               frontier, stop()));
    merge_counts(counts);
  }

  /// Steps of ProposeContended do not set rank limits. The tail after them reads these.
  void refresh_rank_limits() { detail::refresh_rank_limits(device(), standing); }

  bool has_tapered() const { return frontier.live > 0 && frontier.live <= threshold(); }

  /// Records, once per run, how many proposals were made when it tapered, and where its tail goes.
  /// A host that shares the device's memory gets the chains at once, so this is the migration too.
  void record_taper() {
    if (tail_side != Location::none) {
      return;
    }
    tail_side = plan().tail_plan().location;
    taper_live = frontier.live;
    taper_step = count_taper_steps(device(), standing.best, frontier);
    if (tail_side == Location::host && shared_memory) {
      migrations.push_back({Location::device, Location::host, frontier.live, 0});
    }
  }

  /// Calls use(where) with the execution space instance on which a host's tail runs.
  template <class Use>
  void on_tail_side(Use const& use) const {
    if constexpr (AnyDuo<P>) {
      if (tail_side == Location::host) {
        return use(place.host);
      }
    }
    use(device());
  }

  /// Where a host with its own memory counts.
  using HostCounts = Kokkos::View<Tally*, Kokkos::HostSpace>;
  HostCounts host_counts() const {
    return HostCounts("taper::stable_marriage::counters", counters.extent(0));
  }

  /// Adds the counts of the host's tail to those of the device.
  void merge_counts(HostCounts const& counts) {
    if (counters.extent(0) == 0) {
      return;
    }
    auto const total = Kokkos::create_mirror_view(Kokkos::HostSpace{}, counters);
    Kokkos::deep_copy(device(), total, counters);
    device().fence("taper::stable_marriage: wait for the device's counts");
    total(0) += counts(0);
    Kokkos::deep_copy(device(), counters, total);
    device().fence("taper::stable_marriage: wait for the merged counts");
  }
};

}  // namespace taper::stable_marriage::detail
