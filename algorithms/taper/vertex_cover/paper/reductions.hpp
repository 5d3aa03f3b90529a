// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/paper/board.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::vertex_cover::paper {

/// Applies the degree-one and the degree-two triangle rule to candidates until there are none.
///
/// Both take the neighbours of a vertex whose neighbours are all adjacent to each other. Many such
/// vertices are reduced at once; of several in one clique only the first, so that no two of them
/// are adjacent. Then reducing one after the other would take the same: what one takes is no
/// other's vertex, and takes away at most neighbours that the other would take as well.
template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION void Board<Exec, Degree>::reduce_candidates() const {
  for (;;) {
    std::uint32_t const count = desk.candidates;
    barrier();
    if (count == 0) {
      return;
    }
    leader([&]() { desk.candidates = 0; });
    if (count <= candidates_room) {
      each_by_thread(0, count, [&](std::uint32_t i) { reduce_at(candidates[i]); });
    } else {
      each_by_thread(desk.low, desk.high, [&](std::uint32_t v) { reduce_at(v); });
      if (desk.takes > takes_room) {  // some were not taken: look again
        examine_all();
      }
    }
    take_listed();
  }
}

/// Of a vertex with one or two of them; by the vector lanes of a thread.
template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION typename Board<Exec, Degree>::LiveNeighbours
Board<Exec, Degree>::live_neighbours(std::uint32_t v) const {
  using Ends = Kokkos::MinMax<std::uint32_t>;
  typename Ends::value_type ends;
  Kokkos::parallel_reduce(
      Kokkos::ThreadVectorRange(team, row_begin(v), row_end(v)),
      [&](std::uint32_t e, typename Ends::value_type& so_far) {
        std::uint32_t const w = graph.entries(e);
        if (is_live_here(w)) {
          so_far.min_val = Kokkos::min(so_far.min_val, w);
          so_far.max_val = Kokkos::max(so_far.max_val, w);
        }
      },
      Ends(ends));
  return {ends.min_val, ends.max_val};
}

template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION bool Board<Exec, Degree>::adjacent(std::uint32_t u, std::uint32_t w) const {
  std::uint32_t begin = row_begin(u);
  std::uint32_t end = row_end(u);
  while (begin < end) {
    std::uint32_t const middle = begin + (end - begin) / 2;
    if (graph.entries(middle) < w) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin < row_end(u) && graph.entries(begin) == w;
}

/// Whether `u` is a vertex of v's clique that is reduced instead of v: its whole neighbourhood is
/// that clique too, and it comes first.
template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION bool Board<Exec, Degree>::goes_before(std::uint32_t u,
                                                             std::uint32_t v) const {
  return degrees[u] == degrees[v] && u < v;
}

template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION void Board<Exec, Degree>::reduce_at(std::uint32_t v) const {
  Degree const degree = degrees[v];
  if (degree != 1 && degree != 2) {
    return;
  }
  auto const [u, w] = live_neighbours(v);
  bool const applies = !goes_before(u, v) && !goes_before(w, v) && (degree == 1 || adjacent(u, w));
  if (applies) {
    Kokkos::single(Kokkos::PerThread(team), [&]() {
      list_take(u);
      if (degree == 2) {
        list_take(w);
      }
    });
  }
}

}  // namespace taper::vertex_cover::paper
