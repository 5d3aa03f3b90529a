// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/backend.hpp>
#include <taper/error.hpp>
#include <taper/place.hpp>
#include <taper/stop.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

/// Tapering: work that starts as many chains, each advanced one step at a time, and ends as few.
///
/// A *chain* is a small state that a *step* functor advances until the chain retires. A *frontier*
/// holds the *live* chains: those that have not retired. A *leg* is one kernel that advances the
/// chains of a frontier until they retire or a limit stops the leg. Each *worker* of a leg, a
/// thread of the execution space, has a block of chains. It gives them *turns* of several steps, in
/// passes over the block.
///
/// A leg that stops *parks* each live chain in the frontier exactly as its last step left it. The
/// next leg continues from there, with the same or another step functor. Before it, migrate() can
/// move the frontier to another memory, and so the work to another execution space.
///
/// No step is repeated, no thread outlives its leg, and the host does not poll.
///
/// Used by: stable marriage, whose chains are free proposers; a proposer that displaces another one
/// hands over to it. Users write programs of this kind, too: docs/tapering.md.
namespace taper {

/// What one step did to its chain.
enum class Outcome {
  again,        ///< the chain is live: it needs another step
  handed_over,  ///< the State now holds another chain, and as many chains are live as before
  retired       ///< the chain is done
};

/// A functor that advances a chain by one step.
///
/// State: a chain. Plain values: the library copies it between registers, frontiers and memories.
/// Tally: what a worker counts during a leg; it begins as Tally{}.
/// step(state, tally): makes one step. Workers call it concurrently on different chains, each
///   worker with a Tally of its own.
/// progress(state): a number that each step increases by one. After a hand-over it is the progress
///   of the new chain.
/// prefetch_for(state): a hint that a step of this chain follows soon.
/// publish(tally): called once by each worker, at the end of its leg.
template <class T>
concept Step = requires(T const& step, typename T::State& state, typename T::Tally& tally) {
  { step(state, tally) } -> std::same_as<Outcome>;
  { step.progress(std::as_const(state)) } -> std::convertible_to<std::uint64_t>;
  step.prefetch_for(std::as_const(state));
  step.publish(std::as_const(tally));
};

/// No limit, for the members of Leg.
inline constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

/// The order of a worker's chains in its next pass, once each has had a turn.
enum class Order {
  same,              ///< as in this pass
  handed_over_first  ///< chains that the worker got by a hand-over come first, the latest in front
};

/// The limits of a leg, and how its workers divide the chains.
struct Leg {
  /// Stop when at most this many chains are live.
  std::uint64_t stop_at_live = 0;
  /// The maximum number of steps of one worker, over all its chains.
  std::uint64_t max_steps = unlimited;
  /// A turn ends when the chain's progress reaches the next multiple of this number; after a
  /// hand-over, the next multiple for the new chain. So chains in lockstep stay in lockstep. With
  /// 1, each turn is one step. With `unlimited`, the worker follows each chain to its end.
  std::uint64_t turn = unlimited;
  Order order = Order::same;
  /// The chains are divided into at most this many blocks of equal size, one per worker. With
  /// `unlimited`, each chain has its own worker.
  std::uint64_t max_workers = unlimited;
  /// Stop when a worker becomes idle, so that the next leg can divide the chains anew.
  bool rebalance = false;
  /// If set to true, run_leg() returns soon, with chains that are live. It then makes a launch per
  /// slice of the leg, and looks at the flag between them.
  StopFlag stop = {};
};

/// The live chains between two legs, in the memory of the next leg's execution space.
template <class State, class MemorySpace>
struct Frontier {
  using Chains = Kokkos::View<State*, MemorySpace>;

  Chains waiting;      ///< the chains that the next leg advances: the first `live` entries
  Chains parked;       ///< room for the chains that the next leg parks
  std::uint64_t live;  ///< the number of live chains

  /// A frontier without chains and without memory.
  Frontier() : live(0) {}

