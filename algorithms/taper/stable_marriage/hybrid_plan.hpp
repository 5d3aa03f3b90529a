// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/duo.hpp>
#include <taper/report.hpp>
#include <taper/rows.hpp>
#include <taper/stable_marriage/likeness.hpp>
#include <taper/stable_marriage/options.hpp>
#include <taper/tail_policy.hpp>
#include <taper/tapering.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace taper::stable_marriage::detail {

/// How a hybrid run of n people a side is cut: its legs, its stages, and where it tapers.
template <ExecutionSpace Device>
struct Pace {
  static constexpr bool shared_memory = HostExecutionSpace<Device>;

  Device const& device;
  Options const& options;
  std::uint64_t n;
  bool host_offered;  ///< the caller gave a Duo
  std::uint64_t id_bytes;

  /// The paper's algorithms differ in who proposes next: the head of a queue, or whoever was just
  /// displaced.
  std::uint64_t own_turn() const {
    return options.algorithm == Algorithm::gale_shapley ? 1 : unlimited;
  }

  /// Workers of a host's wide legs. A leg of few proposers a worker is over before another one pays.
  std::uint64_t host_workers() const {
    return plan_workers(concurrency(device), n, people_a_worker(options));
  }

  /// On a host backend a worker has a block of proposers and gives each a turn: their rows are
  /// independent, so the next ones can be fetched while one proposes. Following one chain instead
  /// waits for memory at each acceptance. A turn takes a proposer to the end of 16 positions, so
  /// that all have come equally far and nobody finds a receiver engaged to one who is yet to be
  /// displaced by those behind him. Whoever was displaced had until then been preferred to all who
  /// asked: he goes first in the next pass, and those after him are turned away. Where lists are
  /// alike a queue makes an acceptance of every second proposal, n * n / 4 in all; this way it is
  /// some n ln n.
  Leg wide_leg() const {
    if constexpr (shared_memory) {
      if (options.algorithm == Algorithm::locality_aware) {
        return {.turn = 16, .order = Order::displaced_first, .workers = host_workers()};
      }
      bool const follows_chains = options.algorithm == Algorithm::mcvitie_wilson;
      return {.turn = own_turn(), .workers = follows_chains ? unlimited : host_workers()};
    } else {
      return {.turn = own_turn()};
    }
  }

  /// Uniform lists take about ln n proposals a proposer, and hardly ever twice as many (Wilson
  /// 1972, Knuth 1976); a run that is not over by then is of another kind, and will mostly need n/4
  /// and more. Only that is worth n * n ids more.
  std::uint64_t short_run() const {
    return static_cast<std::uint64_t>(2 * n * std::log(static_cast<double>(n)));
  }

  /// How a run begins without ranks, or `never`. An instance whose first choices are mostly distinct
  /// is over soon, like uniform lists, of which 1 - 1/e are, or is a single chain, which shows at
  /// once. Else people agree on each other, more or less: those of whom the most popular is the same
  /// for all are better off with ranks, since a round of shortlists would settle one of them.
  template <class Id>
  Courtship courtship(std::uint64_t first_choices, Rows<Id const> const& lists) const {
    if (!shared_memory || !leaves_it_to_the_policy(options) ||
        options.algorithm != Algorithm::locality_aware ||
        options.contention != Contention::fetch_min) {
      return Courtship::never;
    }
    if (options.courtship != Courtship::automatic) {
      return options.courtship;
    }
    if (2 * first_choices >= n) {
      return Courtship::columns;
    }
    return n >= least_for_shortlists && !are_alike(lists, n) ? Courtship::shortlists
                                                             : Courtship::never;
  }
  /// Below, a rank matrix of 16-bit ids lies in a core's caches, or nearly.
  static constexpr std::uint64_t least_for_shortlists = 6000;

  /// Steps a worker before the second stage. A GPU's workers have a chain each: of uniform lists,
  /// n/t chains are still live after t proposals each, so a run that has not tapered then is of
  /// another kind.
  std::uint64_t first_stage_steps() const {
    if (options.algorithm != Algorithm::locality_aware) {
      return unlimited;
    }
    return shared_memory ? short_run() / host_workers() + 1 : 64;
  }

  /// What a first stage shows that has left `live` chains: everybody turns to the same few
  /// receivers. Of one common list, all who have looked at t candidates have settled t at most. A
  /// stage that tapered, or a host's, shows nothing of the kind.
  bool shows_lists_alike(std::uint64_t live, std::uint32_t ahead) const {
    return is_gpu<Device> && live > tail_plan().live && n - live <= 2 * ahead * first_stage_steps();
  }

  /// The host gets offers, bars and everybody's next candidates for the last chains, and gives the
  /// first two back.
  TailSituation situation() const {
    TailSituation found{.concurrency = shared_memory ? host_workers() : concurrency(device),
                        .gpu = is_gpu<Device>,
                        .host_offered = host_offered};
    if (!shared_memory) {
      found.bytes_to_device = n * (sizeof(AtomicWord) + id_bytes);
      found.bytes_to_host =
          found.bytes_to_device + n * (next_candidates * 2 * id_bytes + sizeof(std::uint32_t));
      found.bytes_a_row = n * id_bytes;
    }
    return found;
  }

  LastChains last_chains() const { return plan_last_chains(options.machine, situation()); }

  /// Where the end of a tail goes that neither lanes nor the host's next candidates were good for:
  /// runs of rejections are long there, and an eighth of a list is taken for that.
  Side side_of_rest(std::uint64_t live) const {
    if (options.tail != Tail::automatic) {
      return tail_plan().side;
    }
    return choose_side(options.machine, situation(), live, static_cast<double>(n) / 8);
  }

  TailPlan tail_plan() const {
    TailPlan plan = plan_tail(options.machine, situation());
    if (!shared_memory && options.tail == Tail::host) {
      plan.live = 1;  // the paper's rule: a host has no lanes to look with
    }
    if (options.taper_live >= 0) {
      plan.live = static_cast<std::uint64_t>(options.taper_live);
    }
    if (options.tail != Tail::automatic) {
      plan.side = options.tail == Tail::host ? Side::host : Side::device;
    }
    return plan;
  }

  /// Where lists are alike a chain that is left has all others' receivers before it: the wide leg,
  /// whose steps are cheaper there than a warp's, goes on until it is a matter of a warp.
  static constexpr std::uint64_t most_contended = 32;
  std::uint64_t wide_ends_at(bool lists_are_alike) const {
    std::uint64_t const live = tail_plan().live;
    return lists_are_alike && options.taper_live < 0 ? std::min(live, most_contended) : live;
  }
};

}  // namespace taper::stable_marriage::detail
