// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/contract.hpp>
#include <taper/duo.hpp>

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
/// A *chain* is a small state that a step functor advances until it retires. A *leg* runs all
/// waiting chains in one kernel until they have retired, or until it is told to stop; what is then
/// unfinished is parked exactly as it is in a *frontier*, and a later leg, with the same or another
/// step functor on the same or another side, goes on from there. Nothing is redone, no thread
/// outlives its leg, and the host does not poll.
namespace taper {

/// What one step did to its chain.
enum class Outcome {
  again,        ///< the chain goes on where it is
  handed_over,  ///< the chain goes on as another worker's: it has changed places
  retired       ///< the chain is done
};

/// A functor that advances a chain by one step. Many run at once; each owns its State for the
/// while.
template <class T>
concept Step = requires(T const& step, typename T::State& state, typename T::Tally& tally) {
  { step(state, tally) } -> std::same_as<Outcome>;
  { step.progress(std::as_const(state)) } -> std::convertible_to<std::uint64_t>;  // one a step
  step.expect(std::as_const(state));  // a hint: this chain's next step is near
  step.publish(std::as_const(tally));
};

inline constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

/// The order in which a worker comes back to its chains once each has had a turn.
enum class Order {
  same,
  displaced_first  ///< those that came out of a hand-over lead, the latest first
};

/// How far a leg goes, and in which order a worker takes its chains.
struct Leg {
  /// Stop once no more than this many chains are live.
  std::uint64_t live = 0;
  /// Steps that one worker makes at most, over all its chains.
  std::uint64_t steps = unlimited;
  /// A turn takes a chain to the next multiple of so many steps of its own, hand-overs included:
  /// chains that keep step with each other go on doing so. 1 is a queue; unlimited follows a chain
  /// to its end.
  std::uint64_t turn = unlimited;
  Order order = Order::same;
  /// Chains are dealt out in equal blocks, one a worker; unlimited: each chain has its own.
  std::uint64_t workers = unlimited;
  /// Stop when a worker runs dry, so that the next leg can deal anew.
  bool rebalance = false;
};

/// The chains that wait, in the memory of the side that runs them next, and room for as many to be
/// parked.
template <class State, class MemorySpace>
struct Frontier {
  using Chains = Kokkos::View<State*, MemorySpace>;

  Chains waiting;
  Chains parked;
  std::uint64_t live;

  /// Room for `chains`, all waiting; `waiting` is the caller's to fill.
  template <ExecutionSpace Exec>
  Frontier(Exec const& where, std::string const& label, std::uint64_t chains)
      : waiting(Kokkos::view_alloc(where, Kokkos::WithoutInitializing, label + "::waiting"),
                chains),
        parked(Kokkos::view_alloc(where, Kokkos::WithoutInitializing, label + "::parked"), chains),
        live(chains) {}
};

/// What all workers of a leg share; the flag lies in the memory that the counts lie in.
struct LegControl {
  AtomicWord live;       ///< chains that have not retired
  AtomicWord parked;     ///< chains that wait for the next leg
  AtomicWord dry_after;  ///< steps of a worker who ran dry and so ended the leg; 0: none did
  unsigned stop;
};
template <class MemorySpace>
using LegControlView = Kokkos::View<LegControl, MemorySpace>;

namespace detail {

/// Steps between two looks at the stop flag.
inline constexpr std::uint64_t steps_between_looks = 32;

template <Step S, class MemorySpace>
struct LegWorker {
  using State = typename S::State;
  using Chains = typename Frontier<State, MemorySpace>::Chains;

  S step;
  Chains waiting;
  Chains parked;
  LegControlView<MemorySpace> control;
  std::uint64_t chains;
  std::uint64_t block;
  Leg leg;