  /// A frontier of `chains` live chains. The caller fills `waiting`.
  template <ExecutionSpace Exec>
  Frontier(Exec const& where, std::string const& label, std::uint64_t chains)
      : waiting(Kokkos::view_alloc(where, Kokkos::WithoutInitializing, label + "::waiting"),
                chains),
        parked(Kokkos::view_alloc(where, Kokkos::WithoutInitializing, label + "::parked"), chains),
        live(chains) {}
};

/// The state that all workers of a leg share with each other and with the host.
struct LegControl {
  AtomicWord live;              ///< chains that have not retired
  AtomicWord parked;            ///< chains in Frontier::parked
  AtomicWord idle_after_steps;  ///< steps of an idle worker that stopped the leg; 0: none
  unsigned stop;                ///< 1: workers park their chains and return
};
template <class MemorySpace>
using LegControlView = Kokkos::View<LegControl, MemorySpace>;

namespace detail {

/// Steps of a worker between two reads of the stop flag.
inline constexpr std::uint64_t steps_between_checks = 32;

/// The kernel of a leg: worker i advances the chains of block i.
template <Step S, class MemorySpace>
struct LegWorker {
  using State = typename S::State;
  using Chains = typename Frontier<State, MemorySpace>::Chains;

  S step;
  Chains waiting;
  Chains parked;
  LegControlView<MemorySpace> control;
  std::uint64_t chains;
  std::uint64_t block;  ///< chains per worker; the last worker may have fewer
  Leg leg;

  /// Gives the chains of one block turns, pass after pass, until all have retired or the leg stops.
  KOKKOS_FUNCTION void operator()(std::uint64_t worker) const {
    std::uint64_t const begin = worker * block;
    Pass pass{&waiting(begin), Kokkos::min(block, chains - begin)};
    typename S::Tally tally{};
    std::uint64_t steps = 0;
    while (pass.count > 0) {
      // relaxed: the flag carries no data, and a late read only delays the stop.
      if (steps >= leg.max_steps || relaxed_load(control().stop) != 0) {
        park(pass);
        break;
      }
      if (pass.count > 1) {
        step.prefetch_for(pass.row[Kokkos::min(pass.next + prefetch_distance, pass.count - 1)]);
      }
      State state = pass.row[pass.next];
      Turn const turn = take_turn(state, steps, tally);
      pass.handed_over |= turn.handed_over;
      if (turn.ends) {
        pass.end_turn(state, turn.retired, leg.order);
      } else {
        pass.row[pass.next] = state;
      }
      if (turn.retired) {
        retire();
      }
    }
    if (pass.count == 0 && leg.rebalance) {
      // A benign race: several workers may become idle and write, and any of their values will do.
      relaxed_store(control().idle_after_steps, AtomicWord{steps});
      Kokkos::atomic_store(&control().stop, 1u);
    }
    step.publish(tally);
  }

 private:
  static constexpr std::uint64_t prefetch_distance = 8;  ///< in chains

  /// A pass over a worker's chains, in which each gets one turn.
  ///
  /// `row` holds the chains in three parts:
  ///   0 .. kept-1      live chains that have had their turn in this pass
  ///   kept .. next-1   unused: each retired chain leaves one entry
  ///   next .. count-1  chains that still wait for their turn
  /// With Order::handed_over_first, the first `front` kept chains came by a hand-over in this pass.
  struct Pass {
    State* row;
    std::uint64_t count;     ///< live chains at the start of the pass
    std::uint64_t next = 0;  ///< the chain that has the turn
    std::uint64_t kept = 0;
    std::uint64_t front = 0;
    bool handed_over = false;  ///< a hand-over has occurred in the current chain's turn

    /// Stores the chain whose turn has ended. After the last turn, begins the next pass.
    KOKKOS_FUNCTION void end_turn(State const& state, bool retired, Order order) {
      ++next;
      if (!retired) {
        row[kept] = state;
        if (handed_over && order == Order::handed_over_first) {
          swap(front++, kept);
        }
        ++kept;
      }
      handed_over = false;
      if (next == count) {
        // Reverse the front: the chain that came last goes first.
        for (std::uint64_t i = 0; i < front / 2; ++i) {
          swap(i, front - 1 - i);
        }
        count = kept;
        next = kept = front = 0;
      }
    }

    KOKKOS_FUNCTION void swap(std::uint64_t i, std::uint64_t j) {
      State const state = row[i];
      row[i] = row[j];
      row[j] = state;
    }
  };

