// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/component_search/team_graph.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

// TeamGraph: taking vertices into the cover, and the degree-one, degree-two triangle and
// high-degree rules.

namespace taper::vertex_cover::component_search {

/// Adds a vertex to the take list. If the list is full, only counts it. Called by one lane.
template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION void TeamGraph<Exec, Degree>::list_vertex(std::uint32_t v) const {
  std::uint32_t const slot = add(workspace.take_count, 1);
  if (slot < take_capacity) {
    take_list[slot] = v;
  }
}

/// Takes the listed vertices into the cover. A vertex whose degree falls to 2 or 1 becomes a
/// candidate. A vertex that did not fit into the list is not taken. A vertex may be listed more
/// than once.
template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION void TeamGraph<Exec, Degree>::take_listed() const {
  std::uint32_t const count = Kokkos::min(workspace.take_count, +take_capacity);
  barrier();
  if (count == 0) {
    return;
  }
  each(0, count, [&](std::uint32_t i) {
    if (mark_taken(take_list[i])) {
      add(workspace.node.cover, 1);
    } else {
      take_list[i] = nothing;
    }
  });
  leader([&]() { workspace.take_count = 0; });
  if (rows.has_bits() && should_recount(count)) {
    recount();
    return;
  }
  // Both ends of an edge may have been taken. Only a live end loses an edge.
  each_by_thread(0, count, [&](std::uint32_t i) {
    if (take_list[i] != nothing) {
      along_row(take_list[i], [&](std::uint32_t w) {
        if (is_live_here(w)) {
          decrement_degree(w);
        }
      });
    }
  });
}

template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION void TeamGraph<Exec, Degree>::take_vertex(std::uint32_t v) const {
  leader([&]() { list_vertex(v); });
  take_listed();
}

template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION void TeamGraph<Exec, Degree>::take_neighbours(std::uint32_t v) const {
  std::uint32_t const end = row_end(v);
  for (std::uint32_t e = row_begin(v); e < end; e += take_capacity) {
    each(e, Kokkos::min(end, e + take_capacity), [&](std::uint32_t i) {
      std::uint32_t const w = rows.entries(i);
      if (is_live_here(w)) {
        list_vertex(w);
      }
    });
    take_listed();
  }
}

/// The high-degree rule: takes vertices with more than `budget` neighbours. `budget`: the number of
/// vertices that the cover may still grow by. Takes at most as many as fit into the take list.
template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION void TeamGraph<Exec, Degree>::take_high_degrees(std::uint32_t budget) const {
  each(workspace.low, workspace.high, [&](std::uint32_t v) {
    if (is_live(degrees[v]) && degrees[v] > budget) {
      list_vertex(v);
    }
  });
  take_listed();
}

template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION bool TeamGraph<Exec, Degree>::mark_taken(std::uint32_t v) const {
  if constexpr (single_thread) {
    bool const is_new = degrees[v] != taken;
    degrees[v] = taken;
    return is_new;
  } else {
    std::uint32_t const old =
        Kokkos::atomic_fetch_or(&word_around(v), std::uint32_t{taken} << shift_of(v));
    return static_cast<Degree>(old >> shift_of(v)) != taken;
  }
}

template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION void TeamGraph<Exec, Degree>::decrement_degree(std::uint32_t v) const {
  Degree now;
  if constexpr (single_thread) {
    now = --degrees[v];
  } else {
    std::uint32_t const old = Kokkos::atomic_fetch_sub(&word_around(v), 1u << shift_of(v));
    now = static_cast<Degree>(static_cast<Degree>(old >> shift_of(v)) - 1);
  }
  list_candidate(v, now);
}

/// Whether recount() is faster than to read the rows of `count` taken vertices. In the time in
/// which a thread of a GPU reads one row, waiting for memory twice, the team counts two words of
/// all rows, one lane per row.
template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION bool TeamGraph<Exec, Degree>::should_recount(std::uint32_t count) const {
  std::uint32_t const words = (workspace.high - workspace.low) / 32;
  if constexpr (single_thread) {
    return std::uint64_t{count} * rows.entries.extent(0) >
           std::uint64_t{workspace.high - workspace.low} * words * rows.bits.extent(0);
  } else {
    return count > words / 2;
  }
}

/// Recomputes the degrees of all live vertices. Cost: independent of the number of taken vertices.
template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION void TeamGraph<Exec, Degree>::recount() const {
  mark_live();
  each(workspace.low, workspace.high, [&](std::uint32_t v) {
    Degree const before = degrees[v];
    if (!is_live(before)) {
      return;
    }
    int sum = 0;
    along_bits(v, [&](std::uint32_t i, std::uint32_t neighbours) {
      sum += Kokkos::Experimental::popcount_builtin(neighbours & marks[i]);
    });
    auto const now = static_cast<Degree>(sum);
    if (now != before) {
      degrees[v] = now;
      list_candidate(v, now);
    }
  });
}

/// Makes a vertex that has lost an edge a candidate, if its new degree is 1 or 2.
template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION void TeamGraph<Exec, Degree>::list_candidate(std::uint32_t v,
                                                                    std::uint32_t degree) const {
  if (degree == 1 || degree == 2) {
    std::uint32_t const slot = add(workspace.candidate_count, 1);
    if (slot < candidate_capacity) {
      candidate_list[slot] = v;
    }
  }
}

/// Applies the degree-one rule and the degree-two triangle rule to the candidates until none is
/// left.
///
/// Both rules take the neighbours of a vertex whose neighbours are all adjacent to each other. The
/// team reduces many such vertices at once. Of several in one clique it reduces only the first, so
/// that no two are adjacent.
/// Equivalent to: reducing one vertex after another. A vertex that one reduction takes is never
///   reduced by another. It is at most a neighbour that the other reduction takes too.
template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION void TeamGraph<Exec, Degree>::reduce_candidates() const {
  for (;;) {
    std::uint32_t const count = workspace.candidate_count;
    barrier();
    if (count == 0) {
      return;
    }
    leader([&]() { workspace.candidate_count = 0; });
    bool const listed = count <= candidate_capacity;
    std::uint32_t const begin = listed ? 0 : workspace.low;
    std::uint32_t const end = listed ? count : workspace.high;
    auto const vertex = [&](std::uint32_t i) { return listed ? candidate_list[i] : i; };
    if (rows.has_bits()) {
      mark_live();
      each(begin, end, [&](std::uint32_t i) {
        std::uint32_t const v = vertex(i);
        if (may_apply(v)) {
          LiveNeighbours const ends = live_neighbours_by_bits(v);
          if (applies(v, ends)) {
            list_ends(ends);
          }
        }
      });
    } else {
      each_by_thread(begin, end, [&](std::uint32_t i) {
        std::uint32_t const v = vertex(i);
        if (may_apply(v)) {
          LiveNeighbours const ends = live_neighbours(v);
          if (applies(v, ends)) {
            Kokkos::single(Kokkos::PerThread(team), [&]() { list_ends(ends); });
          }
        }
      });
    }
    if (!listed && workspace.take_count > take_capacity) {  // some did not fit
      make_all_candidates();
    }
    take_listed();
  }
}

/// The live neighbours of a vertex of degree 1 or 2. Called by the vector lanes of a thread.
template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION typename TeamGraph<Exec, Degree>::LiveNeighbours
TeamGraph<Exec, Degree>::live_neighbours(std::uint32_t v) const {
  using Ends = Kokkos::MinMax<std::uint32_t>;
  typename Ends::value_type ends;
  Kokkos::parallel_reduce(
      Kokkos::ThreadVectorRange(team, row_begin(v), row_end(v)),
      [&](std::uint32_t e, typename Ends::value_type& so_far) {
        std::uint32_t const w = rows.entries(e);
        if (is_live_here(w)) {
          so_far.min_val = Kokkos::min(so_far.min_val, w);
          so_far.max_val = Kokkos::max(so_far.max_val, w);
        }
      },
      Ends(ends));
  return {ends.min_val, ends.max_val};
}

/// The same for rows of bits. Called by one lane. Requires: mark_live().
template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION typename TeamGraph<Exec, Degree>::LiveNeighbours
TeamGraph<Exec, Degree>::live_neighbours_by_bits(std::uint32_t v) const {
  LiveNeighbours ends{nothing, 0};
  along_bits(v, [&](std::uint32_t i, std::uint32_t neighbours) {
    std::uint32_t const live = neighbours & marks[i];
    if (live != 0) {
      auto const below =
          static_cast<std::uint32_t>(Kokkos::Experimental::countr_zero_builtin(live));
      auto const above =
          static_cast<std::uint32_t>(Kokkos::Experimental::countl_zero_builtin(live));
      ends.first = Kokkos::min(ends.first, i * 32 + below);
      ends.last = i * 32 + 31 - above;
    }
  });
  return ends;
}

template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION bool TeamGraph<Exec, Degree>::adjacent(std::uint32_t u,
                                                              std::uint32_t w) const {
  if (rows.has_bits()) {
    return (bit_row(u).word(w / 32) >> w % 32 & 1) != 0;
  }
  std::uint32_t begin = row_begin(u);
  std::uint32_t end = row_end(u);
  while (begin < end) {
    std::uint32_t const middle = begin + (end - begin) / 2;
    if (rows.entries(middle) < w) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin < row_end(u) && rows.entries(begin) == w;
}

/// Whether the neighbour u is reduced instead of v: its neighbourhood is the same clique, and its
/// number is lower.
template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION bool TeamGraph<Exec, Degree>::precedes(std::uint32_t u,
                                                              std::uint32_t v) const {
  return degrees[u] == degrees[v] && u < v;
}

template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION bool TeamGraph<Exec, Degree>::may_apply(std::uint32_t v) const {
  return degrees[v] == 1 || degrees[v] == 2;
}

/// Whether a rule applies to v, a vertex of degree 1 or 2 with the live neighbours `ends`.
template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION bool TeamGraph<Exec, Degree>::applies(std::uint32_t v,
                                                             LiveNeighbours const& ends) const {
  return !precedes(ends.first, v) && !precedes(ends.last, v) &&
         (ends.first == ends.last || adjacent(ends.first, ends.last));
}

template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION void TeamGraph<Exec, Degree>::list_ends(LiveNeighbours const& ends) const {
  list_vertex(ends.first);
  if (ends.first != ends.last) {
    list_vertex(ends.last);
  }
}

}  // namespace taper::vertex_cover::component_search