  /// Advances the chains of one block, pass after pass.
  KOKKOS_FUNCTION void operator()(std::uint64_t worker) const {
    std::uint64_t const begin = worker * block;
    Pass pass{&waiting(begin), Kokkos::min(block, chains - begin)};
    typename S::Tally tally{};
    std::uint64_t steps = 0;
    while (pass.held > 0) {
      if (steps >= leg.steps || relaxed_load(control().stop) != 0) {
        park(pass);
        break;
      }
      if (pass.held > 1) {
        step.expect(pass.row[Kokkos::min(pass.next + chains_ahead, pass.held - 1)]);
      }
      State state = pass.row[pass.next];
      Turn const turn = take_turn(state, steps, tally);
      pass.displaced |= turn.displaced;
      if (turn.ends) {
        pass.put_back(state, turn.retired, leg.order);
      } else {
        pass.row[pass.next] = state;
      }
      if (turn.retired) {
        retire();
      }
    }
    if (pass.held == 0 && leg.rebalance) {
      relaxed_store(control().dry_after, AtomicWord{steps});
      Kokkos::atomic_store(&control().stop, 1u);
    }
    step.publish(tally);
  }

 private:
  static constexpr std::uint64_t chains_ahead = 8;

  /// A worker's chains. Of the `held` ones of this pass, those before `next` have had their turn;
  /// the first `kept` of the row are those of them that are live, and the first `ahead` of these
  /// lead the next pass.
  struct Pass {
    State* row;
    std::uint64_t held;
    std::uint64_t next = 0;
    std::uint64_t kept = 0;
    std::uint64_t ahead = 0;
    bool displaced = false;  ///< the chain whose turn it is came out of a hand-over

    KOKKOS_FUNCTION void put_back(State const& state, bool retired, Order order) {
      ++next;
      if (!retired) {
        row[kept] = state;
        if (displaced && order == Order::displaced_first) {
          swap(ahead++, kept);
        }
        ++kept;
      }
      displaced = false;
      if (next == held) {
        for (std::uint64_t i = 0; i < ahead / 2; ++i) {
          swap(i, ahead - 1 - i);
        }
        held = kept;
        next = kept = ahead = 0;
      }
    }

    KOKKOS_FUNCTION void swap(std::uint64_t i, std::uint64_t j) {
      State const one = row[i];
      row[i] = row[j];
      row[j] = one;
    }
  };

  struct Turn {
    bool ends;  ///< else it is only time to look at the flag
    bool retired;
    bool displaced;
  };

  KOKKOS_FUNCTION Turn take_turn(State& state, std::uint64_t& steps,
                                 typename S::Tally& tally) const {
    std::uint64_t const look = steps + Kokkos::min(+steps_between_looks, leg.steps - steps);
    std::uint64_t end = end_of_turn(step.progress(state) + 1);
    Outcome outcome = Outcome::again;
    bool displaced = false;
    bool ends = false;
    do {
      outcome = step(state, tally);
      ++steps;
      if (outcome == Outcome::handed_over) {
        displaced = true;
        end = end_of_turn(step.progress(state));
      }
      ends = outcome == Outcome::retired || step.progress(state) >= end;
    } while (!ends && steps < look);
    return {ends, outcome == Outcome::retired, displaced};
  }

  /// The first multiple of the turn's length from `progress` on.
  KOKKOS_FUNCTION std::uint64_t end_of_turn(std::uint64_t progress) const {
    return leg.turn == unlimited ? unlimited : (progress + leg.turn - 1) / leg.turn * leg.turn;
  }

  KOKKOS_FUNCTION void retire() const {
    std::uint64_t const live = Kokkos::atomic_fetch_sub(&control().live, AtomicWord{1}) - 1;
    if (live <= leg.live) {
      Kokkos::atomic_store(&control().stop, 1u);
    }
  }