  /// How take_turn() has ended.
  struct Turn {
    bool ends;         ///< false: only interrupted, to check the limits of the leg
    bool retired;      ///< the chain has retired
    bool handed_over;  ///< the state holds another chain than before
  };

  /// Advances a chain to the end of its turn, but at most to the next check of the limits: at least
  /// one step.
  KOKKOS_FUNCTION Turn take_turn(State& state, std::uint64_t& steps,
                                 typename S::Tally& tally) const {
    std::uint64_t const next_check =
        steps + Kokkos::min(+steps_between_checks, leg.max_steps - steps);
    std::uint64_t end = end_of_turn(step.progress(state) + 1);  // + 1: a turn has a step at least
    Outcome outcome = Outcome::again;
    bool handed_over = false;
    bool ends = false;
    do {
      outcome = step(state, tally);
      ++steps;
      if (outcome == Outcome::handed_over) {
        handed_over = true;
        end = end_of_turn(step.progress(state));  // the new chain may have had its turn already
      }
      ends = outcome == Outcome::retired || step.progress(state) >= end;
    } while (!ends && steps < next_check);
    return {ends, outcome == Outcome::retired, handed_over};
  }

  /// The first multiple of the turn's length that is at least `progress`: where a turn ends.
  KOKKOS_FUNCTION std::uint64_t end_of_turn(std::uint64_t progress) const {
    return leg.turn == unlimited ? unlimited : (progress + leg.turn - 1) / leg.turn * leg.turn;
  }

  /// Counts a retired chain. If few enough are live, stops the leg.
  KOKKOS_FUNCTION void retire() const {
    std::uint64_t const live = Kokkos::atomic_fetch_sub(&control().live, AtomicWord{1}) - 1;
    if (live <= leg.stop_at_live) {
      Kokkos::atomic_store(&control().stop, 1u);
    }
  }

  /// Copies this worker's live chains to the frontier, those that wait for their turn first.
  ///
  /// The atomic counter gives each worker its own range of entries. Every live chain belongs to
  /// exactly one worker, so none is lost or parked twice.
  KOKKOS_FUNCTION void park(Pass const& pass) const {
    std::uint64_t const pending = pass.count - pass.next;
    std::uint64_t const first =
        Kokkos::atomic_fetch_add(&control().parked, AtomicWord{pending + pass.kept});
    for (std::uint64_t i = 0; i < pending + pass.kept; ++i) {
      parked(first + i) = pass.row[i < pending ? pass.next + i : i - pending];
    }
  }
};

}  // namespace detail

/// Launches one leg without waiting for it, for callers that run several legs at once. run_leg()
/// launches a leg and waits.
///
/// Requires: the frontier has live chains, control.live counts them, and the rest of `control` is
///   0.
/// Ensures, once `where` is fenced: the live chains are in `frontier.parked`, and control.parked is
///   their number.
template <ExecutionSpace Exec, Step S, class MemorySpace>
void launch_leg(Exec const& where, std::string const& label, S const& step,
                Frontier<typename S::State, MemorySpace> const& frontier, Leg const& leg,
                LegControlView<MemorySpace> const& control) {
  std::uint64_t const wanted = std::max<std::uint64_t>(1, std::min(leg.max_workers, frontier.live));
  std::uint64_t const block = (frontier.live + wanted - 1) / wanted;
  std::uint64_t const workers = (frontier.live + block - 1) / block;
  detail::LegWorker<S, MemorySpace> const worker{
      step, frontier.waiting, frontier.parked, control, frontier.live, block, leg};
  // One chain per worker: many short items of very different lengths, so a dynamic schedule.
  // Otherwise a few blocks of equal size.
  if (block > 1 || workers == 1) {
    Kokkos::parallel_for(
        label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>(where, 0, workers),
        worker);
  } else {
    using Dynamic = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>,
                                        Kokkos::Schedule<Kokkos::Dynamic>>;
    Kokkos::parallel_for(label, Dynamic(where, 0, workers), worker);
  }
}

namespace detail {

/// The steps of a worker per slice of a leg that can be stopped. A slice takes a tenth of a second
/// or less: a step of a host takes up to 0.1 us, one of a GPU up to 3 us.
template <ExecutionSpace Exec>
inline constexpr std::uint64_t steps_per_slice = is_gpu<Exec> ? 1 << 15 : 1 << 20;

/// One launch of run_leg().
template <ExecutionSpace Exec, Step S, class MemorySpace>
std::uint64_t run_slice(Exec const& where, std::string const& label, S const& step,
                        Frontier<typename S::State, MemorySpace>& frontier, Leg const& leg,
                        LegControlView<MemorySpace> const& control) {
  auto const control_here = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, control);
  control_here() = {.live = frontier.live, .parked = 0, .idle_after_steps = 0, .stop = 0};
  Kokkos::deep_copy(where, control, control_here);
  launch_leg(where, label, step, frontier, leg, control);
  Kokkos::deep_copy(where, control_here, control);
  where.fence(label + ": wait for the number of live chains");
  frontier.live = control_here().parked;
  std::swap(frontier.waiting, frontier.parked);
  return control_here().idle_after_steps;
}

}  // namespace detail

