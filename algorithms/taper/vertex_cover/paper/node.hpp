// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/polling.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace taper::vertex_cover::paper {

/// How many work together at one node.
template <ExecutionSpace Exec>
struct SearchTeam {
  /// A host's core has a team for itself, and needs neither barriers nor atomics within it.
  static constexpr bool alone = !is_gpu<Exec>;

  int threads;  ///< a team
  int lanes;    ///< vector lanes a thread

  /// A thread walks along a row of the graph at a time, with as many lanes as rows are long.
  static SearchTeam of(std::uint64_t vertices, std::uint64_t degree) {
    if constexpr (alone) {
      return {1, 1};
    } else {
      int const all = vertices <= 2048 ? 32 : vertices <= 8192 ? 64 : 128;
      auto const lanes = static_cast<int>(std::clamp<std::uint64_t>(std::bit_ceil(degree), 4, 32));
      return {all / lanes, lanes};
    }
  }
};

/// The graph that is searched: rows sorted, and entries counted from the first vertex of their root
/// component, `base`, so that a component's arrays start at 0.
template <class MemorySpace>
struct Rows {
  Kokkos::View<std::uint32_t const*, MemorySpace> offsets;
  Kokkos::View<std::uint32_t const*, MemorySpace> entries;
  bool long_rows;  ///< on average
  /// The same rows as bits, words of 32 vertices counted from base, where that makes them no longer; else
  /// empty. Side by side are, on a GPU, the same words of neighbouring rows.
  Kokkos::View<std::uint32_t const**, MemorySpace> bits;

  KOKKOS_FUNCTION bool has_bits() const { return bits.extent(0) != 0; }
};

/// A row of bits.
struct BitRow {
  std::uint32_t const* at;
  std::size_t stride;

  /// The neighbours among the vertices 32 * i and so on.
  KOKKOS_FUNCTION std::uint32_t word(std::uint32_t i) const { return at[i * stride]; }
};

/// What a team does next to the graph that it has loaded.
enum class Action : std::uint32_t {
  none,             ///< its reductions are done
  examine,          ///< nothing is known about it: every vertex may be reducible
  take_vertex,      ///< the branch with the vertex in the cover
  take_neighbours,  ///< the branch with its neighbours in the cover
};

/// What a search node is, beside its degrees.
struct NodeHead {
  std::uint32_t entry;  ///< the component that it is a node of
  std::uint32_t cover;  ///< vertices of that component taken so far
  std::uint32_t base;   ///< first vertex of the root component
  std::uint32_t first;  ///< its vertices are first .. end-1, multiples of 32, counted from base
  std::uint32_t end;
  Action action;
  std::uint32_t vertex;     ///< of the action
  std::uint32_t connected;  ///< 1: it is known to be connected
};
static_assert(sizeof(NodeHead) == 32);

/// What the lanes of a team tell each other.
struct Desk {
  NodeHead node;
  std::uint32_t low;  ///< all live vertices are low .. high-1
  std::uint32_t high;
  std::uint32_t takes;       ///< vertices listed to be taken
  std::uint32_t candidates;  ///< vertices listed whose degree has come down to 2 or 1
  std::uint32_t reached;     ///< vertices that a search from one of them has reached
  std::uint32_t again;
  std::uint32_t told;  ///< a value that the leader tells the others
  std::uint32_t row;   ///< the team's own row of the registry's covers
};

}  // namespace taper::vertex_cover::paper
