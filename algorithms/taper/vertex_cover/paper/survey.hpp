// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/polling.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::vertex_cover::paper {

/// What one look at all degrees tells.
struct Survey {
  std::uint64_t top;      ///< the greatest degree, and under it the complement of its first vertex
  std::uint64_t degrees;  ///< their sum: twice the edges
  std::uint32_t live;     ///< vertices that have an edge
  std::uint32_t low;      ///< the first of them
  std::uint32_t high;     ///< behind the last

  KOKKOS_FUNCTION std::uint32_t top_degree() const { return static_cast<std::uint32_t>(top >> 32); }
  KOKKOS_FUNCTION std::uint32_t top_vertex() const { return ~static_cast<std::uint32_t>(top); }
  /// Connected graphs alone: a clique.
  KOKKOS_FUNCTION bool is_clique() const { return degrees == std::uint64_t{live} * (live - 1); }
  /// Connected graphs with degrees of 2 and more alone: a chordless cycle.
  KOKKOS_FUNCTION bool is_cycle() const { return degrees == std::uint64_t{live} * 2; }
};

/// Joins surveys of parts of a graph.
struct JoinSurveys {
  using reducer = JoinSurveys;
  using value_type = Survey;
  using result_view_type =
      Kokkos::View<Survey, Kokkos::AnonymousSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  Survey& result;

  KOKKOS_FUNCTION void join(Survey& into, Survey const& other) const {
    into.top = Kokkos::max(into.top, other.top);
    into.degrees += other.degrees;
    into.live += other.live;
    into.low = Kokkos::min(into.low, other.low);
    into.high = Kokkos::max(into.high, other.high);
  }
  KOKKOS_FUNCTION void init(Survey& value) const { value = {0, 0, 0, nothing, 0}; }
  KOKKOS_FUNCTION Survey& reference() const { return result; }
  KOKKOS_FUNCTION result_view_type view() const { return result_view_type(&result); }
  KOKKOS_FUNCTION bool references_scalar() const { return true; }
};

}  // namespace taper::vertex_cover::paper
