// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/component_search/team_graph.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

// TeamGraph: finding components (Section III-B), and the rules for cliques and cycles (Section
// III-D).

namespace taper::vertex_cover::component_search {

/// Finds the component of `start`: marks its vertices as visited, and counts them in `reached`.
/// Stops early when all `live` vertices are reached.
///
/// Sweeps over the vertices alternate in direction, and see the marks that they have just set.
/// Vertices are numbered in breadth-first order (RootReduction::induce()), so that few sweeps reach
/// all.
template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION void TeamGraph<Exec, Degree>::visit_component(std::uint32_t start,
                                                                     std::uint32_t live) const {
  if (rows.has_bits()) {
    visit_by_bits(start, live);
    return;
  }
  each(workspace.low / 32, (workspace.high + 31) / 32,
       [&](std::uint32_t i) { visited[i] = marks[i] = 0; });
  leader([&]() {
    visited[start / 32] = marks[start / 32] = 1u << start % 32;
    workspace.reached = 1;
    workspace.changed = 1;
  });
  bool forward = true;
  while (from_leader([&]() {
    std::uint32_t const more = workspace.reached < live ? workspace.changed : 0;
    workspace.changed = 0;
    return more;
  })) {
    if (rows.long_rows) {
      pull(forward);
    } else {
      push(forward);
    }
    forward = !forward;
  }
}

template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION std::uint32_t TeamGraph<Exec, Degree>::sweep_index(std::uint32_t i,
                                                                          bool forward) const {
  return forward ? i : workspace.low + (workspace.high - 1 - i);
}

/// A sweep for long rows: each vertex that is not visited searches its row for a visited neighbour
/// (Section III-B). It mostly finds one among the first entries.
///
/// Lanes set bits of `visited` while others read them. The race is benign: bits are only ever set.
/// A lane that misses one finds it in the next sweep, because `changed` is set.
template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION void TeamGraph<Exec, Degree>::pull(bool forward) const {
  each(workspace.low, workspace.high, [&](std::uint32_t i) {
    std::uint32_t const v = sweep_index(i, forward);
    if (!is_live(degrees[v]) || has(visited, v)) {
      return;
    }
    std::uint32_t const end = row_end(v);
    for (std::uint32_t e = row_begin(v); e < end; ++e) {
      std::uint32_t const w = rows.entries(e);
      if (is_live_here(w) && has_relaxed(visited, w)) {
        insert(visited, v);
        add(workspace.reached, 1);
        workspace.changed = 1;
        return;
      }
    }
  });
}

/// Breadth-first search for rows of bits. Each lane owns one word of 32 vertices, and reads its
/// column of the rows of the vertices that the last level has reached. Each row is read in one
/// level only, however long the paths are.
template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION void TeamGraph<Exec, Degree>::visit_by_bits(std::uint32_t start,
                                                                   std::uint32_t live) const {
  std::uint32_t const first = workspace.low / 32;
  std::uint32_t const end = (workspace.high + 31) / 32;
  std::uint32_t* fresh = take_list;
  std::uint32_t* next = take_list + max_bit_words;
  mark_live();
  each(first, end,
       [&](std::uint32_t i) { visited[i] = fresh[i] = i == start / 32 ? 1u << start % 32 : 0; });
  leader([&]() { workspace.reached = 1; });
  for (;;) {
    leader([&]() { workspace.changed = 0; });
    each(first, end, [&](std::uint32_t i) {
      next[i] = adjacent_to_set(fresh, i, marks[i] & ~visited[i]);
      if (next[i] != 0) {
        visited[i] |= next[i];
        add(workspace.reached,
            static_cast<std::uint32_t>(Kokkos::Experimental::popcount_builtin(next[i])));
        workspace.changed = 1;
      }
    });
    if (from_leader([&]() -> std::uint32_t {
          return workspace.changed != 0 && workspace.reached < live;
        }) == 0) {
      return;
    }
    std::uint32_t* const done = fresh;
    fresh = next;
    next = done;
  }
}

/// The vertices among `wanted`, bits of word number `word`, that have a neighbour in `set`.
template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION std::uint32_t
TeamGraph<Exec, Degree>::adjacent_to_set(std::uint32_t const* set, std::uint32_t word,
                                         std::uint32_t wanted) const {
  constexpr std::uint32_t ahead = 4;  // rows that are loaded before one is used
  std::uint32_t const base = workspace.node.base;
  std::uint32_t const end = (workspace.high + 31) / 32;
  std::uint32_t found = 0;
  for (std::uint32_t i = workspace.low / 32; i < end && found != wanted; ++i) {
    std::uint32_t bits = set[i];
    while (bits != 0 && found != wanted) {
      std::uint32_t more = 0;
      TAPER_UNROLL
      for (std::uint32_t k = 0; k < ahead; ++k) {
        auto const v = static_cast<std::uint32_t>(
            bits == 0 ? 0 : Kokkos::Experimental::countr_zero_builtin(bits));
        more |= bits == 0 ? 0 : rows.bits(base + i * 32 + v, word);
        bits &= bits - 1;
      }
      found |= more & wanted;
    }
  }
  return found;
}

/// A sweep for short rows: each vertex in `marks`, which is visited but not expanded, visits its
/// neighbours. A lane handles one vertex; a team of one thread handles a word of 32 at a time.
template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION void TeamGraph<Exec, Degree>::push(bool forward) const {
  if constexpr (single_thread) {
    std::uint32_t const first = workspace.low / 32;
    std::uint32_t const end = (workspace.high + 31) / 32;
    for (std::uint32_t i = first; i < end; ++i) {
      std::uint32_t& word = marks[forward ? i : first + (end - 1 - i)];
      auto const base = static_cast<std::uint32_t>(&word - marks) * 32;
      while (word != 0) {
        std::uint32_t const v =
            base + static_cast<std::uint32_t>(Kokkos::Experimental::countr_zero_builtin(word));
        word &= word - 1;
        push_from(v);
      }
    }
  } else {
    each(workspace.low, workspace.high, [&](std::uint32_t i) {
      std::uint32_t const v = sweep_index(i, forward);
      if (has_relaxed(marks, v)) {
        remove(marks, v);
        push_from(v);
      }
    });
  }
}

template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION void TeamGraph<Exec, Degree>::push_from(std::uint32_t v) const {
  std::uint32_t const end = row_end(v);
  for (std::uint32_t e = row_begin(v); e < end; ++e) {
    std::uint32_t const w = rows.entries(e);
    if (is_live_here(w) && insert(visited, w)) {
      insert(marks, w);
      add(workspace.reached, 1);
      workspace.changed = 1;
    }
  }
}

/// The clique rule: takes all vertices of the visited clique but the first.
template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION void TeamGraph<Exec, Degree>::solve_clique(DegreeStats const& clique) const {
  each(clique.low, clique.high, [&](std::uint32_t v) {
    if (has(visited, v)) {
      degrees[v] = v == clique.low ? Degree{0} : taken;
    }
  });
  leader([&]() { workspace.node.cover += clique.live - 1; });
}

/// The cycle rule: takes one vertex of a chordless cycle. The degree-one rule solves the path that
/// is left. Of n vertices it takes 1 + (n - 1) / 2 in all, which is n / 2 rounded up.
template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION void TeamGraph<Exec, Degree>::solve_cycle(DegreeStats const& cycle) const {
  take_vertex(cycle.low);
  reduce_candidates();
}

}  // namespace taper::vertex_cover::component_search
