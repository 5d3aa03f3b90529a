// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/region.hpp>
#include <taper/stable_marriage/phases.hpp>
#include <taper/stable_marriage/sharded/bamboo.hpp>
#include <taper/stable_marriage/sharded/execution.hpp>
#include <taper/stable_marriage/sharded/instance.hpp>
#include <taper/stable_marriage/sharded/shards.hpp>
#include <taper/stable_marriage/stable_marriage.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace taper::stable_marriage {
namespace detail {

/// All phases, for arguments that have been checked.
template <ExecutionSpace Exec, class Preferences, class Partners>
Report solve_sharded(Shards<Exec> const& shards, ShardedInstance<Preferences> const& instance,
                     Partners const& partner_of, Options const& options,
                     ShardedWorkspace<typename Preferences::non_const_value_type,
                                      typename Preferences::memory_space>& workspaces) {
  Exec const& leader = shards.leader();
  bool const men_propose = options.proposer == Proposer::men;
  auto const& proposers = men_propose ? instance.men : instance.women;
  auto const& receivers = men_propose ? instance.women : instance.men;
  Report report =
      precheck(leader, sharded_rows_of(instance.partition, proposers), partner_of, options);
  auto const all_proposers = sharded_rows_of(instance.partition, proposers);
  auto const all_receivers = sharded_rows_of(instance.partition, receivers);
  using All = std::remove_const_t<decltype(all_proposers)>;
  using Own = decltype(rows_of(proposers.front()));
  std::vector<TierReader<Exec, All, Own>> readers;
  for (std::uint32_t k = 0; k < shards.size(); ++k) {
    readers.push_back({shards[k], all_proposers, all_receivers, rows_of(proposers[k]),
                       rows_of(receivers[k]), instance.partition.size(k)});
  }
  if (report.perfect ||
      try_tiers<typename Preferences::non_const_value_type>(readers, partner_of, options, report)) {
    return report;
  }

  auto const execute = [&]<class Execution>(std::type_identity<Execution>) {
    auto execution = [&] {
      FencedRegion const region(shards, "taper::stable_marriage::initialisation");
      return Execution(shards, instance.partition, options, proposers, receivers, workspaces);
    }();
    execution.run();
    FencedRegion const region(leader, "taper::stable_marriage::postprocessing");
    report =
        finish_matching(leader, execution.standing(), execution.total_tally(), partner_of, options);
    report.taper_step = execution.taper_step;
    report.taper_live = execution.taper_live;
    report.tail_side = execution.tail_side;
    report.rounds = execution.rounds;
    report.migrations = std::move(execution.migrations);
    for (Migration const& migration : report.migrations) {
      report.bytes_moved += migration.bytes_moved;
    }
  };
  if (options.schedule == Schedule::bamboo) {
    execute(std::type_identity<ShardedBamboo<Exec, Preferences>>{});
  } else {
    execute(std::type_identity<ShardedExecution<Exec, Preferences>>{});
  }
  return report;
}

#ifdef TAPER_COMPILED  // Taper::compiled has these in object code
template <class Id>
using CompiledShards = ShardedInstance<ConstTable<Id, CompiledMemory>>;

extern template Report solve_sharded(Shards<CompiledPlace> const&,
                                     CompiledShards<std::uint16_t> const&,
                                     Kokkos::View<std::uint16_t*, CompiledMemory> const&,
                                     Options const&,
                                     ShardedWorkspace<std::uint16_t, CompiledMemory>&);
extern template Report solve_sharded(Shards<CompiledPlace> const&,
                                     CompiledShards<std::uint32_t> const&,
                                     Kokkos::View<std::uint32_t*, CompiledMemory> const&,
                                     Options const&,
                                     ShardedWorkspace<std::uint32_t, CompiledMemory>&);
#endif

}  // namespace detail

/// solve() on several devices of one host. Each device has the lists and ranks of its own shard.
///
/// The schedule is `hybrid` or `bamboo`. A hybrid run has a parallel part in rounds on all devices;
/// then the first device does the rest (sharded/execution.hpp). A run of `bamboo` follows the
/// published scheme (sharded/bamboo.hpp): atomic minima in the memory of the other devices, and the
/// last free proposer on the calling thread. One device works too, and so do several execution
/// space instances of one device.
///
/// Equivalent to: solve() on the whole instance: the same matching and number of proposals,
/// whatever the shards are.
/// Requires: as solve(). Kernels of each execution space instance reach the memory of all devices
///   (for GPUs call enable_peer_access()), and the first one reaches partner_of. With `bamboo` on
///   several GPUs, their link has native atomic operations (cudaDevP2PAttrNativeAtomicSupported),
///   as NVLink has.
/// Cost: memory of each device as footprint_bytes_per_shard() says. In each round, which
///   Report::rounds counts, a device reads the standing offers of all others, 8 n bytes each. A
///   long run moves n * n / 2 ids between devices once. For a long tail, g GPUs copy rows of two
///   tables to the first one: n * n (g - 1) / g ids per table. If memory is short, they copy one
///   table or none. With `bamboo`, the ranks cross the link once, then each proposal to another
///   shard does. If a proposer is left, GPUs copy the PRMatrix, the offers and the rank limits to
///   the host.
/// Async: returns with the instances of `shards` fenced; uses no others.
/// Throws: taper::Error as solve(), or if tables do not fit the shards. Also unless the options
///   have the schedule hybrid or bamboo, locality_aware and fetch_min, and no tail on the host.
///   With `bamboo` also if they have any tail or tail_threshold.
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
  detail::require_shards(function, shards, instance.partition, instance.men, instance.women);
  preferences::require_ids<typename Preferences::non_const_value_type>(function, instance.size());
  detail::require_partners(function, partner_of, instance.size());
  detail::require_threads(function, options);
  TAPER_REQUIRE(has_precheck(options.schedule) && options.algorithm == Algorithm::locality_aware &&
                    options.contention == Contention::fetch_min && options.tail != Tail::host,
                function + ": a sharded run needs schedule 'hybrid' or 'bamboo', algorithm "
                           "'locality_aware', contention 'fetch_min' and no tail on the host");
  detail::require_bamboo_options(function, options, true);
  detail::require_queue_options(function, options);
  if (instance.size() == 0) {
    return {};
  }
  return detail::solve_sharded(shards, instance, partner_of, options, workspaces);
}

/// The same, with a temporary workspace.
template <ExecutionSpace Exec, class Preferences, class Partners>
Report solve(Shards<Exec> const& shards, ShardedInstance<Preferences> const& instance,
             Partners const& partner_of, Options const& options = {}) {
  ShardedWorkspace<typename Preferences::non_const_value_type, typename Preferences::memory_space>
      workspaces;
  return solve(shards, instance, partner_of, options, workspaces);
}

}  // namespace taper::stable_marriage
