// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/paper/board.hpp>
#include <taper/vertex_cover/paper/small_graph.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::vertex_cover::paper {

/// Writes the graph of the vertices that are marked as visited, whole components all, as a small
/// one. Its vertices are `takes[0]` and so on, in the order that they have here.
template <ExecutionSpace Exec, class Degree>
template <unsigned Words>
KOKKOS_INLINE_FUNCTION void Board<Exec, Degree>::extract(SmallGraph<Words>& small,
                                                         std::uint32_t live) const {
  std::uint32_t const first = desk.low / 32;
  std::uint32_t const end = (desk.high + 31) / 32;
  std::uint32_t* const before = pending;  // visited vertices before a word
  leader([&]() {
    std::uint32_t sum = 0;
    for (std::uint32_t i = first; i < end; ++i) {
      before[i] = sum;
      sum += static_cast<std::uint32_t>(Kokkos::Experimental::popcount_builtin(visited[i]));
    }
  });
  each(first, end, [&](std::uint32_t i) {
    std::uint32_t at = before[i];
    for (std::uint32_t bits = visited[i]; bits != 0; bits &= bits - 1) {
      takes[at++] =
          i * 32 + static_cast<std::uint32_t>(Kokkos::Experimental::countr_zero_builtin(bits));
    }
  });
  each(0, live, [&](std::uint32_t i) { small.rows[i] = VertexSet<Words>::none(); });
  each_by_thread(0, live, [&](std::uint32_t i) {
    along_row(takes[i], [&](std::uint32_t w) {
      if (is_live_here(w)) {
        std::uint32_t const below = visited[w / 32] & ((1u << w % 32) - 1);
        std::uint32_t const j = before[w / 32] + static_cast<std::uint32_t>(
                                                     Kokkos::Experimental::popcount_builtin(below));
        insert(small.rows[i].word[j / 64], j % 64);
      }
    });
  });
}

/// Decides the vertices of a small graph as its cover does.
template <ExecutionSpace Exec, class Degree>
template <unsigned Words>
KOKKOS_INLINE_FUNCTION void Board<Exec, Degree>::take_cover(SmallGraph<Words> const& small,
                                                            std::uint32_t live) const {
  each(0, live,
       [&](std::uint32_t i) { degrees[takes[i]] = small.cover.has(i) ? gone : Degree{0}; });
  leader([&]() { desk.node.cover += small.size; });
}

}  // namespace taper::vertex_cover::paper
