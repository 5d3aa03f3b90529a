// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/host_graph.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace taper::clique {

/// A degeneracy order: each vertex has the least degree among itself and the vertices after it.
struct CoreOrder {
  std::vector<vertex_cover::Vertex> order;     ///< vertices by position
  std::vector<vertex_cover::Vertex> position;  ///< by vertex
  std::uint32_t degeneracy = 0;                ///< the most neighbours after a vertex
};

/// Computes a degeneracy order of the vertices below n.
///
/// `for_each_neighbour(v, visit)`: calls visit(u) for each neighbour u of v.
/// `stop(work)`: called after each vertex, with the work since the last call in row entries. If it
///   returns true, the other vertices keep an arbitrary order, and `degeneracy` is only that of the
///   vertices before.
/// Source: Matula and Beck, "Smallest-last ordering and clustering and graph coloring algorithms",
///   1983; with the buckets of Batagelj and Zaversnik, 2003.
/// Cost: linear in vertices and edges; 20 bytes per vertex.
template <class ForEachNeighbour, class Stop>
CoreOrder core_order(vertex_cover::Vertex n, ForEachNeighbour const& for_each_neighbour,
                     Stop const& stop) {
  using vertex_cover::Vertex;
  std::vector<Vertex> degree(n, 0);
  for (Vertex v = 0; v < n; ++v) {
    for_each_neighbour(v, [&](Vertex) { ++degree[v]; });
  }
  // Vertices sorted by degree; bin[d] is the first position of degree d.
  std::vector<Vertex> bin(std::size_t{n} + 2, 0);
  for (Vertex v = 0; v < n; ++v) {
    ++bin[degree[v] + 1];
  }
  for (std::size_t d = 1; d < bin.size(); ++d) {
    bin[d] += bin[d - 1];
  }
  CoreOrder result;
  auto& order = result.order;
  order.resize(n);
  auto& position = result.position;
  position.resize(n);
  {
    std::vector<Vertex> next(bin);
    for (Vertex v = 0; v < n; ++v) {
      position[v] = next[degree[v]]++;
      order[position[v]] = v;
    }
  }
  for (Vertex i = 0; i < n; ++i) {
    Vertex const v = order[i];
    result.degeneracy = std::max(result.degeneracy, degree[v]);
    for_each_neighbour(v, [&](Vertex u) {
      // A vertex of the same degree needs no move: only its place among equals would change.
      if (position[u] <= i || degree[u] <= degree[v]) {
        return;
      }
      Vertex const first = bin[degree[u]];
      Vertex const other = order[first];
      std::swap(order[first], order[position[u]]);
      std::swap(position[other], position[u]);
      bin[degree[u]] = first + 1;
      --degree[u];
    });
    if (stop(std::uint64_t{degree[v]} + 1)) {
      break;
    }
  }
  return result;
}

/// The same without a stop.
template <class ForEachNeighbour>
CoreOrder core_order(vertex_cover::Vertex n, ForEachNeighbour const& for_each_neighbour) {
  return core_order(n, for_each_neighbour, [](std::uint64_t) { return false; });
}

/// The same for a graph in host memory.
template <class Stop>
CoreOrder core_order(vertex_cover::HostGraph const& graph, Stop const& stop) {
  return core_order(
      static_cast<vertex_cover::Vertex>(graph.vertices()),
      [&](vertex_cover::Vertex v, auto const& visit) {
        for (vertex_cover::Vertex const u : graph.neighbours(v)) {
          visit(u);
        }
      },
      stop);
}

inline CoreOrder core_order(vertex_cover::HostGraph const& graph) {
  return core_order(graph, [](std::uint64_t) { return false; });
}

/// A directed graph: each row has the neighbours that come after the vertex in a degeneracy order,
/// at most `degeneracy` of them. Vertices for which keep(v) is false are left out: they have no
/// neighbours, and are neighbours of none.
template <class Keep>
vertex_cover::HostGraph later_neighbours(vertex_cover::HostGraph const& graph,
                                         CoreOrder const& cores, Keep const& keep) {
  using vertex_cover::Vertex;
  vertex_cover::HostGraph later;
  later.offsets.reserve(graph.offsets.size());
  later.entries.reserve(graph.edges());
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    if (keep(v)) {
      for (Vertex const u : graph.neighbours(v)) {
        if (cores.position[u] > cores.position[v] && keep(u)) {
          later.entries.push_back(u);
        }
      }
    }
    later.offsets.push_back(later.entries.size());
  }
  return later;
}

}  // namespace taper::clique
