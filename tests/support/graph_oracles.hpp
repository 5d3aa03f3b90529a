// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/host_graph.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

/// Simple, slow solvers for vertex covers of small graphs. Oracles for tests: of the library they
/// use only the types of its graphs.
namespace taper::testing {

/// The neighbours of each vertex as a bit set; up to 32 vertices.
using SmallGraph = std::vector<std::uint32_t>;

inline void add_edge(SmallGraph& graph, std::size_t u, std::size_t v) {
  graph.at(u) |= std::uint32_t{1} << v;
  graph.at(v) |= std::uint32_t{1} << u;
}

inline bool has_edge(SmallGraph const& graph, std::size_t u, std::size_t v) {
  return (graph.at(u) >> v & 1) != 0;
}

/// The graph of these walks: the vertices that follow each other in one are adjacent.
inline SmallGraph small_graph(std::size_t n, std::vector<std::vector<std::size_t>> const& walks) {
  SmallGraph graph(n, 0);
  for (auto const& walk : walks) {
    for (std::size_t i = 1; i < walk.size(); ++i) {
      add_edge(graph, walk[i - 1], walk[i]);
    }
  }
  return graph;
}

/// Checks the definition of a cover.
inline bool is_cover(SmallGraph const& graph, std::uint32_t cover) {
  for (std::size_t u = 0; u < graph.size(); ++u) {
    for (std::size_t v = 0; v < graph.size(); ++v) {
      if (has_edge(graph, u, v) && (cover >> u & 1) == 0 && (cover >> v & 1) == 0) {
        return false;
      }
    }
  }
  return true;
}

/// The size of a minimum cover, by trial of every set of vertices. For up to about 10 vertices.
inline int minimum_cover_by_trial(SmallGraph const& graph) {
  if (graph.size() > 20) {
    throw std::logic_error("oracle: minimum_cover_by_trial takes at most 20 vertices");
  }
  int best = static_cast<int>(graph.size());
  for (std::uint32_t cover = 0; cover < std::uint32_t{1} << graph.size(); ++cover) {
    if (is_cover(graph, cover)) {
      best = std::min(best, std::popcount(cover));
    }
  }
  return best;
}

/// A minimum cover of the subgraph of the vertices in `left`. Its first vertex with an edge is in
/// the cover, or all neighbours of that vertex are.
inline std::uint32_t minimum_cover_within(SmallGraph const& graph, std::uint32_t left) {
  for (std::size_t v = 0; v < graph.size(); ++v) {
    std::uint32_t const bit = std::uint32_t{1} << v;
    std::uint32_t const row = graph[v] & left;
    if ((left & bit) == 0 || row == 0) {
      continue;
    }
    std::uint32_t const with = bit | minimum_cover_within(graph, left & ~bit);
    std::uint32_t const without = row | minimum_cover_within(graph, left & ~bit & ~row);
    return std::popcount(with) < std::popcount(without) ? with : without;
  }
  return 0;
}

/// A minimum cover. For up to about 30 vertices.
inline std::uint32_t minimum_cover(SmallGraph const& graph) {
  return minimum_cover_within(graph, graph.size() == 32 ? ~std::uint32_t{0}
                                                        : (std::uint32_t{1} << graph.size()) - 1);
}

inline std::uint32_t minimum_size(SmallGraph const& graph) {
  return static_cast<std::uint32_t>(std::popcount(minimum_cover(graph)));
}

/// The same graph with sorted rows.
inline vertex_cover::HostGraph to_host_graph(SmallGraph const& graph) {
  vertex_cover::HostGraph host;
  for (std::size_t u = 0; u < graph.size(); ++u) {
    for (std::size_t v = 0; v < graph.size(); ++v) {
      if (has_edge(graph, u, v)) {
        host.entries.push_back(static_cast<std::uint32_t>(v));
      }
    }
    host.offsets.push_back(host.entries.size());
  }
  return host;
}

/// A random graph in which each pair is an edge with this probability.
inline SmallGraph random_graph(std::size_t n, double probability, std::mt19937_64& random) {
  SmallGraph graph(n, 0);
  for (std::size_t u = 0; u < n; ++u) {
    for (std::size_t v = u + 1; v < n; ++v) {
      if (static_cast<double>(random() >> 11) * 0x1p-53 < probability) {
        add_edge(graph, u, v);
      }
    }
  }
  return graph;
}

/// A random graph of 1 to `max_vertices` vertices and random density; half of these graphs are
/// sparse.
inline SmallGraph random_graph(std::size_t max_vertices, std::mt19937_64& random) {
  std::size_t const n = 1 + random() % max_vertices;
  double const any = static_cast<double>(random() % 1000) / 1000;
  double const sparse = (1.5 + 3 * any) / static_cast<double>(n);
  return random_graph(n, random() % 2 == 0 ? any : sparse, random);
}

/// Calls visit(graph) for all 2^(n(n-1)/2) graphs of n vertices: 32,768 for n = 6.
template <class Visit>
void for_each_graph(std::size_t n, Visit const& visit) {
  std::size_t const pairs = n * (n - 1) / 2;
  for (std::uint64_t edges = 0; edges < std::uint64_t{1} << pairs; ++edges) {
    SmallGraph graph(n, 0);
    std::size_t pair = 0;
    for (std::size_t u = 0; u < n; ++u) {
      for (std::size_t v = u + 1; v < n; ++v, ++pair) {
        if ((edges >> pair & 1) != 0) {
          add_edge(graph, u, v);
        }
      }
    }
    visit(std::as_const(graph));
  }
}

/// Converts the library's flags of a cover to a bit set.
template <class Flags>
std::uint32_t to_bits(Flags const& in_cover) {
  std::uint32_t bits = 0;
  std::size_t v = 0;
  for (auto const flag : in_cover) {
    bits |= flag != 0 ? std::uint32_t{1} << v : 0;
    ++v;
  }
  return bits;
}

}  // namespace taper::testing
