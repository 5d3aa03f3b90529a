// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/paper/small_searcher.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::vertex_cover::paper {

template <ExecutionSpace Exec, unsigned Words>
KOKKOS_INLINE_FUNCTION void SmallSearch<Exec, Words>::take(Set const& vertices) {
  taken_ |= vertices;
  live_ -= vertices;
  cover_ += vertices.size();
  Set const around = beside(vertices);
  touched_ |= around;
  shaken_ |= around;
}

/// The reductions at a node, to their fixpoint, and the stopping conditions.
template <ExecutionSpace Exec, unsigned Words>
KOKKOS_INLINE_FUNCTION typename SmallSearch<Exec, Words>::Verdict
SmallSearch<Exec, Words>::reduce(Survey& survey) {
  for (;;) {
    reduce_touched();
    if (cover_ >= best_) {
      return Verdict::hopeless;
    }
    survey = look();
    if (survey.degrees == 0) {
      return Verdict::covered;
    }
    std::uint32_t const budget = best_ - cover_ - 1;
    if (survey.degrees / 2 > budget * survey.top_degree()) {
      return Verdict::hopeless;
    }
    if (survey.top_degree() <= budget) {
      return Verdict::open;
    }
    take(those_of(live_, [&](std::uint32_t v) { return neighbours(v).size() > budget; }));
  }
}

/// The degree-one and the degree-two triangle rule, until they apply no more, or the cover is too
/// large anyhow. To vertices that have lost no edge they did not apply before.
template <ExecutionSpace Exec, unsigned Words>
KOKKOS_INLINE_FUNCTION void SmallSearch<Exec, Words>::reduce_touched() {
  while (cover_ < best_) {
    Set const simple =
        those_of(touched_ & live_, [&](std::uint32_t v) { return neighbours(v).size() - 1 < 2; });
    touched_ = Set::none();
    Set const around = simple.empty() ? simple : around_simple(simple);
    if (around.empty()) {
      return;
    }
    take(around);
  }
}

/// Drops vertices without edges.
template <ExecutionSpace Exec, unsigned Words>
KOKKOS_INLINE_FUNCTION typename SmallSearch<Exec, Words>::Survey SmallSearch<Exec, Words>::look() {
  std::uint32_t top = 0;
  std::uint32_t degrees = 0;
  live_ = those_of(live_, [&](std::uint32_t v) {
    std::uint32_t const degree = neighbours(v).size();
    if (degree != 0) {
      top = Kokkos::max(top, degree << 8 | (~v & 0xFF));
    }
    degrees += degree;
    return degree != 0;
  });
  return {Warp::max_of(top), Warp::sum_of(degrees)};
}

/// Whom the two rules take for all of these to which they apply; see Board::reduce_candidates().
template <ExecutionSpace Exec, unsigned Words>
KOKKOS_INLINE_FUNCTION typename SmallSearch<Exec, Words>::Set
SmallSearch<Exec, Words>::around_simple(Set const& simple) const {
  Set around = Set::none();
  if (simple.empty()) {
    return around;
  }
  each_of(simple, [&](std::uint32_t v) {
    Set const beside = neighbours(v);
    std::uint32_t const u = beside.first();
    std::uint32_t const w = beside.last();
    std::uint32_t const degree = u == w ? 1 : 2;
    auto const goes_before = [&](std::uint32_t x) {
      return x < v && simple.has(x) && neighbours(x).size() == degree;
    };
    if ((degree == 1 || graph_.rows[u].has(w)) && !goes_before(u) && !goes_before(w)) {
      around |= beside;
    }
  });
  return together(around);
}

}  // namespace taper::vertex_cover::paper
