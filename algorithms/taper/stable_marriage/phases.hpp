// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/compiled.hpp>
#include <taper/place.hpp>
#include <taper/preferences/rank_matrix.hpp>
#include <taper/region.hpp>
#include <taper/rows.hpp>
#include <taper/stable_marriage/hybrid_plan.hpp>
#include <taper/stable_marriage/instance.hpp>
#include <taper/stable_marriage/lazy_ranks/run.hpp>
#include <taper/stable_marriage/options.hpp>
#include <taper/stable_marriage/precheck.hpp>
#include <taper/stable_marriage/report.hpp>
#include <taper/stable_marriage/shortlist_run.hpp>
#include <taper/stable_marriage/solve_tables.hpp>
#include <taper/stable_marriage/stages/execution.hpp>
#include <taper/stable_marriage/state.hpp>
#include <taper/stable_marriage/tiers.hpp>
#include <taper/stable_marriage/workspace.hpp>
#include <taper/stable_marriage/write_matching.hpp>
#include <taper/stop.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

// The phases of a solve: precheck, initialisation, execution, postprocessing.
// Used by: solve() of stable_marriage.hpp, sharded/solve.hpp and solve_streamed.hpp.

namespace taper::stable_marriage {
namespace detail {

/// The rest of phase 1. If the lists of the readers fall into tiers and the options allow them,
/// writes the matching, fills `report` and returns true.
template <class Id, ExecutionSpace Exec, class All, class Own, class Partners>
bool try_tiers(std::vector<TierReader<Exec, All, Own>> const& readers, Partners const& partner_of,
               Options const& options, Report& report) {
  auto const n = static_cast<std::uint32_t>(partner_of.extent(0));
  auto const solved = solve_by_tiers<Id>(readers, n, partner_of, options);
  if (solved) {
    report.tiers = solved->tiers;
    report.proposals = solved->tally.proposals;
    report.acceptances = options.count ? solved->tally.acceptances : 0;
    report.rejections = options.count ? report.proposals - report.acceptances : 0;
  }
  return solved.has_value();
}

/// The same for tables in the memory of one place.
template <ExecutionSpace Exec, class Preferences, class Partners>
bool try_tiers(Exec const& where, Instance<Preferences> const& instance, Partners const& partner_of,
               Options const& options, Report& report) {
  bool const men_propose = options.proposer == Proposer::men;
  auto const proposers = rows_of(men_propose ? instance.men : instance.women);
  auto const receivers = rows_of(men_propose ? instance.women : instance.men);
  using Lists = std::remove_const_t<decltype(proposers)>;
  std::vector<TierReader<Exec, Lists, Lists>> const readers{
      {where, proposers, receivers, proposers, receivers, instance.size()}};
  return try_tiers<typename Preferences::non_const_value_type>(readers, partner_of, options,
                                                               report);
}

/// Phase 4: writes the matching to partner_of. Returns a report with the counts of `tally`.
template <ExecutionSpace Exec, class Id, class Memory, class Partners>
Report finish_matching(Exec const& where, StandingOffers<Id, Memory> const& standing,
                       Tally const& tally, Partners const& partner_of, Options const& options) {
  Report report;
  report.proposals =
      write_matching<Memory>(where, standing.best, partner_of, options.proposer == Proposer::men);
  if (options.count) {
    report.acceptances = tally.acceptances;
    report.rejections = report.proposals - tally.acceptances;
    report.atomic_operations = tally.atomic_operations;
    report.failed_compare_exchanges = tally.failed_compare_exchanges;
    report.compare_exchange_reads = tally.compare_exchange_reads;
  }
  return report;
}

/// Phases 2 to 4, from the state `start` or from the first proposal.
///
/// build_ranks(ranks) launches the kernels that fill the rank matrix. With `look_for_tiers`, the
/// run then looks for tiers and may end with them: the tables of a streamed run arrive so late.
/// `are_similar`: whether the proposers' lists are similar, if that is known. Throws: Stopped.
template <Place P, class Id, class Memory>
Report solve_after_precheck(P const& place, Instance<SolveLists<P, Id, Memory>> const& instance,
                            SolvePartners<P, Id, Memory> const& partner_of, Options const& options,
                            Workspace<Id, Memory>& workspace,
                            std::optional<StartState<Id, Memory>> start,
                            BuildRanks<Id, Memory> const& build_ranks, bool look_for_tiers,
                            std::optional<bool> are_similar) {
  StopFlag const stop{options.stop};
  stop.check();
  auto const& device = device_of(place);
  std::uint64_t const n = instance.size();
  bool const men_propose = options.proposer == Proposer::men;
  Report report;

  auto execution = [&] {
    FencedRegion const region(device, "taper::stable_marriage::initialisation");
    if (options.algorithm != Algorithm::locality_aware || options.schedule != Schedule::hybrid) {
      workspace.drop_ordered_ranks();
    }
    auto const ranks = workspace.ranks(device, n, n);
    build_ranks(ranks);
    if (!start) {
      start = StartState<Id, Memory>::all_free(device, n);
    }
    using Run = Execution<P, SolveLists<P, Id, Memory>>;
    Run run{
        // the tables of no extent are built when a stage needs them
        place,
        options,
        men_propose ? instance.men : instance.women,
        ranks,
        typename Run::Candidates(Kokkos::view_alloc(device, "taper::stable_marriage::pr_matrix"), 0,
                                 0),
        Table<Id, Memory>(Kokkos::view_alloc(device, "taper::stable_marriage::ordered_ranks"), 0,
                          0),
        Table<Id, Memory>(Kokkos::view_alloc(device, "taper::stable_marriage::positions"), 0, 0),
        workspace,
        start->standing,
        start->frontier,
        Kokkos::View<Tally*, Memory>(Kokkos::view_alloc(device, "taper::stable_marriage::counters"),
                                     options.count ? 1 : 0),
        are_similar};
    if (options.algorithm == Algorithm::locality_aware && options.schedule != Schedule::hybrid) {
      run.build_candidates();
    }
    return run;
  }();

  if (look_for_tiers && try_tiers(device, instance, partner_of, options, report)) {
    return report;
  }
  stop.check();
  execution.run();
  if (execution.frontier.live > 0) {
    {
      FencedRegion const region(device, "taper::stable_marriage::initialisation");
      execution.prepare_second_stage();
    }
    execution.run_second_stage();
  }

  FencedRegion const region(device, "taper::stable_marriage::postprocessing");
  Tally tally = start->tally;
  if (options.count) {
    auto const counters = Kokkos::create_mirror_view(Kokkos::HostSpace{}, execution.counters);
    Kokkos::deep_copy(device, counters, execution.counters);
    device.fence("taper::stable_marriage: wait for the operation counts");
    tally += counters(0);
  }
  report = finish_matching(device, execution.standing, tally, partner_of, options);
  report.threads = execution.plan().threads();
  report.taper_step = execution.taper_step;
  report.taper_live = execution.taper_live;
  report.tail_side = execution.tail_side;
  report.migrations = std::move(execution.migrations);
  for (Migration const& migration : report.migrations) {
    report.bytes_moved += migration.bytes_moved;
  }
  return report;
}

/// solve_tables(), but for a stop. Throws: Stopped.
template <Place P, class Id, class Memory>
Report run_phases(P const& place, Instance<SolveLists<P, Id, Memory>> const& instance,
                  SolvePartners<P, Id, Memory> const& partner_of, Options const& options,
                  Workspace<Id, Memory>& workspace) {
  StopFlag const stop{options.stop};
  stop.check();
  auto const& device = device_of(place);
  bool const men_propose = options.proposer == Proposer::men;
  auto const& proposers = men_propose ? instance.men : instance.women;
  auto const& receivers = men_propose ? instance.women : instance.men;
  std::optional<StartState<Id, Memory>> start;
  std::optional<bool> are_similar;
  Options limited = options;
  if (has_precheck(options.schedule)) {
    std::uint64_t first_choices = 0;
    Report report = precheck(device, rows_of(proposers), partner_of, options, first_choices);
    if (report.perfect || try_tiers(device, instance, partner_of, options, report)) {
      return report;
    }
    stop.check();
    std::uint64_t const n = instance.size();
    if (first_choices_differ(first_choices, n)) {
      are_similar = false;
    }
    if constexpr (HostExecutionSpace<DeviceOf<P>>) {
      ListKind const lists = options.schedule == Schedule::hybrid
                                 ? kind_of_lists(device, first_choices, rows_of(proposers), n)
                                 : ListKind::other_lists;
      are_similar = lists == ListKind::similar_lists;
      limited.max_threads = max_threads(options, lists, n);
      HybridPlan<DeviceOf<P>> const plan{device, limited, n, AnyDuo<P>, sizeof(Id)};
      LazyRanks const lazy_ranks = plan.choose_lazy_ranks(lists);
      bool finished = false;
      if (lazy_ranks == LazyRanks::columns) {
        start = run_with_lazy_ranks(plan, rows_of(proposers), rows_of(receivers), finished);
      } else if (lazy_ranks == LazyRanks::shortlists) {
        start = run_with_shortlists(plan, rows_of(proposers), rows_of(receivers), finished);
      }
      if (finished) {
        FencedRegion const region(device, "taper::stable_marriage::postprocessing");
        report = finish_matching(device, start->standing, start->tally, partner_of, options);
        report.threads = plan.threads();
        return report;
      }
    }
  }
  return solve_after_precheck<P, Id, Memory>(
      place, instance, partner_of, limited, workspace, std::move(start),
      [&](auto const& ranks) { preferences::build_rank_matrix(device, receivers, ranks, stop); },
      false, are_similar);
}

// The definitions of what solve_tables.hpp declares.

template <Place P, class Id, class Memory>
Report solve_tables(P const& place, Instance<SolveLists<P, Id, Memory>> const& instance,
                    SolvePartners<P, Id, Memory> const& partner_of, Options const& options,
                    Workspace<Id, Memory>& workspace) {
  return unless_stopped(
      [&] { return run_phases<P, Id, Memory>(place, instance, partner_of, options, workspace); });
}

template <Place P, class Id, class Memory>
Report solve_arriving_tables(P const& place, Instance<SolveLists<P, Id, Memory>> const& instance,
                             SolvePartners<P, Id, Memory> const& partner_of, Options const& options,
                             Workspace<Id, Memory>& workspace,
                             BuildRanks<Id, Memory> const& receive) {
  return unless_stopped([&] {
    return solve_after_precheck<P, Id, Memory>(place, instance, partner_of, options, workspace, {},
                                               receive, true, std::nullopt);
  });
}

#ifdef TAPER_COMPILED  // Taper::compiled has these in object code
using taper::detail::CompiledDuo;
using taper::detail::CompiledMemory;
using taper::detail::CompiledPlace;
template <class P, class Id>
using CompiledLists = Instance<SolveLists<P, Id, CompiledMemory>>;
template <class P, class Id>
using CompiledPartners = SolvePartners<P, Id, CompiledMemory>;

extern template Report solve_tables(CompiledPlace const&,
                                    CompiledLists<CompiledPlace, std::uint16_t> const&,
                                    CompiledPartners<CompiledPlace, std::uint16_t> const&,
                                    Options const&, Workspace<std::uint16_t, CompiledMemory>&);
extern template Report solve_arriving_tables(CompiledPlace const&,
                                             CompiledLists<CompiledPlace, std::uint16_t> const&,
                                             CompiledPartners<CompiledPlace, std::uint16_t> const&,
                                             Options const&,
                                             Workspace<std::uint16_t, CompiledMemory>&,
                                             BuildRanks<std::uint16_t, CompiledMemory> const&);
extern template Report solve_tables(CompiledPlace const&,
                                    CompiledLists<CompiledPlace, std::uint32_t> const&,
                                    CompiledPartners<CompiledPlace, std::uint32_t> const&,
                                    Options const&, Workspace<std::uint32_t, CompiledMemory>&);
extern template Report solve_arriving_tables(CompiledPlace const&,
                                             CompiledLists<CompiledPlace, std::uint32_t> const&,
                                             CompiledPartners<CompiledPlace, std::uint32_t> const&,
                                             Options const&,
                                             Workspace<std::uint32_t, CompiledMemory>&,
                                             BuildRanks<std::uint32_t, CompiledMemory> const&);
extern template Report solve_tables(CompiledDuo const&,
                                    CompiledLists<CompiledDuo, std::uint16_t> const&,
                                    CompiledPartners<CompiledDuo, std::uint16_t> const&,
                                    Options const&, Workspace<std::uint16_t, CompiledMemory>&);
extern template Report solve_arriving_tables(CompiledDuo const&,
                                             CompiledLists<CompiledDuo, std::uint16_t> const&,
                                             CompiledPartners<CompiledDuo, std::uint16_t> const&,
                                             Options const&,
                                             Workspace<std::uint16_t, CompiledMemory>&,
                                             BuildRanks<std::uint16_t, CompiledMemory> const&);
extern template Report solve_tables(CompiledDuo const&,
                                    CompiledLists<CompiledDuo, std::uint32_t> const&,
                                    CompiledPartners<CompiledDuo, std::uint32_t> const&,
                                    Options const&, Workspace<std::uint32_t, CompiledMemory>&);
extern template Report solve_arriving_tables(CompiledDuo const&,
                                             CompiledLists<CompiledDuo, std::uint32_t> const&,
                                             CompiledPartners<CompiledDuo, std::uint32_t> const&,
                                             Options const&,
                                             Workspace<std::uint32_t, CompiledMemory>&,
                                             BuildRanks<std::uint32_t, CompiledMemory> const&);
#endif

}  // namespace detail
}  // namespace taper::stable_marriage
