// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/backend.hpp>
#include <taper/marriage_propagator/domains.hpp>
#include <taper/marriage_propagator/handoff.hpp>
#include <taper/marriage_propagator/propose.hpp>
#include <taper/warp.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::marriage_propagator::detail {

/// Sizes and limits of the parallel propagator that depend on the backend.
template <ExecutionSpace Exec>
struct ParallelLimits {
  /// Vector lanes of a worker: values that it tests at once.
  static constexpr int lanes = static_cast<int>(Warp<Exec>::count);
  static constexpr int workers_per_team = is_gpu<Exec> ? 4 : 1;
  /// Steps of a worker in one launch. Then the free proposers are distributed anew, so that no
  /// worker keeps a long backlog, and workers that stopped waiting take part again.
  static constexpr std::uint64_t max_steps = is_gpu<Exec> ? 1 << 14 : 1 << 20;
  /// Workers of a launch that wait for freed proposers when they have none. None waits on a host.
  static constexpr std::uint32_t handoff_slots = is_gpu<Exec> ? 64 : 0;
  /// Workers of ProposeInTeam, all with a slot; 0: it is not used. The kernel is compiled for no
  /// more lanes than these have.
  static constexpr int team_workers = is_gpu<Exec> ? RowTeams<Exec>::exclusive_threads : 0;
  /// Up to how many free proposers count as few: per launch on a GPU, per thread on a host.
  /// If few are free, each gets the lanes of a warp on a GPU. If more are free, they all propose to
  /// the same few receivers, and a test by many lanes is outdated before they propose.
  static constexpr std::uint32_t few_free = 64;
};

/// Why a person's state changes in a call.
enum class ChangeCause : std::uint32_t {
  offers,  ///< the bounds moved, or offers no longer keep some values
  other    ///< values went for other reasons
};
inline constexpr std::uint32_t change_causes = 2;

/// Flags and counters of a call, which the workers share and the host reads.
struct CallControl {
  std::uint32_t failed;      ///< not 0: some domain is empty
  std::uint32_t parked;      ///< chains in SharedUpdatePolicy::parked
  std::uint32_t records;     ///< records that Pack has written
  std::uint32_t retired;     ///< workers without a chain
  std::uint32_t stop_all;    ///< not 0: few proposers are free, so all workers stop
  std::uint32_t idle;        ///< HandoffSlots::idle
  AtomicWord ranks_dropped;  ///< ranks that offers no longer keep, in total
};

/// When the workers of a launch stop before all proposers are matched. They also stop at a failure.
struct StopCondition {
  std::uint64_t max_steps;               ///< each worker after this many steps
  std::uint32_t stop_at_retired = none;  ///< all workers when this many have retired
};

/// How a worker of the parallel propagator applies and records changes: with atomics where workers
/// may meet, and with flags where the order does not matter.
/// The serial counterpart is HostUpdatePolicy.
template <class Id>
struct SharedUpdatePolicy {
  CallControl* control;
  Chain* parked;
  std::uint8_t* improved_flags;  ///< per receiver: its offer has fallen in this pass
  std::uint8_t* changed_flags;   ///< per ChangeCause: men, then women
  std::uint32_t*
      next_assigned;  ///< men, then women: links of the workers' lists of assigned persons
  StopCondition stop;
  HandoffSlots handoff = {};
  UntakenChains untaken = {};
  std::uint32_t worker = 0;

  ChangeCause removal_cause = ChangeCause::other;  ///< of the values that this kernel removes
  std::uint64_t steps = 0;
  bool stopped = false;
  AtomicWord ranks_dropped = 0;
  std::uint32_t assigned_head = none;  ///< head of this worker's list of assigned persons

  /// The person's number among both sides: men first, then women.
  KOKKOS_FUNCTION static std::uint32_t agent(SideView<Id> const& view, std::uint32_t person) {
    return view.side == Side::men ? person : view.n + person;
  }

  /// Sets a flag. Relaxed stores suffice: all writers store 1, and the next kernel reads.
  /// A host tests first, or its cores would take the flag's cache line from each other. On a GPU, a
  /// proposal that waited for the test would take a fifth longer.
  KOKKOS_FUNCTION void mark_changed(SideView<Id> const& view, std::uint32_t person,
                                    ChangeCause cause) const {
    std::uint8_t& flag =
        changed_flags[static_cast<std::uint32_t>(cause) * 2 * view.n + agent(view, person)];
    KOKKOS_IF_ON_HOST((if (relaxed_load(flag) != 0) { return; }))
    relaxed_store(flag, std::uint8_t{1});
  }

