// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/backend.hpp>
#include <taper/place.hpp>
#include <taper/preferences/list_similarity.hpp>
#include <taper/report.hpp>
#include <taper/rows.hpp>
#include <taper/stable_marriage/options.hpp>
#include <taper/stable_marriage/tail_policy.hpp>
#include <taper/tapering.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace taper::stable_marriage::detail {

/// Whether at least half of all first choices are distinct: `first_choices` receivers are one.
constexpr bool first_choices_differ(std::uint64_t first_choices, std::uint64_t n) {
  return 2 * first_choices >= n;
}

/// The kind of the proposers' lists, which a host knows before it begins.
/// Cost: a sample of 4096 entries unless at least half of all first choices are distinct.
template <HostExecutionSpace Exec, class Id>
ListKind kind_of_lists(Exec const& where, std::uint64_t first_choices, Rows<Id const> const& lists,
                       std::uint64_t n) {
  if (first_choices_differ(first_choices, n)) {
    return ListKind::distinct_first_choices;
  }
  return preferences::are_similar(where, lists, n, n) ? ListKind::similar_lists
                                                      : ListKind::other_lists;
}

/// The decisions of a hybrid run of n people per side: its legs, its stages, and when it tapers.
/// For `bamboo`, only tail_plan() decides: what the paper says.
///
/// Used by: Execution, ShardedExecution, and the runs without a rank matrix (lazy_ranks/).
template <ExecutionSpace Device>
struct HybridPlan {
  static constexpr bool shared_memory = HostExecutionSpace<Device>;

  Device const& device;
  Options const& options;
  std::uint64_t n;
  bool may_migrate;        ///< the caller gave a Duo
  std::uint64_t id_bytes;  ///< size of an id

  /// The turn of the paper's algorithms, in proposals. With a queue, a worker takes its head after
  /// each proposal. Otherwise it continues with the proposer that was just displaced.
  std::uint64_t turn_length() const {
    return options.algorithm == Algorithm::gale_shapley || options.queue ? 1 : unlimited;
  }

  /// Workers of a host's parallel legs. If a worker has few proposers, the leg ends before the
  /// worker has repaid its start.
  std::uint64_t host_workers() const {
    return plan_workers(std::min(concurrency(device), thread_limit()), n,
                        min_proposers_per_thread(options));
  }
  /// What Options::max_threads allows.
  std::uint64_t thread_limit() const { return options.max_threads.value_or(unlimited); }

  /// The threads of a host that propose at the same time; 0 on a GPU.
  std::uint64_t threads() const {
    if (!shared_memory) {
      return 0;
    }
    switch (options.schedule) {
    case Schedule::serial:
      return 1;
    case Schedule::hybrid:
      return std::min(concurrency(device), parallel_leg().max_workers);
    default:
      return concurrency(device);
    }
  }

  /// A leg of the parallel part.
  ///
  /// On a host backend each worker has a block of proposers and gives each one a turn. Their rows
  /// are independent, so the worker prefetches the next rows while one proposer proposes. Following
  /// a single chain would wait for memory at each acceptance.
  ///
  /// All proposers advance in lockstep: a turn ends at the next multiple of 16 positions. So a
  /// proposer with an offer that stands is rarely displaced by one that has not come as far yet. A
  /// displaced proposer goes first in the next pass over the worker's proposers. Its receiver
  /// preferred it to all that had asked. So with similar lists the next receivers hold its offer
  /// before the others ask, and reject these. On similar lists a plain queue accepts every second
  /// proposal, n * n / 4 in all. This order accepts about n ln n.
  Leg parallel_leg() const {
    if constexpr (shared_memory) {
      if (options.algorithm == Algorithm::locality_aware) {
        return {.turn = 16, .order = Order::handed_over_first, .max_workers = host_workers()};
      }
      bool const follows_chains = options.algorithm == Algorithm::mcvitie_wilson;
      return {.turn = turn_length(),
              .max_workers = follows_chains ? thread_limit() : host_workers()};
    } else {
      return {.turn = turn_length()};
    }
  }

  /// A bound for the proposals of a short run. Uniform lists take about ln n proposals per
  /// proposer, and rarely twice as many (Wilson 1972, Knuth 1976). A longer run is of another kind
  /// and mostly needs n / 4 proposals per proposer or more. Only such a run repays a second table
  /// of n * n ids.
  std::uint64_t short_run_proposals() const {
    auto const proposers = static_cast<double>(n);
    return static_cast<std::uint64_t>(2 * proposers * std::log(proposers));
  }