/// Runs one leg of `step` over the chains of `frontier`. On return, the frontier holds the chains
/// that are still live. If `frontier.live <= leg.stop_at_live` already, it does nothing.
///
/// Equivalent to: a serial program that makes the same steps, with the steps of different workers
///   interleaved in any order, until no chain is live or a limit of the leg is reached.
/// Ensures: each chain that was waiting has retired, or is in `frontier.waiting` exactly as its
///   last step left it.
/// Returns: with Leg::rebalance, the steps of a worker that became idle and stopped the leg; 0 if
///   no worker did.
/// Cost: one launch, one fence, 32 bytes in each direction. With Leg::stop, the same per slice of
///   2^20 steps of a worker of a host, or 2^15 of a GPU; each slice divides the chains anew.
/// Async: returns with `where` fenced.
template <ExecutionSpace Exec, Step S, class MemorySpace>
std::uint64_t run_leg(Exec const& where, std::string const& label, S const& step,
                      Frontier<typename S::State, MemorySpace>& frontier, Leg const& leg) {
  static_assert(Kokkos::SpaceAccessibility<Exec, MemorySpace>::accessible,
                "run_leg: the execution space must be able to access the frontier's memory");
  if (frontier.live <= leg.stop_at_live) {
    return 0;
  }
  LegControlView<MemorySpace> const control(
      Kokkos::view_alloc(where, Kokkos::WithoutInitializing, label + "::control"));
  if (leg.stop.flag == nullptr) {
    return detail::run_slice(where, label, step, frontier, leg, control);
  }
  for (std::uint64_t made = 0;
       frontier.live > leg.stop_at_live && made < leg.max_steps && !leg.stop.is_set();) {
    Leg slice = leg;
    slice.max_steps = std::min(detail::steps_per_slice<Exec>, leg.max_steps - made);
    auto const idle_after_steps = detail::run_slice(where, label, step, frontier, slice, control);
    if (idle_after_steps > 0) {
      return made + idle_after_steps;
    }
    made += slice.max_steps;
  }
  return 0;
}

/// The result of migrate().
template <class State, class MemorySpace>
struct MigratedFrontier {
  Frontier<State, MemorySpace> frontier;
  std::uint64_t bytes_moved;  ///< 0 if nothing was copied
};

/// Moves a frontier to the memory of `to`. If it lies there already, nothing is copied, and both
/// frontiers share their memory.
/// Cost: otherwise one allocation, one copy of the live chains, two fences.
/// Async: if it copies, returns with both execution space instances fenced.
template <ExecutionSpace From, ExecutionSpace To, class State, class MemorySpace>
MigratedFrontier<State, typename To::memory_space>
migrate(From const& from, To const& to, std::string const& label,
        Frontier<State, MemorySpace> const& frontier) {
  using Target = typename To::memory_space;
  if constexpr (std::is_same_v<MemorySpace, Target>) {
    return {frontier, 0};
  } else {
    Frontier<State, Target> migrated(to, label, frontier.live);
    to.fence(label + ": allocation of the frontier");
    std::pair<std::uint64_t, std::uint64_t> const live{0, frontier.live};
    Kokkos::deep_copy(from, migrated.waiting, Kokkos::subview(frontier.waiting, live));
    from.fence(label + ": copy of the live chains");
    return {migrated, frontier.live * sizeof(State)};
  }
}

}  // namespace taper