  /// Counts a step. The relaxed loads may be late: the worker then makes some more steps.
  KOKKOS_FUNCTION bool should_stop() {
    ++steps;
    stopped =
        steps > stop.max_steps ||
        (steps % 16 == 0 && (relaxed_load(control->failed) | relaxed_load(control->stop_all)) != 0);
    return stopped;
  }
  /// Ends a worker's part: adds its counts, and sets stop_all if enough workers have retired.
  KOKKOS_FUNCTION void finish() const {
    Kokkos::atomic_add(&control->ranks_dropped, ranks_dropped);
    if (stopped) {
      handoff.mark_idle();
    } else if (Kokkos::atomic_fetch_add(&control->retired, 1u) + 1 == stop.stop_at_retired) {
      Kokkos::atomic_store(&control->stop_all, 1u);
    }
  }
  KOKKOS_FUNCTION void park(Chain const& chain) const {
    parked[Kokkos::atomic_fetch_add(&control->parked, 1u)] = chain;
  }
  KOKKOS_FUNCTION void fail() const { Kokkos::atomic_store(&control->failed, 1u); }

  template <class Lanes>
  KOKKOS_FUNCTION bool hand_off(Lanes const& lanes, Chain const& chain) const {
    return handoff.hand_off(lanes, chain);
  }
  template <class Lanes>
  KOKKOS_FUNCTION bool wait_for_chain(Lanes const& lanes, Chain& chain) const {
    return untaken.take(lanes, chain) ||
           handoff.wait_for_chain(lanes, worker, control->failed, chain);
  }

  // Atomic operations on offers and domains. subtract() returns the new count.

  KOKKOS_FUNCTION Word lower_offer(Word& offer, Word value) const {
    return Kokkos::atomic_fetch_min(&offer, value);
  }
  KOKKOS_FUNCTION void fence() const { memory_fence(); }
  KOKKOS_FUNCTION Word clear_bits(Word& word, Word mask) const {
    return Kokkos::atomic_fetch_and(&word, ~mask) & mask;
  }
  KOKKOS_FUNCTION std::uint32_t subtract(std::uint32_t& count, std::uint32_t by) const {
    return Kokkos::atomic_fetch_sub(&count, by) - by;
  }
  KOKKOS_FUNCTION void note_removal(SideView<Id> const& view, std::uint32_t person, std::uint32_t,
                                    Word, std::uint32_t left) {
    mark_changed(view, person, removal_cause);
    if (left == 0) {
      fail();
    } else if (left == 1) {
      next_assigned[agent(view, person)] = assigned_head;
      assigned_head = agent(view, person);
    }
  }
  /// The relaxed store is benign: all writers store 1, and the next kernel reads.
  KOKKOS_FUNCTION void note_improved(SideView<Id> const& receivers, std::uint32_t receiver,
                                     Word before, Word now) {
    ranks_dropped += kept_ranks(before) - kept_ranks(now);
    relaxed_store(improved_flags[receiver], std::uint8_t{1});
    mark_changed(receivers, receiver, ChangeCause::offers);
  }
  /// The greatest position counts, hence the maximum. Proposers only go on. A worker can displace
  /// this proposer and advance it before the worker that placed it comes to note its position.
  KOKKOS_FUNCTION void note_moved(SideView<Id> const& proposers, std::uint32_t proposer,
                                  std::uint32_t position) const {
    Kokkos::atomic_max(&proposers.proposed[proposer], position);
    mark_changed(proposers, proposer, ChangeCause::offers);
  }
};

/// Both sides. An agent is a person of either side, numbered with the men first.
template <class Id>
struct Sides {
  SideView<Id> men;
  SideView<Id> women;

  KOKKOS_FUNCTION SideView<Id> const& of_agent(std::uint32_t agent) const {
    return agent < men.n ? men : women;
  }
  KOKKOS_FUNCTION SideView<Id> const& opposite_agent(std::uint32_t agent) const {
    return agent < men.n ? women : men;
  }
  KOKKOS_FUNCTION std::uint32_t person(std::uint32_t agent) const {
    return agent < men.n ? agent : agent - men.n;
  }
};

}  // namespace taper::marriage_propagator::detail
