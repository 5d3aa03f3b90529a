// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/paper/board.hpp>
#include <taper/vertex_cover/paper/small_graph.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::vertex_cover::paper {

/// Joins sets that lanes have found.
template <unsigned Words>
struct JoinSets {
  using reducer = JoinSets;
  using value_type = VertexSet<Words>;
  using result_view_type =
      Kokkos::View<value_type, Kokkos::AnonymousSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  value_type& result;

  KOKKOS_FUNCTION void join(value_type& into, value_type const& other) const { into |= other; }
  KOKKOS_FUNCTION void init(value_type& value) const { value = value_type::none(); }
  KOKKOS_FUNCTION value_type& reference() const { return result; }
  KOKKOS_FUNCTION result_view_type view() const { return result_view_type(&result); }
  KOKKOS_FUNCTION bool references_scalar() const { return true; }
};

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
  if (graph.has_bits()) {
    extract_bits(small, live);
  } else {
    extract_entries(small, live);
  }
}

/// A vertex's number in the small graph.
template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION std::uint32_t Board<Exec, Degree>::rank(std::uint32_t v) const {
  std::uint32_t const below = visited[v / 32] & ((1u << v % 32) - 1);
  return pending[v / 32] +
         static_cast<std::uint32_t>(Kokkos::Experimental::popcount_builtin(below));
}

/// A lane a row.
template <ExecutionSpace Exec, class Degree>
template <unsigned Words>
KOKKOS_INLINE_FUNCTION void Board<Exec, Degree>::extract_bits(SmallGraph<Words>& small,
                                                              std::uint32_t live) const {
  each(0, live, [&](std::uint32_t i) {
    auto row = VertexSet<Words>::none();
    along_bits(takes[i], [&](std::uint32_t w, std::uint32_t beside) {
      for (std::uint32_t bits = beside & visited[w]; bits != 0; bits &= bits - 1) {
        row.insert(rank(
            w * 32 + static_cast<std::uint32_t>(Kokkos::Experimental::countr_zero_builtin(bits))));
      }
    });
    small.rows[i] = row;
  });
}

/// The lanes of a thread a row, each for itself, and then all of them together.
template <ExecutionSpace Exec, class Degree>
template <unsigned Words>
KOKKOS_INLINE_FUNCTION void Board<Exec, Degree>::extract_entries(SmallGraph<Words>& small,
                                                                 std::uint32_t live) const {
  each_by_thread(0, live, [&](std::uint32_t i) {
    auto row = VertexSet<Words>::none();
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, row_begin(takes[i]), row_end(takes[i])),
        [&](std::uint32_t e, VertexSet<Words>& sum) {
          std::uint32_t const w = graph.entries(e);
          if (is_live_here(w)) {
            sum.insert(rank(w));
          }
        },
        JoinSets<Words>{row});
    Kokkos::single(Kokkos::PerThread(team), [&]() { small.rows[i] = row; });
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
