// SPDX-License-Identifier: Apache-2.0
#pragma once

// Stable marriage: front door and table of contents, in the order in which the data flows.

// What a caller chooses, and the paper's names for it.
#include <taper/stable_marriage/options.hpp>
// Two tables of preference lists.
#include <taper/stable_marriage/instance.hpp>
// The large tables, for callers who keep them from call to call.
#include <taper/stable_marriage/workspace.hpp>
// Offers, chains, and the matching as it stands.
#include <taper/stable_marriage/state.hpp>
// Phase 1: how many first choices are distinct, and is that the answer already? Does the instance
// fall apart?
#include <taper/stable_marriage/precheck.hpp>
#include <taper/stable_marriage/tiers.hpp>
// Phase 2: rank matrix and PRMatrix.
#include <taper/stable_marriage/initialise.hpp>
// Phases 2 and 3 without ranks, of a host's short runs.
#include <taper/stable_marriage/courtship.hpp>
#include <taper/stable_marriage/shortlist_run.hpp>
// Phase 3: one proposal, and the schedules that make them all.
#include <taper/stable_marriage/execute.hpp>
#include <taper/stable_marriage/propose.hpp>
// Phase 4: who got whom.
#include <taper/stable_marriage/announce.hpp>

#include <taper/contract.hpp>
#include <taper/duo.hpp>
#include <taper/region.hpp>
#include <taper/report.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace taper::stable_marriage {

/// What a run did.
struct Report {
  Status status = Status::solved;
  bool perfect = false;     ///< all first choices were distinct: it ended in the precheck
  std::uint64_t tiers = 0;  ///< instances that it fell apart into: it ended there; else 0
  std::uint64_t proposals =
      0;  ///< the same for every engine: the sum of all partners' ranks, counted from 1

  // Counted where Options::count asks for it, else 0.
  std::uint64_t acceptances = 0;
  std::uint64_t rejections = 0;
  std::uint64_t atomic_operations = 0;
  std::uint64_t failed_compare_exchanges = 0;

  // Of a hybrid run that tapered, else 0 and Side::none.
  std::uint64_t taper_step = 0;  ///< proposals made before
  std::uint64_t taper_live = 0;  ///< proposers still free then
  Side tail_side = Side::none;   ///< where the rest was done
  std::vector<Migration> migrations;
  std::uint64_t bytes_moved = 0;  ///< between memory spaces, by all migrations

  std::uint64_t rounds = 0;  ///< of a run on several devices: exchanges of standing offers
  std::uint64_t copied_bytes =
      0;  ///< of an instance in host memory: brought to the device and back
};

