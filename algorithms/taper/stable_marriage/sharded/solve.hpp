// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/region.hpp>
#include <taper/shards.hpp>
#include <taper/stable_marriage/execute_shards.hpp>
#include <taper/stable_marriage/sharded_instance.hpp>
#include <taper/stable_marriage/stable_marriage.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace taper::stable_marriage {
namespace detail {

template <ExecutionSpace Exec, class Preferences, class Partners>
Report solve_sharded(Shards<Exec> const& shards, ShardedInstance<Preferences> const& instance,
                     Partners const& partner_of, Options const& options,
                     ShardedWorkspace<typename Preferences::non_const_value_type,
                                      typename Preferences::memory_space>& workspaces) {
  Exec const& leader = shards.leader();
  bool const men_propose = options.proposer == Proposer::men;
  auto const& proposers = men_propose ? instance.men : instance.women;
  auto const& receivers = men_propose ? instance.women : instance.men;
  Report report = precheck(leader, rows_of(instance.homes, proposers), partner_of, options);
  auto const all_proposers = rows_of(instance.homes, proposers);
  auto const all_receivers = rows_of(instance.homes, receivers);
  using All = std::remove_const_t<decltype(all_proposers)>;
  using Own = decltype(rows_of(proposers.front()));
  std::vector<TierReader<Exec, All, Own>> readers;
  for (std::uint32_t k = 0; k < shards.size(); ++k) {
    readers.push_back({shards[k], all_proposers, all_receivers, rows_of(proposers[k]),
                       rows_of(receivers[k]), instance.homes.size(k)});
  }
  if (report.perfect || ends_by_tiers<typename Preferences::non_const_value_type>(
                            readers, partner_of, options, report)) {
    return report;
  }

  auto execution = [&] {
    FencedRegion const region(shards, "taper::stable_marriage::initialisation");
    return ShardedExecution<Exec, Preferences>(shards, instance.homes, options, proposers,
                                               receivers, workspaces);
  }();
  execution.run();

  FencedRegion const region(leader, "taper::stable_marriage::postprocessing");
  report =
      announce_standing(leader, execution.standing(), execution.counted(), partner_of, options);
  report.taper_step = execution.taper_step;
  report.taper_live = execution.taper_live;
  report.tail_side = execution.taper_live > 0 ? Side::device : Side::none;
  report.rounds = execution.rounds;
  return report;
}

}  // namespace detail

/// solve() on several devices of one host, each with the lists and ranks of its own people: a
/// hybrid run, whose wide stages run on all of them in rounds, and whose tail the first finishes.
/// One device does as well, and so do several instances on one device.
///
/// Equivalent to: solve() on the whole instance: the same matching and number of proposals, whatever
/// the shards are.
/// Requires: as solve(); kernels of each instance reach the memory of all (GPUs: reach_peers());
/// partner_of where the first instance reaches it.
/// Cost: of the memory of each device, its people's share of all tables, and 24 bytes a person of
/// the whole instance beside what footprint_bytes() says of persons. In each round of the wide
/// stages, which report.rounds counts, a device reads the standing offers of all others, 8 n bytes
/// each. n * n / 2 ids change places once, in a run that is long; a long tail on GPUs copies the other
/// devices' rows of two tables to the first, n * n (g - 1) / g ids each for g devices, or of one, or
/// neither, as it has room.
/// Async: returns with the instances fenced; touches no other.
/// Throws: taper::Error as solve(), where tables do not fit the shards, or where the options ask for
/// more than a hybrid, locality_aware run that takes minima, with the tail on a device.
template <ExecutionSpace Exec, class Preferences, class Partners>
Report solve(Shards<Exec> const& shards, ShardedInstance<Preferences> const& instance,
             Partners const& partner_of, Options const& options,
             ShardedWorkspace<typename Preferences::non_const_value_type,
                              typename Preferences::memory_space>& workspaces) {
  static_assert(
      Kokkos::is_view_v<Partners> && Partners::rank == 1 &&
          std::is_same_v<typename Partners::value_type, typename Preferences::non_const_value_type>,
      "solve: partner_of is a rank-1 Kokkos View of ids of the instance's type");
  static_assert(Kokkos::SpaceAccessibility<Exec, typename Preferences::memory_space>::accessible &&
                    Kokkos::SpaceAccessibility<Exec, typename Partners::memory_space>::accessible,
                "solve: the shards must reach the tables and partner_of");
  std::string const function = "taper::stable_marriage::solve";
  detail::require_shards(function, shards, instance.homes, instance.men, instance.women);
  detail::require_ids<typename Preferences::non_const_value_type>(function, instance.size());
  detail::require_partners(function, partner_of, instance.size());
  detail::require_machine(function, options);
  TAPER_REQUIRE(options.schedule == Schedule::hybrid &&
                    options.algorithm == Algorithm::locality_aware &&
                    options.contention == Contention::fetch_min && options.tail != Tail::host,
                function + ": shards have one engine, hybrid, locality_aware and fetch_min, with "
                           "its tail on a device");
  if (instance.size() == 0) {
    return {};
  }
  return detail::solve_sharded(shards, instance, partner_of, options, workspaces);
}

/// The same, in tables that it allocates and frees.
template <ExecutionSpace Exec, class Preferences, class Partners>
Report solve(Shards<Exec> const& shards, ShardedInstance<Preferences> const& instance,
             Partners const& partner_of, Options const& options = {}) {
  ShardedWorkspace<typename Preferences::non_const_value_type, typename Preferences::memory_space>
      workspaces;
  return solve(shards, instance, partner_of, options, workspaces);
}

}  // namespace taper::stable_marriage