  /// How a run starts without a rank matrix, or `never`. `lists`: of the proposers.
  ///
  /// If at least half of all first choices are distinct, the run is short. Uniform lists are of
  /// this kind (a share of 1 - 1/e is distinct). An instance of a single long chain has distinct
  /// first choices too, but a run with lazy ranks notices it soon and gives up. Otherwise the
  /// proposers agree on the receivers, more or less. If their lists are similar to the end, a round
  /// of shortlists would settle only one proposer. A rank matrix is better then.
  LazyRanks choose_lazy_ranks(ListKind lists) const {
    if (!shared_memory || !policy_decides_tail(options) ||
        options.algorithm != Algorithm::locality_aware ||
        options.contention != Contention::fetch_min) {
      return LazyRanks::never;
    }
    if (options.lazy_ranks != LazyRanks::automatic) {
      return options.lazy_ranks;
    }
    if (lists == ListKind::distinct_first_choices) {
      return LazyRanks::columns;
    }
    return n >= min_n_for_shortlists && lists == ListKind::other_lists ? LazyRanks::shortlists
                                                                       : LazyRanks::never;
  }
  /// Below this size a rank matrix of 16-bit ids fits the caches of a core, or nearly.
  static constexpr std::uint64_t min_n_for_shortlists = 6000;

  /// Steps per worker before the second stage. Each worker of a GPU has one chain. With uniform
  /// lists n/t chains are live after t proposals each. If a run has not tapered after these steps,
  /// its lists are of another kind.
  std::uint64_t first_stage_steps() const {
    if (options.algorithm != Algorithm::locality_aware) {
      return unlimited;
    }
    return shared_memory ? short_run_proposals() / host_workers() + 1 : 64;
  }

  /// What the tail policy reads. At the hand-over of a GPU's last chains the host gets the standing
  /// offers, the rank limits and the next candidates of all proposers. It returns the offers and
  /// limits.
  TailSituation situation() const {
    TailSituation found{.concurrency = shared_memory ? host_workers() : concurrency(device),
                        .gpu = is_gpu<Device>,
                        .may_migrate = may_migrate};
    if (!shared_memory) {
      found.bytes_to_device = n * (sizeof(AtomicWord) + id_bytes);
      found.bytes_to_host =
          found.bytes_to_device +
          n * (next_candidates_per_proposer * 2 * id_bytes + sizeof(std::uint32_t));
      found.bytes_per_row = n * id_bytes;
    }
    return found;
  }

  /// When a GPU hands its last chains to the host.
  HandOver hand_over() const { return plan_hand_over(options.machine, situation()); }

  /// Where `live` chains with long runs of rejections end. Such runs suit neither warps nor the
  /// host's copy of the next candidates. The plan assumes that a run is an eighth of a list.
  Location location_for_long_runs(std::uint64_t live) const {
    if (options.tail != Tail::automatic) {
      return tail_plan().location;
    }
    return choose_location(options.machine, situation(), live, static_cast<double>(n) / 8);
  }

  /// When the tail begins and where. Options of the caller overrule the tail policy.
  TailPlan tail_plan() const {
    if (options.schedule == Schedule::bamboo) {
      return {1, Location::host};  // Section IV-C1
    }
    TailPlan plan = plan_tail(options.machine, situation());
    if (!shared_memory && options.tail == Tail::host) {
      plan.threshold = 1;  // the paper's rule: only the last chain goes to the host
    }
    if (options.tail_threshold >= 0) {
      plan.threshold = static_cast<std::uint64_t>(options.tail_threshold);
    }
    if (options.tail != Tail::automatic) {
      plan.location = options.tail == Tail::host ? Location::host : Location::device;
    }
    return plan;
  }

  /// The tail threshold. On a GPU with similar lists each live chain still has to pass the receivers
  /// of all others. A step of the parallel leg is then cheaper than a warp's, so the leg continues until
  /// the chains fit one warp.
  static constexpr std::uint64_t max_live_if_similar = 32;
  std::uint64_t threshold(bool lists_are_similar) const {
    std::uint64_t const live = tail_plan().threshold;
    bool const lower = is_gpu<Device> && lists_are_similar && options.tail_threshold < 0;
    return lower ? std::min(live, max_live_if_similar) : live;
  }
};

}  // namespace taper::stable_marriage::detail
