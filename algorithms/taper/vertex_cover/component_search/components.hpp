// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/paper/board.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::vertex_cover::paper {

/// Marks as visited who can be reached from `start`, and counts them; may stop when all `live`
/// are. In sweeps there and back that see what they have just marked: vertices are numbered in the
/// order of a search, so that few sweeps reach all.
template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION void Board<Exec, Degree>::visit_from(std::uint32_t start,
                                                            std::uint32_t live) const {
  if (graph.has_bits()) {
    flood(start, live);
    return;
  }
  each(desk.low / 32, (desk.high + 31) / 32, [&](std::uint32_t i) { visited[i] = pending[i] = 0; });
  leader([&]() {
    visited[start / 32] = pending[start / 32] = 1u << start % 32;
    desk.reached = 1;
    desk.again = 1;
  });
  bool forth = true;
  while (from_leader([&]() {
    std::uint32_t const more = desk.reached < live ? desk.again : 0;
    desk.again = 0;
    return more;
  })) {
    if (graph.long_rows) {
      pull(forth);
    } else {
      push(forth);
    }
    forth = !forth;
  }
}

template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION std::uint32_t Board<Exec, Degree>::swept(std::uint32_t i, bool forth) const {
  return forth ? i : desk.low + (desk.high - 1 - i);
}

/// Long rows: whoever is not visited looks for a neighbour who is (Section III-B), and mostly finds
/// one among the first of its row.
template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION void Board<Exec, Degree>::pull(bool forth) const {
  each(desk.low, desk.high, [&](std::uint32_t i) {
    std::uint32_t const v = swept(i, forth);
    if (!is_live(degrees[v]) || has(visited, v)) {
      return;
    }
    std::uint32_t const end = row_end(v);
    for (std::uint32_t e = row_begin(v); e < end; ++e) {
      std::uint32_t const w = graph.entries(e);
      if (is_live_here(w) && holds_now(visited, w)) {
        insert(visited, v);
        add(desk.reached, 1);
        desk.again = 1;
        return;
      }
    }
  });
}

/// Rows of bits: a lane a word of what is not visited yet looks along the rows of those that were visited
/// last. However long the way, each row is looked at once.
template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION void Board<Exec, Degree>::flood(std::uint32_t start,
                                                       std::uint32_t live) const {
  std::uint32_t const first = desk.low / 32;
  std::uint32_t const end = (desk.high + 31) / 32;
  std::uint32_t* fresh = takes;
  std::uint32_t* next = takes + most_bit_words;
  write_live();
  each(first, end,
       [&](std::uint32_t i) { visited[i] = fresh[i] = i == start / 32 ? 1u << start % 32 : 0; });
  leader([&]() { desk.reached = 1; });
  for (;;) {
    leader([&]() { desk.again = 0; });
    each(first, end, [&](std::uint32_t i) {
      next[i] = beside(fresh, i, pending[i] & ~visited[i]);
      if (next[i] != 0) {
        visited[i] |= next[i];
        add(desk.reached,
            static_cast<std::uint32_t>(Kokkos::Experimental::popcount_builtin(next[i])));
        desk.again = 1;
      }
    });
    if (from_leader([&]() -> std::uint32_t { return desk.again != 0 && desk.reached < live; }) ==
        0) {
      return;
    }
    std::uint32_t* const done = fresh;
    fresh = next;
    next = done;
  }
}

/// Which of the wanted vertices of a word are adjacent to one of a set.
template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION std::uint32_t Board<Exec, Degree>::beside(std::uint32_t const* set,
                                                                 std::uint32_t word,
                                                                 std::uint32_t wanted) const {
  constexpr std::uint32_t ahead = 4;  // rows that are asked for before one is looked at
  std::uint32_t const base = desk.node.base;
  std::uint32_t const end = (desk.high + 31) / 32;
  std::uint32_t found = 0;
  for (std::uint32_t i = desk.low / 32; i < end && found != wanted; ++i) {
    std::uint32_t bits = set[i];
    while (bits != 0 && found != wanted) {
      std::uint32_t more = 0;
      TAPER_UNROLL
      for (std::uint32_t k = 0; k < ahead; ++k) {
        auto const v = static_cast<std::uint32_t>(
            bits == 0 ? 0 : Kokkos::Experimental::countr_zero_builtin(bits));
        more |= bits == 0 ? 0 : graph.bits(base + i * 32 + v, word);
        bits &= bits - 1;
      }
      found |= more & wanted;
    }
  }
  return found;
}

/// Short rows: whoever has been visited visits its neighbours, once. A lane looks at a vertex, or,
/// where it is alone, at a word of 32.
template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION void Board<Exec, Degree>::push(bool forth) const {
  if constexpr (alone) {
    std::uint32_t const first = desk.low / 32;
    std::uint32_t const end = (desk.high + 31) / 32;
    for (std::uint32_t i = first; i < end; ++i) {
      std::uint32_t& word = pending[forth ? i : first + (end - 1 - i)];
      auto const base = static_cast<std::uint32_t>(&word - pending) * 32;
      while (word != 0) {
        std::uint32_t const v =
            base + static_cast<std::uint32_t>(Kokkos::Experimental::countr_zero_builtin(word));
        word &= word - 1;
        push_from(v);
      }
    }
  } else {
    each(desk.low, desk.high, [&](std::uint32_t i) {
      std::uint32_t const v = swept(i, forth);
      if (holds_now(pending, v)) {
        remove(pending, v);
        push_from(v);
      }
    });
  }
}

template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION void Board<Exec, Degree>::push_from(std::uint32_t v) const {
  std::uint32_t const end = row_end(v);
  for (std::uint32_t e = row_begin(v); e < end; ++e) {
    std::uint32_t const w = graph.entries(e);
    if (is_live_here(w) && insert(visited, w)) {
      insert(pending, w);
      add(desk.reached, 1);
      desk.again = 1;
    }
  }
}

/// Takes all of a visited clique but its first vertex.
template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION void Board<Exec, Degree>::solve_clique(Survey const& clique) const {
  each(clique.low, clique.high, [&](std::uint32_t v) {
    if (has(visited, v)) {
      degrees[v] = v == clique.low ? Degree{0} : gone;
    }
  });
  leader([&]() { desk.node.cover += clique.live - 1; });
}

/// Takes one vertex of a chordless cycle; what is left is a path, which the degree-one rule
/// solves: of n vertices 1 + (n - 1) / 2, which is n / 2 rounded up.
template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION void Board<Exec, Degree>::solve_cycle(Survey const& cycle) const {
  take_vertex(cycle.low);
  reduce_candidates();
}

}  // namespace taper::vertex_cover::paper
