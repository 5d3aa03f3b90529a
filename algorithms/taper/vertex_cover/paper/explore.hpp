// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/paper/explorer.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::vertex_cover::paper {

template <class Search>
KOKKOS_INLINE_FUNCTION void Explorer<Search>::explore() {
  since = search.count ? ticks() : 0;
  work.leader([&]() {
    work.desk.row = state.row;
    work.desk.takes = 0;
    work.desk.candidates = 0;
  });
  bool resumed = state.lean != 0;  // read by all before anybody changes it
  work.barrier();
  std::uint64_t polls = 0;
  Hearing hearing{};
  for (;;) {
    std::uint32_t item = nothing;
    if (!resumed) {
      enter(Activity::storage);
      item = work.from_leader([&]() { return next_item(polls); });
      if (item == leave) {
        break;
      }
    }
    if (resumed || item != nothing) {
      if (!resumed) {
        load(item);
      }
      if (!resumed || next_lean()) {
        visit();
      }
      resumed = false;
      polls = 0;
      continue;
    }
    repay();
    enter(Activity::idle);
    work.leader([&]() { wait(++polls, hearing); });
  }
  repay();
  enter(Activity::idle);
  work.leader([&]() {
    state.row = work.desk.row;
    state.nodes += nodes;
    if (nodes > 0) {
      show_life();
    }
  });
}

// The leader alone.

/// A node in storage, or behind these a root; `nothing` for now; or `leave`.
template <class Search>
KOKKOS_INLINE_FUNCTION std::uint32_t Explorer<Search>::next_item(std::uint64_t attempt) {
  std::uint32_t const item = look_for_item(attempt);
  if (item != nothing && attempt > 0) {
    Kokkos::atomic_sub(&control().idle, 1u);  // relaxed: polled
  }
  return item;
}

/// A few victims at a time: a warp that looks at 32 at once was no faster (on an H100 qc324 took 9.9
/// ms for 8.5, other graphs as long).
template <class Search>
KOKKOS_INLINE_FUNCTION std::uint32_t Explorer<Search>::look_for_item(std::uint64_t attempt) {
  if (stopped()) {
    return leave;
  }
  std::uint32_t const item = search.balance.take(team, attempt);
  if (item != nothing) {
    return item;
  }
  if (roots_are_left) {
    auto const roots = static_cast<std::uint32_t>(search.roots.extent(0));
    if (relaxed_load(control().next_root) < roots) {
      std::uint32_t const root = Kokkos::atomic_fetch_add(&control().next_root, 1u);  // relaxed
      if (root < roots) {
        return slots() + root;
      }
    }
    roots_are_left = false;
  }
  return nothing;
}

/// The watchdog: no launch outlasts the progress that somebody makes. Who works may be slow, and
/// who has the work may have found no room to run: so this only ends the launch. By the clock:
/// on a host with more to do than cores, a single poll may last as long as others please.
///
/// The more teams are idle, the longer each sleeps: thousands that look all the time keep the memory
/// so busy that those who work wait for it.
template <class Search>
KOKKOS_INLINE_FUNCTION void Explorer<Search>::wait(std::uint64_t polls, Hearing& last) const {
  if (polls == 1) {
    last.idle = Kokkos::atomic_fetch_add(&control().idle, 1u);  // relaxed: polled
  }
  if (polls % polls_a_look == 1) {
    AtomicWord const heartbeat = relaxed_load(control().heartbeat);
    std::uint64_t const now = ticks();
    if (polls == 1 || heartbeat != last.heartbeat) {
      last = {heartbeat, now, relaxed_load(control().idle)};
    } else if (now - last.at >= search.pace.patience) {
      stop(nobody_moves);
    }
  }
  taper::pause(Kokkos::min(200 + nanoseconds_an_idle_team * last.idle, 50'000u));
}

}  // namespace taper::vertex_cover::paper
