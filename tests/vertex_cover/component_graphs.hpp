// SPDX-License-Identifier: Apache-2.0
#pragma once

// Graphs of any size, and oracles for them.

#include <taper/vertex_cover/host_graph.hpp>

#include <vertex_cover/covers.hpp>

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace taper::testing {

using vertex_cover::Edge;
using vertex_cover::HostGraph;
using vertex_cover::Vertex;

inline HostGraph graph_of(std::size_t n, std::vector<Edge> const& edges) {
  return vertex_cover::make_graph(n, edges).graph;
}

inline HostGraph gnp_graph(std::size_t n, double density, std::mt19937_64& random) {
  std::bernoulli_distribution is_edge(density);
  std::vector<Edge> edges;
  for (Vertex v = 0; v < n; ++v) {
    for (Vertex u = 0; u < v; ++u) {
      if (is_edge(random)) {
        edges.emplace_back(u, v);
      }
    }
  }
  return graph_of(n, edges);
}

/// Almost every vertex has `degree` neighbours.
inline HostGraph nearly_regular_graph(std::size_t n, std::size_t degree, std::mt19937_64& random) {
  std::vector<Vertex> ends;
  for (Vertex v = 0; v < n; ++v) {
    ends.insert(ends.end(), degree, v);
  }
  std::shuffle(ends.begin(), ends.end(), random);
  std::vector<Edge> edges;
  for (std::size_t i = 0; i + 1 < ends.size(); i += 2) {
    if (ends[i] != ends[i + 1]) {
      edges.emplace_back(ends[i], ends[i + 1]);
    }
  }
  return graph_of(n, edges);
}

/// A graph that splits again and again. Depth 0: a ring of `ring` vertices with chords. Else: a hub
/// that is adjacent to all vertices of `parts` graphs of depth - 1. The hub has the greatest
/// degree, and without it the graph is disconnected. `next`, in and out: the next vertex number.
inline std::vector<Edge> nested_edges(unsigned depth, std::size_t parts, std::size_t ring,
                                      Vertex& next, std::mt19937_64& random) {
  std::vector<Edge> edges;
  Vertex const first = next;
  if (depth == 0) {
    for (Vertex i = 0; i < ring; ++i) {
      edges.emplace_back(first + i, first + (i + 1) % ring);
    }
    for (std::size_t i = 0; i < ring / 2; ++i) {
      auto const u = static_cast<Vertex>(random() % ring);
      auto const v = static_cast<Vertex>(random() % ring);
      if (u != v) {
        edges.emplace_back(first + u, first + v);
      }
    }
    next += static_cast<Vertex>(ring);
    return edges;
  }
  ++next;
  for (std::size_t i = 0; i < parts; ++i) {
    auto const part = nested_edges(depth - 1, parts, ring, next, random);
    edges.insert(edges.end(), part.begin(), part.end());
  }
  for (Vertex v = first + 1; v < next; ++v) {
    edges.emplace_back(first, v);
  }
  return edges;
}
inline HostGraph nested_graph(unsigned depth, std::size_t parts, std::size_t ring,
                              std::mt19937_64& random) {
  Vertex n = 0;
  auto const edges = nested_edges(depth, parts, ring, n, random);
  return graph_of(n, edges);
}

/// Appends the edges of a graph, its vertices numbered from `next`.
inline void append(std::vector<Edge>& edges, HostGraph const& part, Vertex& next) {
  for (Vertex v = 0; v < part.vertices(); ++v) {
    for (Vertex const w : part.neighbours(v)) {
      edges.emplace_back(next + v, next + w);
    }
  }
  next += static_cast<Vertex>(part.vertices());
}

/// The parts beside each other, numbered in their order.
inline HostGraph side_by_side(std::vector<HostGraph> const& parts) {
  std::vector<Edge> edges;
  Vertex n = 0;
  for (auto const& part : parts) {
    append(edges, part, n);
  }
  return graph_of(n, edges);
}

/// The graph and one more vertex, the last, which is adjacent to all others.
inline HostGraph with_hub(HostGraph const& graph) {
  std::vector<Edge> edges;
  Vertex hub = 0;
  append(edges, graph, hub);
  for (Vertex v = 0; v < hub; ++v) {
    edges.emplace_back(v, hub);
  }
  return graph_of(hub + 1, edges);
}

/// `left` vertices, each adjacent to the `right` ones that follow them.
inline HostGraph complete_bipartite_graph(Vertex left, Vertex right) {
  std::vector<Edge> edges;
  for (Vertex u = 0; u < left; ++u) {
    for (Vertex v = left; v < left + right; ++v) {
      edges.emplace_back(u, v);
    }
  }
  return graph_of(left + right, edges);
}

inline HostGraph ring_graph(Vertex n) {
  std::vector<Edge> edges;
  for (Vertex v = 0; v < n; ++v) {
    edges.emplace_back(v, (v + 1) % n);
  }
  return graph_of(n, edges);
}

inline HostGraph complete_graph(Vertex n) {
  std::vector<Edge> edges;
  for (Vertex v = 0; v < n; ++v) {
    for (Vertex u = 0; u < v; ++u) {
      edges.emplace_back(u, v);
    }
  }
  return graph_of(n, edges);
}

inline HostGraph petersen_graph() {
  std::vector<Edge> edges;
  for (Vertex v = 0; v < 5; ++v) {
    edges.insert(edges.end(), {{v, (v + 1) % 5}, {v, 5 + v}, {5 + v, 5 + (v + 2) % 5}});
  }
  return graph_of(10, edges);
}

/// A chain of `parts` graphs. Between two successive parts, one vertex joins them; without it they
/// are disconnected. The joining vertices have the last numbers and few neighbours, so that a
/// search takes some early and others late. Each part has 32 numbers, some of them for vertices
/// without edges.
inline HostGraph chained_graph(std::size_t parts, std::size_t degree, std::mt19937_64& random) {
  std::vector<Edge> edges;
  std::vector<Vertex> sizes;
  for (Vertex i = 0; i < parts; ++i) {
    Vertex next = 32 * i;
    append(edges, nearly_regular_graph(16 + random() % 13, degree, random), next);
    sizes.push_back(next - 32 * i);
  }
  auto joint = static_cast<Vertex>(32 * parts);
  for (Vertex i = 0; i + 1 < parts; ++i, ++joint) {
    for (Vertex const side : {i, i + 1}) {
      for (int spoke = 0; spoke < 2; ++spoke) {
        edges.emplace_back(joint, 32 * side + static_cast<Vertex>(random() % sizes[side]));
      }
    }
  }
  return graph_of(joint, edges);
}

/// A graph with long rows, which is also stored as bits. Dense parts of `size` vertices, each with
/// a pendant path of two; and two vertices that join them, one with the first number and one with
/// the last.
inline HostGraph dense_parts_graph(std::size_t parts, std::size_t size, std::mt19937_64& random) {
  std::vector<Edge> edges;
  Vertex next = 1;
  for (std::size_t i = 0; i < parts; ++i) {
    Vertex const first = next;
    append(edges, gnp_graph(size, 0.75, random), next);
    edges.emplace_back(first, next);
    edges.emplace_back(next, next + 1);
    next += 2;
  }
  for (Vertex v = 1; v < next; ++v) {
    edges.emplace_back(0, v);
    if (v % 2 == 0) {
      edges.emplace_back(v, next);
    }
  }
  return graph_of(next + 1, edges);
}

/// The size of a minimum cover of a graph of at most 256 vertices. Shares no code with the library.
/// It branches on a vertex or its neighbours, and solves each component on its own.
class CoverOracle {
 public:
  using Set = std::bitset<256>;

  explicit CoverOracle(HostGraph const& graph) : neighbours_(graph.vertices()) {
    for (Vertex v = 0; v < graph.vertices(); ++v) {
      all_[v] = true;
      for (Vertex const w : graph.neighbours(v)) {
        neighbours_[v][w] = true;
      }
    }
  }

  /// An oracle for the subgraph of the vertices v with subset[v] != 0.
  CoverOracle(HostGraph const& graph, std::span<std::uint8_t const> subset) : CoverOracle(graph) {
    for (Vertex v = 0; v < graph.vertices(); ++v) {
      all_[v] = subset[v] != 0;
    }
  }

  std::size_t minimum() const { return minimum(all_); }

 private:
  std::size_t minimum(Set left) const {
    std::size_t top = 0;
    Vertex at = 0;
    for (Vertex v = 0; v < neighbours_.size(); ++v) {
      if (left[v]) {
        std::size_t const degree = (neighbours_[v] & left).count();
        if (degree == 0) {
          left[v] = false;
        } else if (degree == 1) {
          left[v] = false;
          return 1 + minimum(left & ~neighbours_[v]);
        } else if (degree > top) {
          top = degree;
          at = v;
        }
      }
    }
    if (top == 0) {
      return 0;
    }
    Set part;
    Set frontier;
    frontier[at] = true;
    while (frontier.any()) {
      part |= frontier;
      Set next;
      for (Vertex v = 0; v < neighbours_.size(); ++v) {
        if (frontier[v]) {
          next |= neighbours_[v];
        }
      }
      frontier = next & left & ~part;
    }
    if (part != left) {
      return minimum(part) + minimum(left & ~part);
    }
    Set without = left;
    without[at] = false;
    return std::min(1 + minimum(without), top + minimum(without & ~neighbours_[at]));
  }

  std::vector<Set> neighbours_;
  Set all_;
};

}  // namespace taper::testing
