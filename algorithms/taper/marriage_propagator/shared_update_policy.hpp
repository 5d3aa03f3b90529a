// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/lanes.hpp>
#include <taper/marriage_propagator/domains.hpp>
#include <taper/marriage_propagator/mailboxes.hpp>
#include <taper/marriage_propagator/tighten.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::marriage_propagator::detail {

/// What differs between backends in the parallel propagator.
template <ExecutionSpace Exec>
struct Chains {
  /// Values that a worker tests at once.
  static constexpr int lanes = static_cast<int>(Lanes<Exec>::count);
  static constexpr int workers_a_team = is_gpu<Exec> ? 4 : 1;
  /// Looks that a worker takes before the waiting men are dealt anew: so none goes on for long with
  /// many of them, and workers who have given up waiting come back.
  static constexpr std::uint64_t looks = is_gpu<Exec> ? 1 << 14 : 1 << 20;
  /// So many workers of a launch wait, when they have nobody left to follow, for whom others free. On
  /// a host nobody waits so.
  static constexpr std::uint32_t waiting_workers = is_gpu<Exec> ? 64 : 0;
  /// So many free people are few: on a GPU, where each may then have the lanes of a warp; on a
  /// host, for each thread. More than that all turn to the same few, and a look by many lanes would
  /// only find what has changed before they propose.
  static constexpr std::uint32_t few = 64;
};

/// What may happen to a person in a call.
enum class Touch : std::uint32_t {
  by_offers,  ///< bounds, and values that offers no longer keep
  otherwise   ///< values for other reasons
};
inline constexpr std::uint32_t touches = 2;

/// What the workers of a call tell the host, and each other.
struct Control {
  std::uint32_t failed;
  std::uint32_t parked;
  std::uint32_t touched;
  std::uint32_t retired;  ///< workers that have nobody left to follow
  std::uint32_t few;      ///< whether so few are not that all are to halt
  std::uint32_t idle;     ///< workers that have nobody to follow, where Mailboxes has it
  AtomicWord dropped;
};

/// When the workers of a launch halt, beside at a failure: each after so many looks, all when so
/// many have retired.
struct Halt {
  std::uint64_t looks;
  std::uint32_t retired = nobody;
};

/// How many workers book what they do: atomics where two may meet, and flags
/// where order does not matter.
template <class Id>
struct SharedBooks {
  Control* control;
  Chain* parked;
  std::uint8_t* improved_flags;  ///< of receivers
  std::uint8_t* touched;         ///< for each Touch men, then women
  std::uint32_t* next_single;    ///< men, then women; the links of each worker's own list
  Halt halt;
  Mailboxes mailboxes = {};
  std::uint32_t worker = 0;

  Touch losses = Touch::otherwise;  ///< why values are lost
  std::uint64_t looked = 0;
  bool halted = false;
  AtomicWord dropped = 0;
  std::uint32_t single = nobody;  ///< head of this worker's list

  KOKKOS_FUNCTION static std::uint32_t slot(Side<Id> const& side, std::uint32_t person) {
    return side.people == People::men ? person : side.n + person;
  }

  /// A host's cores look first, or they would take the flag's line from each other; a GPU's proposal that
  /// waited for a look would take a fifth longer.
  KOKKOS_FUNCTION void touch(Side<Id> const& side, std::uint32_t person, Touch how) const {
    std::uint8_t& flag = touched[static_cast<std::uint32_t>(how) * 2 * side.n + slot(side, person)];
    KOKKOS_IF_ON_HOST((if (relaxed_load(flag) != 0) { return; }))
    relaxed_store(flag, std::uint8_t{1});
  }

  KOKKOS_FUNCTION bool halts() {
    ++looked;
    halted =
        looked > halt.looks ||
        (looked % 16 == 0 && (relaxed_load(control->failed) | relaxed_load(control->few)) != 0);
    return halted;
  }
  /// The last that a worker does: leaves its count, and tells the others when few are left.
  KOKKOS_FUNCTION void close() const {
    Kokkos::atomic_add(&control->dropped, dropped);
    if (halted) {
      mailboxes.leave();
    } else if (Kokkos::atomic_fetch_add(&control->retired, 1u) + 1 == halt.retired) {
      Kokkos::atomic_store(&control->few, 1u);
    }
  }
  KOKKOS_FUNCTION void park(Chain const& chain) const {
    parked[Kokkos::atomic_fetch_add(&control->parked, 1u)] = chain;
  }
  KOKKOS_FUNCTION void fail() const { Kokkos::atomic_store(&control->failed, 1u); }

  template <class Lanes>
  KOKKOS_FUNCTION bool give(Lanes const& lanes, Chain const& chain) const {
    return mailboxes.give(lanes, chain);
  }
  template <class Lanes>
  KOKKOS_FUNCTION bool receive(Lanes const& lanes, Chain& chain) const {
    return mailboxes.receive(lanes, worker, control->failed, chain);
  }

  KOKKOS_FUNCTION Word lower(Word& offer, Word value) const {
    return Kokkos::atomic_fetch_min(&offer, value);
  }
  KOKKOS_FUNCTION void fence() const { memory_fence(); }
  KOKKOS_FUNCTION Word take(Word& word, Word mask) const {
    return Kokkos::atomic_fetch_and(&word, ~mask) & mask;
  }
  KOKKOS_FUNCTION std::uint32_t subtract(std::uint32_t& count, std::uint32_t by) const {
    return Kokkos::atomic_fetch_sub(&count, by) - by;
  }
  KOKKOS_FUNCTION void lost(Side<Id> const& side, std::uint32_t person, std::uint32_t, Word,
                            std::uint32_t left) {
    touch(side, person, losses);
    if (left == 0) {
      fail();
    } else if (left == 1) {
      next_single[slot(side, person)] = single;
      single = slot(side, person);
    }
  }
  KOKKOS_FUNCTION void improved(Side<Id> const& receivers, std::uint32_t receiver, Word before,
                                Word now) {
    dropped += kept(before) - kept(now);
    relaxed_store(improved_flags[receiver], std::uint8_t{1});
    touch(receivers, receiver, Touch::by_offers);
  }
  /// Proposers only go on, and one who has been displaced may have been taken further down by
  /// another worker before the one who placed him here comes to note it: the later position counts.
  KOKKOS_FUNCTION void moved(Side<Id> const& proposers, std::uint32_t proposer,
                             std::uint32_t position) const {
    Kokkos::atomic_max(&proposers.first[proposer], position);
    touch(proposers, proposer, Touch::by_offers);
  }
};

/// Both sides, men first: a slot is a person of either.
template <class Id>
struct Sides {
  Side<Id> men;
  Side<Id> women;

  KOKKOS_FUNCTION Side<Id> const& of_slot(std::uint32_t slot) const {
    return slot < men.n ? men : women;
  }
  KOKKOS_FUNCTION Side<Id> const& facing_slot(std::uint32_t slot) const {
    return slot < men.n ? women : men;
  }
  KOKKOS_FUNCTION std::uint32_t person(std::uint32_t slot) const {
    return slot < men.n ? slot : slot - men.n;
  }
};

}  // namespace taper::marriage_propagator::detail
