// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/backend.hpp>
#include <taper/marriage_propagator/domains.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::marriage_propagator::detail {

/// The chains of a launch that no worker follows yet. Default: none.
///
/// Used by: phase 2 with fewer workers than chains, through SharedUpdatePolicy.
struct UntakenChains {
  Chain const* chains = nullptr;
  std::uint32_t count = 0;
  std::uint32_t* taken = nullptr;  ///< how many of them have been asked for; may exceed `count`

  /// Gives the next one to the caller's worker. False if there is none.
  template <class Lanes>
  KOKKOS_FUNCTION bool take(Lanes const& lanes, Chain& chain) const {
    if (count == 0) {
      return false;
    }
    std::uint32_t const index = lanes.once([&] { return Kokkos::atomic_fetch_add(taken, 1u); });
    if (index >= count) {
      return false;
    }
    chain = chains[index];
    return true;
  }
};

/// Passes freed proposers to idle workers of the same launch: one slot for each of the first
/// `slot_count` workers. Default: no slots, so no worker waits.
///
/// Used by: phase 2 on a GPU, through SharedUpdatePolicy.
///
/// No chain is lost. A slot that says `waiting` changes by atomic exchanges alone: a worker that
/// hands off writes a chain into it, and the owner that stops waiting closes it or finds the chain.
/// No worker waits for another to finish a step. If no slot is waiting, the worker that freed a
/// proposer follows it later itself.
///
/// The idle count equals `workers` only when all work is done. A worker that hands off is not idle
/// itself, and it takes the receiving worker out of the count. Only the length of waits depends on
/// the count, not the result.
struct HandoffSlots {
  /// How often a worker polls its slot before it stops waiting: some milliseconds in all.
  static constexpr std::uint32_t max_polls = 4096;

  AtomicWord* slots = nullptr;    ///< all closed between launches
  std::uint32_t* idle = nullptr;  ///< workers without a chain; 0 at launch
  std::uint32_t slot_count = 0;
  std::uint32_t workers = 0;  ///< of the launch

  /// Gives `chain` to a waiting worker. False if no worker waits, or if it stopped waiting
  /// meanwhile.
  template <class Lanes>
  KOKKOS_FUNCTION bool hand_off(Lanes const& lanes, Chain const& chain) const {
    if (slot_count == 0) {
      return false;
    }
    IsWaiting is_waiting{slots};
    std::uint32_t const slot = lanes.find_first(0, slot_count, is_waiting);
    if (slot == slot_count) {
      return false;
    }
    return lanes.once([&] {
      Kokkos::atomic_sub(idle, 1u);
      bool const given = Kokkos::atomic_compare_exchange(&slots[slot], AtomicWord{waiting},
                                                         pack(chain)) == waiting;
      if (!given) {
        Kokkos::atomic_add(idle, 1u);
      }
      return given;
    });
  }

  /// Waits until `worker` receives a chain. False if all workers are idle, if `failed` is set,
  /// after max_polls polls, or if the worker has no slot.
  template <class Lanes>
  KOKKOS_FUNCTION bool wait_for_chain(Lanes const& lanes, std::uint32_t worker,
                                      std::uint32_t const& failed, Chain& chain) const {
    if (slot_count == 0) {
      return false;
    }
    AtomicWord const found = lanes.once([&] {
      if (worker >= slot_count) {
        mark_idle();
        return AtomicWord{waiting};
      }
      AtomicWord& slot = slots[worker];
      Kokkos::atomic_store(&slot, AtomicWord{waiting});
      Kokkos::atomic_add(idle, 1u);
      // The relaxed loads may be late. They only end the wait; the exchange below decides.
      for (std::uint32_t poll = 0; poll < max_polls; ++poll) {
        bool const all_idle = relaxed_load(*idle) == workers;
        bool const is_over = all_idle | (relaxed_load(failed) != 0);
        if (relaxed_load(slot) != waiting || is_over) {
          break;
        }
      }
      return Kokkos::atomic_exchange(&slot, AtomicWord{closed});
    });
    if (found == waiting) {
      return false;
    }
    chain = {static_cast<std::uint32_t>(found >> 32) - 1, static_cast<std::uint32_t>(found)};
    return true;
  }

  /// Counts a worker as idle that does not wait: it has no slot, or it stops and parks its chains.
  KOKKOS_FUNCTION void mark_idle() const {
    if (slot_count > 0) {
      Kokkos::atomic_add(idle, 1u);
    }
  }

 private:
  // Any other content of a slot is a chain, as pack() makes it.
  static constexpr AtomicWord closed = 0;
  static constexpr AtomicWord waiting = 1;

  KOKKOS_FUNCTION static AtomicWord pack(Chain const& chain) {
    return (AtomicWord{chain.proposer} + 1) << 32 | chain.position;
  }

  /// Whether a slot's worker waits. A predicate for find_first() (worker_lanes.hpp). The relaxed
  /// load is a hint: the compare-exchange in hand_off() decides.
  struct IsWaiting {
    AtomicWord const* slots;

    KOKKOS_FORCEINLINE_FUNCTION std::uint32_t prepare(std::uint32_t slot) const { return slot; }
    KOKKOS_FORCEINLINE_FUNCTION AtomicWord observe(std::uint32_t slot) const {
      return relaxed_load(slots[slot]);
    }
    KOKKOS_FORCEINLINE_FUNCTION bool matches(std::uint32_t, std::uint32_t, AtomicWord word) const {
      return word == waiting;
    }
  };
};

}  // namespace taper::marriage_propagator::detail