  /// Every chain that this worker still holds is live, and nobody else holds it: each gets a slot
  /// of its own. Those that wait for their turn come first.
  KOKKOS_FUNCTION void park(Pass const& pass) const {
    std::uint64_t const wait = pass.held - pass.next;
    std::uint64_t const first =
        Kokkos::atomic_fetch_add(&control().parked, AtomicWord{wait + pass.kept});
    for (std::uint64_t i = 0; i < wait + pass.kept; ++i) {
      parked(first + i) = pass.row[i < wait ? pass.next + i : i - wait];
    }
  }
};

}  // namespace detail

/// Starts one leg, for who runs several at once: run_leg() up to its launch.
///
/// Requires: the frontier has live chains, `control` counts them, and none parked.
/// Ensures, once the instance is fenced: chains that are live wait in `frontier.parked`, as many as
/// `control` counts there.
template <ExecutionSpace Exec, Step S, class MemorySpace>
void launch_leg(Exec const& where, std::string const& label, S const& step,
                Frontier<typename S::State, MemorySpace> const& frontier, Leg const& leg,
                LegControlView<MemorySpace> const& control) {
  std::uint64_t const wanted = std::max<std::uint64_t>(1, std::min(leg.workers, frontier.live));
  std::uint64_t const block = (frontier.live + wanted - 1) / wanted;
  std::uint64_t const workers = (frontier.live + block - 1) / block;
  detail::LegWorker<S, MemorySpace> const worker{
      step, frontier.waiting, frontier.parked, control, frontier.live, block, leg};
  // Blocks of a deal in equal parts are few and long; single chains are many, and of any length.
  if (block > 1 || workers == 1) {
    Kokkos::parallel_for(
        label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>(where, 0, workers),
        worker);
  } else {
    using Dealt = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>,
                                      Kokkos::Schedule<Kokkos::Dynamic>>;
    Kokkos::parallel_for(label, Dealt(where, 0, workers), worker);
  }
}

/// Runs one leg of `step` over the chains of `frontier`; on return these are the chains still live.
///
/// Equivalent to: each block of chains advanced in turn by its worker, in any interleaving of
/// single steps, until
///   none is live or the leg's limits are met. Ends at once where `frontier.live <= leg.live`.
/// Ensures: each chain that was waiting has retired or is in `frontier.waiting`, exactly as its
/// last step left it.
/// Returns the steps of a worker who ran dry and so ended the leg; 0 where none did.
/// Cost: one launch, one fence, 32 bytes each way. Async: returns with `where` fenced.
template <ExecutionSpace Exec, Step S, class MemorySpace>
std::uint64_t run_leg(Exec const& where, std::string const& label, S const& step,
                      Frontier<typename S::State, MemorySpace>& frontier, Leg const& leg) {
  static_assert(Kokkos::SpaceAccessibility<Exec, MemorySpace>::accessible,
                "run_leg: the frontier lies in memory that the instance can reach");
  if (frontier.live <= leg.live) {
    return 0;
  }
  LegControlView<MemorySpace> const control(
      Kokkos::view_alloc(where, Kokkos::WithoutInitializing, label + "::control"));
  auto const control_here = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, control);
  control_here() = {.live = frontier.live, .parked = 0, .dry_after = 0, .stop = 0};
  Kokkos::deep_copy(where, control, control_here);
  launch_leg(where, label, step, frontier, leg, control);
  Kokkos::deep_copy(where, control_here, control);
  where.fence(label + ": how many chains are still live");
  frontier.live = control_here().parked;
  std::swap(frontier.waiting, frontier.parked);
  return control_here().dry_after;
}

/// A frontier that has come to another memory space, and what that took.
template <class State, class MemorySpace>
struct Arrival {
  Frontier<State, MemorySpace> frontier;
  std::uint64_t bytes_moved;
};

/// Takes a frontier to the memory of `to`; no copy where that is the memory in which it lies.
/// Async: returns with both instances fenced where it copied.
template <ExecutionSpace From, ExecutionSpace To, class State, class MemorySpace>
Arrival<State, typename To::memory_space> migrate(From const& from, To const& to,
                                                  std::string const& label,
                                                  Frontier<State, MemorySpace> const& frontier) {
  using Target = typename To::memory_space;
  if constexpr (std::is_same_v<MemorySpace, Target>) {
    return {frontier, 0};
  } else {
    Frontier<State, Target> arrived(to, label, frontier.live);
    to.fence(label + ": there is room");
    std::pair<std::uint64_t, std::uint64_t> const live{0, frontier.live};
    Kokkos::deep_copy(from, arrived.waiting, Kokkos::subview(frontier.waiting, live));
    from.fence(label + ": the parked chains have arrived");
    return {arrived, frontier.live * sizeof(State)};
  }
}

}  // namespace taper