namespace detail {

inline void require_machine(std::string const& function, Options const& options) {
  TAPER_REQUIRE(options.people_a_worker.value_or(1) > 0,
                function + ": people_a_worker is 0, expected at least 1");
}

template <class Partners>
void require_partners(std::string const& function, Partners const& partner_of, std::size_t men) {
  TAPER_REQUIRE(partner_of.extent(0) == men,
                function + ": partner_of has " + std::to_string(partner_of.extent(0)) +
                    " entries, the instance has " + std::to_string(men) + " men");
}

/// What every front door for one place requires.
template <Place P, class Preferences, class Partners>
void require_solvable(char const* function, Instance<Preferences> const& instance,
                      Partners const& partner_of, Options const& options) {
  static_assert(Kokkos::is_view_v<Partners> && Partners::rank == 1,
                "solve: partner_of is a rank-1 Kokkos View");
  static_assert(
      std::is_same_v<typename Partners::value_type, typename Preferences::non_const_value_type>,
      "solve: partner_of holds ids of the instance's type");
  require_square(function, instance);
  require_partners(function, partner_of, instance.size());
  TAPER_REQUIRE(options.tail != Tail::host || AnyDuo<P>,
                std::string(function) + ": tail: host needs a Duo{device, host} to run on");
  require_machine(function, options);
}

/// Phase 1, on whose instance reaches the proposers' lists and partner_of: where all first choices
/// are distinct, they are the matching, and the report says so. How many are is left in
/// `first_choices`.
template <ExecutionSpace Exec, class Lists, class Partners>
Report precheck(Exec const& where, Lists const& lists, Partners const& partner_of,
                Options const& options, std::uint64_t& first_choices) {
  std::uint64_t const n = partner_of.extent(0);
  Report report;
  {
    FencedRegion const region(where, "taper::stable_marriage::precheck");
    first_choices = count_first_choices(where, lists, n);
    report.perfect = first_choices == n;
  }
  if (report.perfect) {
    FencedRegion const region(where, "taper::stable_marriage::postprocessing");
    Kokkos::parallel_for("taper::stable_marriage::announce_first_choices",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>(where, 0, n),
                         AnnounceFirstChoices<Lists, Partners>{lists, partner_of,
                                                               options.proposer == Proposer::men});
    report.proposals = n;
    report.acceptances = options.count ? n : 0;
  }
  return report;
}

template <ExecutionSpace Exec, class Lists, class Partners>
Report precheck(Exec const& where, Lists const& lists, Partners const& partner_of,
                Options const& options) {
  std::uint64_t first_choices = 0;
  return precheck(where, lists, partner_of, options, first_choices);
}

/// What is left of phase 1: where the readers' lists fall apart, that is the end, and `report` says
/// what became of it.
template <class Id, ExecutionSpace Exec, class All, class Own, class Partners>
bool ends_by_tiers(std::vector<TierReader<Exec, All, Own>> const& readers,
                   Partners const& partner_of, Options const& options, Report& report) {
  auto const n = static_cast<std::uint32_t>(partner_of.extent(0));
  auto const run = solve_by_tiers<Id>(readers, n, partner_of, options);
  if (run) {
    report.tiers = run->tiers;
    report.proposals = run->tally.proposals;
    report.acceptances = options.count ? run->tally.acceptances : 0;
    report.rejections = options.count ? report.proposals - report.acceptances : 0;
  }
  return run.has_value();
}

/// The same for tables in one place.
template <ExecutionSpace Exec, class Preferences, class Partners>
bool ends_by_tiers(Exec const& where, Instance<Preferences> const& instance,
                   Partners const& partner_of, Options const& options, Report& report) {
  bool const men_propose = options.proposer == Proposer::men;
  auto const his = rows_of(men_propose ? instance.men : instance.women);
  auto const hers = rows_of(men_propose ? instance.women : instance.men);
  using Lists = std::remove_const_t<decltype(his)>;
  std::vector<TierReader<Exec, Lists, Lists>> const readers{
      {where, his, hers, his, hers, instance.size()}};
  return ends_by_tiers<typename Preferences::non_const_value_type>(readers, partner_of, options,
                                                                   report);
}

/// Phase 4: the matching that stands, to partner_of, and what a run without ranks reports.
template <ExecutionSpace Exec, class Id, class Memory, class Partners>
Report announce_standing(Exec const& where, Standing<Id, Memory> const& standing,
                         Tally const& counted, Partners const& partner_of, Options const& options) {
  Report report;
  report.proposals =
      announce<Memory>(where, standing.best, partner_of, options.proposer == Proposer::men);
  if (options.count) {
    report.acceptances = counted.acceptances;
    report.rejections = report.proposals - counted.acceptances;
    report.atomic_operations = counted.atomic_operations;
    report.failed_compare_exchanges = counted.failed_compare_exchanges;
  }
  return report;
}

/// Phases 2 to 4, from where `beginning` stands, or from the first proposal. build_ranks(ranks)
/// launches what fills the rank matrix; once it has, ends_early(report) may have found the matching.
template <Place P, class Preferences, class Partners, class BuildRanks, class EndsEarly>
Report solve_imperfect(
    P const& place, Instance<Preferences> const& instance, Partners const& partner_of,
    Options const& options,
    Workspace<typename Preferences::non_const_value_type, typename Preferences::memory_space>&
        workspace,
    std::optional<
        Beginning<typename Preferences::non_const_value_type, typename Preferences::memory_space>>
        beginning,
    BuildRanks const& build_ranks, EndsEarly const& ends_early) {
  using Device = DeviceOf<P>;
  using Memory = typename Preferences::memory_space;
  using Id = typename Preferences::non_const_value_type;

  Device const& device = device_of(place);
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
    if (!beginning) {
      beginning = Beginning<Id, Memory>::of_all(device, n);
    }
    using Run = Execution<P, Preferences>;
    Run run{
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
        beginning->standing,
        beginning->frontier,
        Kokkos::View<Tally*, Memory>(Kokkos::view_alloc(device, "taper::stable_marriage::counters"),
                                     options.count ? 1 : 0)};
    if (options.algorithm == Algorithm::locality_aware && options.schedule != Schedule::hybrid) {
      run.build_candidates();
    }
    return run;
  }();

  if (ends_early(report)) {
    return report;
  }
  execution.run();
  if (execution.frontier.live > 0) {
    {
      FencedRegion const region(device, "taper::stable_marriage::initialisation");
      execution.prepare_second_stage();
    }
    execution.run_second_stage();
  }

  FencedRegion const region(device, "taper::stable_marriage::postprocessing");
  Tally counted = beginning->tally;
  if (options.count) {
    auto const counters = Kokkos::create_mirror_view(Kokkos::HostSpace{}, execution.counters);
    Kokkos::deep_copy(device, counters, execution.counters);
    device.fence("taper::stable_marriage: the counts have arrived");
    counted += counters(0);
  }
  report = announce_standing(device, execution.standing, counted, partner_of, options);
  report.taper_step = execution.taper_step;
  report.taper_live = execution.taper_live;
  report.tail_side = execution.tail_side;
  report.migrations = std::move(execution.migrations);
  for (Migration const& migration : report.migrations) {
    report.bytes_moved += migration.bytes_moved;
  }
  return report;
}

