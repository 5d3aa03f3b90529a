// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/paper/board.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::vertex_cover::paper {

/// Lists a vertex to be taken.
template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION void Board<Exec, Degree>::list_take(std::uint32_t v) const {
  std::uint32_t const slot = add(desk.takes, 1);
  if (slot < takes_room) {
    takes[slot] = v;
  }
}

/// Takes what is listed into the cover; who comes down to degree 2 or 1 by that is a candidate.
/// A vertex that did not fit the list is not taken. A vertex may be listed more than once.
template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION void Board<Exec, Degree>::take_listed() const {
  std::uint32_t const count = Kokkos::min(desk.takes, +takes_room);
  barrier();
  if (count == 0) {
    return;
  }
  each(0, count, [&](std::uint32_t i) {
    if (mark_gone(takes[i])) {
      add(desk.node.cover, 1);
    } else {
      takes[i] = nothing;
    }
  });
  // Both ends of an edge may have been taken: only who is left loses an edge by it.
  each_by_thread(0, count, [&](std::uint32_t i) {
    if (takes[i] != nothing) {
      along_row(takes[i], [&](std::uint32_t w) {
        if (is_live_here(w)) {
          lower(w);
        }
      });
    }
  });
  leader([&]() { desk.takes = 0; });
}

template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION void Board<Exec, Degree>::take_vertex(std::uint32_t v) const {
  leader([&]() { list_take(v); });
  take_listed();
}

template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION void Board<Exec, Degree>::take_neighbours(std::uint32_t v) const {
  std::uint32_t const end = row_end(v);
  for (std::uint32_t e = row_begin(v); e < end; e += takes_room) {
    each(e, Kokkos::min(end, e + takes_room), [&](std::uint32_t i) {
      std::uint32_t const w = graph.entries(i);
      if (is_live_here(w)) {
        list_take(w);
      }
    });
    take_listed();
  }
}

/// Takes who has more neighbours than the cover may still grow by (the high-degree rule), or as
/// many of them as fit the list.
template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION void Board<Exec, Degree>::take_above(std::uint32_t budget) const {
  each(desk.low, desk.high, [&](std::uint32_t v) {
    if (is_live(degrees[v]) && degrees[v] > budget) {
      list_take(v);
    }
  });
  take_listed();
}

template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION bool Board<Exec, Degree>::mark_gone(std::uint32_t v) const {
  if constexpr (alone) {
    bool const is_new = degrees[v] != gone;
    degrees[v] = gone;
    return is_new;
  } else {
    std::uint32_t const old =
        Kokkos::atomic_fetch_or(&word_around(v), std::uint32_t{gone} << shift_of(v));
    return static_cast<Degree>(old >> shift_of(v)) != gone;
  }
}

template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION void Board<Exec, Degree>::lower(std::uint32_t v) const {
  Degree now;
  if constexpr (alone) {
    now = --degrees[v];
  } else {
    std::uint32_t const old = Kokkos::atomic_fetch_sub(&word_around(v), 1u << shift_of(v));
    now = static_cast<Degree>(static_cast<Degree>(old >> shift_of(v)) - 1);
  }
  if (now == 1 || now == 2) {
    std::uint32_t const slot = add(desk.candidates, 1);
    if (slot < candidates_room) {
      candidates[slot] = v;
    }
  }
}

}  // namespace taper::vertex_cover::paper
