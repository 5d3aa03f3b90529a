// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/paper/vertex_set.hpp>

#include <Kokkos_Core.hpp>

#include <bit>
#include <cstdint>

namespace taper::vertex_cover::paper {

/// A graph of at most VertexSet::room vertices, and what its search needs beside registers.
template <unsigned Words>
struct SmallGraph {
  using Set = VertexSet<Words>;
  static constexpr std::uint32_t room = Set::room;

  /// A node whose second branch, with the vertex, is still to be visited.
  struct Branch {
    Set live;
    std::uint32_t vertex;
    std::uint32_t cover;
  };
  /// A component, while one of the parts that it fell into is solved on its own.
  struct Parted {
    Set own;         ///< its vertices
    Set best_cover;  ///< see SmallSearch
    Set unseen;      ///< live vertices whose part has not been looked for
    Set largest;     ///< of the parts found so far; solved at last
    std::uint32_t cover;
    std::uint32_t best;
    std::uint32_t branches;
    std::uint32_t parts;
  };
  // A branch waits only while the other one, without the vertex and its neighbours, at least two, is
  // visited.
  static constexpr std::uint32_t branches_room = room / 3 + 1;
  // The largest part is solved at last, so that one in which others are nested has at most half of
  // what fell apart, and falls apart without a vertex at least; what the rules leave of less than
  // eight vertices does not. 128, 63, 30, 14.
  static constexpr std::uint32_t parted_room = std::bit_width(room) - 4;

  Set rows[room];  ///< who is adjacent to whom
  Branch branches[branches_room];
  Parted parted[parted_room];
  // What a search has found.
  Set cover;           ///< empty: no cover that is small enough
  std::uint32_t size;  ///< of the cover
  std::uint32_t nodes;
  std::uint32_t splits;
};

/// What others wish of who searches a small graph.
enum class Wish : std::uint32_t {
  none,
  share,   ///< the oldest branch
  leave,   ///< all that is left
  give_up  ///< what has been done is lost
};

}  // namespace taper::vertex_cover::paper
