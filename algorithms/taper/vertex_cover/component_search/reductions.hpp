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
    bool const listed = count <= candidates_room;
    std::uint32_t const begin = listed ? 0 : desk.low;
    std::uint32_t const end = listed ? count : desk.high;
    auto const vertex = [&](std::uint32_t i) { return listed ? candidates[i] : i; };
    if (graph.has_bits()) {
      write_live();
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
    if (!listed && desk.takes > takes_room) {  // some were not taken: look again
      examine_all();
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

/// By one lane. Requires that the live are marked as pending.
template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION typename Board<Exec, Degree>::LiveNeighbours
Board<Exec, Degree>::live_neighbours_by_bits(std::uint32_t v) const {
  LiveNeighbours ends{nothing, 0};
  along_bits(v, [&](std::uint32_t i, std::uint32_t beside) {
    std::uint32_t const live = beside & pending[i];
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
KOKKOS_INLINE_FUNCTION bool Board<Exec, Degree>::adjacent(std::uint32_t u, std::uint32_t w) const {
  if (graph.has_bits()) {
    return (bit_row(u).word(w / 32) >> w % 32 & 1) != 0;
  }
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
KOKKOS_INLINE_FUNCTION bool Board<Exec, Degree>::may_apply(std::uint32_t v) const {
  return degrees[v] == 1 || degrees[v] == 2;
}

/// To a vertex of degree 1 or 2.
template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION bool Board<Exec, Degree>::applies(std::uint32_t v,
                                                         LiveNeighbours const& ends) const {
  return !goes_before(ends.first, v) && !goes_before(ends.last, v) &&
         (ends.first == ends.last || adjacent(ends.first, ends.last));
}

template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION void Board<Exec, Degree>::list_ends(LiveNeighbours const& ends) const {
  list_take(ends.first);
  if (ends.first != ends.last) {
    list_take(ends.last);
  }
}

}  // namespace taper::vertex_cover::paper