template <Place P, class Preferences, class Partners>
Report solve_checked(P const& place, Instance<Preferences> const& instance,
                     Partners const& partner_of, Options const& options,
                     Workspace<typename Preferences::non_const_value_type,
                               typename Preferences::memory_space>& workspace) {
  bool const men_propose = options.proposer == Proposer::men;
  Preferences const& proposers = men_propose ? instance.men : instance.women;
  Preferences const& receivers = men_propose ? instance.women : instance.men;
  std::optional<
      Beginning<typename Preferences::non_const_value_type, typename Preferences::memory_space>>
      beginning;
  if (options.schedule == Schedule::hybrid) {
    std::uint64_t first_choices = 0;
    Report report =
        precheck(device_of(place), rows_of(proposers), partner_of, options, first_choices);
    if (report.perfect || ends_by_tiers(device_of(place), instance, partner_of, options, report)) {
      return report;
    }
    if constexpr (HostExecutionSpace<DeviceOf<P>>) {
      Pace<DeviceOf<P>> const pace{device_of(place), options, instance.size(), AnyDuo<P>,
                                   sizeof(typename Preferences::value_type)};
      Courtship const courtship = pace.courtship(first_choices, rows_of(proposers));
      bool ended = false;
      if (courtship == Courtship::columns) {
        beginning = court(pace, rows_of(proposers), rows_of(receivers), ended);
      } else if (courtship == Courtship::shortlists) {
        beginning = run_by_shortlists(pace, rows_of(proposers), rows_of(receivers), ended);
      }
      if (ended) {
        FencedRegion const region(device_of(place), "taper::stable_marriage::postprocessing");
        return announce_standing(device_of(place), beginning->standing, beginning->tally,
                                 partner_of, options);
      }
    }
  }
  return solve_imperfect(
      place, instance, partner_of, options, workspace, std::move(beginning),
      [&](auto const& ranks) { build_rank_matrix(device_of(place), receivers, ranks); },
      [](Report&) { return false; });
}

}  // namespace detail

/// Stable matching of `instance` that is best for the proposing side, written to `partner_of`: the
/// woman of each man, whichever side proposes.
///
/// Equivalent to: sequential Gale-Shapley (Gale and Shapley 1962; Algorithm 1 of Liu, Lee, Xia and
/// Zhang,
///   "A Stable Marriage Requires a Shared Residence with Low Contention and Mutual
///   Complementarity"). The result does not depend on backend, thread count, engine or policy
///   (Theorems IX.7 and IX.8).
/// Requires: rows are permutations (see find_bad_row(), not checked here); tables and `partner_of`
/// in memory that the
///   device side of `place` can reach, and no other work on them.
/// Ensures: count_blocking_pairs(where, instance, partner_of) == 0.
/// Cost: O(n^2) proposals at most; memory as footprint_bytes() says, the tables in `workspace`; a
/// hybrid run migrates at most twice, the sizes in `migrations`, and is over once all lists are read
/// where the instance falls apart into tiers. A hybrid run that is long and wide
/// builds the ranks in the order of the lists; locality_aware otherwise builds the PRMatrix.
/// Phases, as tools regions, each fenced at its end: taper::stable_marriage::{precheck,
/// initialisation, execution,
///   postprocessing}; a hybrid run enters precheck twice where it looks for tiers, and
///   initialisation and execution twice if it outlasts its first stage.
/// Async: returns with the instances in `place` fenced; touches no other instance.
/// Throws: taper::Error where extents disagree, n does not fit the ids, a host tail is asked for
/// and `place` is no
///   Duo, people_a_worker is 0, or a row that is no permutation left people alone.
template <Place P, class Preferences, class Partners>
Report solve(P const& place, Instance<Preferences> const& instance, Partners const& partner_of,
             Options const& options,
             Workspace<typename Preferences::non_const_value_type,
                       typename Preferences::memory_space>& workspace) {
  static_assert(
      Kokkos::SpaceAccessibility<DeviceOf<P>, typename Preferences::memory_space>::accessible &&
          Kokkos::SpaceAccessibility<DeviceOf<P>, typename Partners::memory_space>::accessible,
      "solve: the device side of `place` must reach the tables and partner_of");
  detail::require_solvable<P>("taper::stable_marriage::solve", instance, partner_of, options);
  if (instance.size() == 0) {
    return {};
  }
  return detail::solve_checked(place, instance, partner_of, options, workspace);
}

/// The same, in tables that it allocates and frees.
template <Place P, class Preferences, class Partners>
Report solve(P const& place, Instance<Preferences> const& instance, Partners const& partner_of,
             Options const& options = {}) {
  Workspace<typename Preferences::non_const_value_type, typename Preferences::memory_space>
      workspace;
  return solve(place, instance, partner_of, options, workspace);
}

}  // namespace taper::stable_marriage
