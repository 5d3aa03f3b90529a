// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/marriage_propagator/domains.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::marriage_propagator::detail {

/// Where workers of a launch that have nobody left to follow are given somebody whom another has
/// freed: a word for each of the first `count` workers. Default: nobody waits.
///
/// A word that says `waits` changes by exchanges alone, so that a chain is never lost: whoever gives
/// puts it where a worker waits, and whoever gives up waiting closes the word or finds a chain in it.
/// Nobody waits for another to finish a step, and a worker that has given up is not missed: whoever
/// frees somebody and finds nobody waiting follows him later.
///
/// A worker that gives is not idle itself, and takes the other from the count of idle ones: so all are
/// idle only when all is done. Nothing but how long somebody waits depends on that count.
struct Mailboxes {
  /// Looks into the own word before a worker gives up: some milliseconds.
  static constexpr std::uint32_t most_looks = 4096;

  AtomicWord* words = nullptr;    ///< closed between launches
  std::uint32_t* idle = nullptr;  ///< workers that have nobody to follow; 0 at launch
  std::uint32_t count = 0;
  std::uint32_t workers = 0;  ///< of the launch

  /// Whether a worker that waited has the chain now.
  template <class Lanes>
  KOKKOS_FUNCTION bool give(Lanes const& lanes, Chain const& chain) const {
    if (count == 0) {
      return false;
    }
    Vacancy vacancy{words};
    std::uint32_t const box = lanes.first(0, count, vacancy);
    if (box == count) {
      return false;
    }
    return lanes.once([&] {
      Kokkos::atomic_sub(idle, 1u);
      bool const given =
          Kokkos::atomic_compare_exchange(&words[box], AtomicWord{waits}, pack(chain)) == waits;
      if (!given) {
        Kokkos::atomic_add(idle, 1u);
      }
      return given;
    });
  }

  /// Waits until `worker` is given somebody; false where all are done, or one has failed, or it has
  /// taken too long.
  template <class Lanes>
  KOKKOS_FUNCTION bool receive(Lanes const& lanes, std::uint32_t worker,
                               std::uint32_t const& failed, Chain& chain) const {
    if (count == 0) {
      return false;
    }
    AtomicWord const found = lanes.once([&] {
      if (worker >= count) {
        leave();
        return AtomicWord{waits};
      }
      AtomicWord& box = words[worker];
      Kokkos::atomic_store(&box, AtomicWord{waits});
      Kokkos::atomic_add(idle, 1u);
      for (std::uint32_t look = 0; look < most_looks; ++look) {
        bool const all_idle = relaxed_load(*idle) == workers;
        bool const is_over = all_idle | (relaxed_load(failed) != 0);
        if (relaxed_load(box) != waits || is_over) {
          break;
        }
      }
      return Kokkos::atomic_exchange(&box, AtomicWord{closed});
    });
    if (found == waits) {
      return false;
    }
    chain = {static_cast<std::uint32_t>(found >> 32) - 1, static_cast<std::uint32_t>(found)};
    return true;
  }

  /// For a worker that stops with somebody to follow, and for one that has no word.
  KOKKOS_FUNCTION void leave() const {
    if (count > 0) {
      Kokkos::atomic_add(idle, 1u);
    }
  }

 private:
  static constexpr AtomicWord closed = 0;
  static constexpr AtomicWord waits = 1;

  KOKKOS_FUNCTION static AtomicWord pack(Chain const& chain) {
    return (AtomicWord{chain.proposer} + 1) << 32 | chain.position;
  }

  /// Which workers wait: a question for Lanes.
  struct Vacancy {
    AtomicWord const* words;

    KOKKOS_FORCEINLINE_FUNCTION std::uint32_t ask(std::uint32_t box) const { return box; }
    KOKKOS_FORCEINLINE_FUNCTION AtomicWord hear(std::uint32_t box) const {
      return relaxed_load(words[box]);
    }
    KOKKOS_FORCEINLINE_FUNCTION bool is_wanted(std::uint32_t, std::uint32_t,
                                               AtomicWord word) const {
      return word == waits;
    }
  };
};

}  // namespace taper::marriage_propagator::detail
