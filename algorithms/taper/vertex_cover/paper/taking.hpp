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
  leader([&]() { desk.takes = 0; });
  if (graph.has_bits() && recounts(count)) {
    recount();
    return;
  }
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
  note_degree(v, now);
}

/// Whether that is quicker than to walk along the rows of so many: a GPU's team counts two words of all
/// rows, a lane a row, while a thread of it walks along one row, waiting for memory twice.
template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION bool Board<Exec, Degree>::recounts(std::uint32_t count) const {
  std::uint32_t const words = (desk.high - desk.low) / 32;
  if constexpr (alone) {
    return std::uint64_t{count} * graph.entries.extent(0) >
           std::uint64_t{desk.high - desk.low} * words * graph.bits.extent(0);
  } else {
    return count > words / 2;
  }
}

/// Whoever is live counts its live neighbours, however many have been taken.
template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION void Board<Exec, Degree>::recount() const {
  write_live();
  each(desk.low, desk.high, [&](std::uint32_t v) {
    Degree const before = degrees[v];
    if (!is_live(before)) {
      return;
    }
    int sum = 0;
    along_bits(v, [&](std::uint32_t i, std::uint32_t beside) {
      sum += Kokkos::Experimental::popcount_builtin(beside & pending[i]);
    });
    auto const now = static_cast<Degree>(sum);
    if (now != before) {
      degrees[v] = now;
      note_degree(v, now);
    }
  });
}

/// Of a vertex that has lost an edge.
template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION void Board<Exec, Degree>::note_degree(std::uint32_t v,
                                                             std::uint32_t degree) const {
  if (degree == 1 || degree == 2) {
    std::uint32_t const slot = add(desk.candidates, 1);
    if (slot < candidates_room) {
      candidates[slot] = v;
    }
  }
}

}  // namespace taper::vertex_cover::paper
