// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/paper/explorer.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::vertex_cover::paper {

// Lean branching, where there is no room to store a node: the node from which it began is
// parked, and of what follows only the decisions are kept. A node is then built anew from the
// parked one. Only decisions are repeated, no reductions: what these took stays to be decided,
// so that no cover that the node stands for is lost, and all that are found cover the parked
// node's graph, since a vertex's neighbours in the less reduced graph are those in the reduced
// one and vertices that it had taken.

template <class Search>
KOKKOS_INLINE_FUNCTION void Explorer<Search>::branch_lean(std::uint32_t vertex, bool lean) {
  if (!lean) {
    store_slot(&search.parked(team, 0), Action::none, nothing);
  }
  work.leader([&]() {
    search.path(team, state.lean++) = vertex | first_branch;
    ++state.lean_branches;
  });
}

/// Builds the next node from the parked one. False: there is none, or the launch ends here.
template <class Search>
KOKKOS_INLINE_FUNCTION bool Explorer<Search>::next_lean() {
  enter(Activity::storage);
  bool const any = work.from_leader([&]() -> std::uint32_t {
    while (state.lean > 0 && state.lean_paused == 0 &&
           (search.path(team, state.lean - 1) & first_branch) == 0) {
      --state.lean;
    }
    return state.lean > 0 && !stopped();
  }) != 0;
  if (!any) {
    return false;
  }
  std::uint32_t const depth = work.from_leader([&]() {
    if (state.lean_paused == 0) {
      search.path(team, state.lean - 1) &= ~first_branch;
    }
    state.lean_paused = 0;
    return state.lean;
  });
  load_slot(&search.parked(team, 0));
  for (std::uint32_t i = 0; i < depth; ++i) {
    std::uint32_t const decision = search.path(team, i);
    act((decision & first_branch) != 0 ? Action::take_neighbours : Action::take_vertex,
        decision & ~first_branch);
  }
  return true;
}

template <class Search>
KOKKOS_INLINE_FUNCTION bool Explorer<Search>::paused_lean() const {
  return work.from_leader([&]() -> std::uint32_t { return state.lean > 0; }) != 0;
}

}  // namespace taper::vertex_cover::paper
