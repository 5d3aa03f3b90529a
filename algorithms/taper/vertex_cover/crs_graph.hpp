// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/place.hpp>
#include <taper/vertex_cover/graph.hpp>
#include <taper/vertex_cover/vertex_cover.hpp>

#include <Kokkos_Core.hpp>

// Graphs of Kokkos Kernels, and all others with the same members, at the front door.

namespace taper::vertex_cover {

/// A graph in CRS format with the members of KokkosSparse::StaticCrsGraph: the neighbours of vertex
/// v are entries(row_map(v)) up to, not including, entries(row_map(v + 1)).
///
/// Kokkos::StaticCrsGraph, which Kokkos had up to version 4, has them too.
template <class G>
concept CrsGraph =
    Kokkos::is_view_v<decltype(G::row_map)> && Kokkos::is_view_v<decltype(G::entries)>;

/// The same graph as a Graph, which find_fault(), solve() and the functions of verify.hpp take.
///
/// Cost: none. The Views are shared, not copied.
template <CrsGraph G>
auto graph_of(G const& crs) {
  return Graph{typename decltype(G::row_map)::const_type(crs.row_map),
               typename decltype(G::entries)::const_type(crs.entries)};
}

/// Computes a minimum vertex cover of a CRS graph: see solve() of a Graph.
///
/// Equivalent to: solve(place, graph_of(crs), in_cover, options).
/// Requires: each edge in the rows of both ends, no loops, no duplicates. A sparse matrix may lack
///   all three; find_fault(where, graph_of(crs)) checks them.
template <Place P, CrsGraph G, class Cover>
Report solve(P const& place, G const& crs, Cover const& in_cover, Options const& options = {}) {
  return solve(place, graph_of(crs), in_cover, options);
}

}  // namespace taper::vertex_cover
