// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace taper::vertex_cover {

using Vertex = std::uint32_t;
using Edge = std::pair<Vertex, Vertex>;

/// A simple undirected graph in host memory, in CRS format: the neighbours of vertex v are
/// entries[offsets[v]] up to, not including, entries[offsets[v + 1]]. Each edge is in the rows of
/// both ends.
struct HostGraph {
  std::vector<std::uint64_t> offsets{0};  ///< vertices() + 1 entries
  std::vector<Vertex> entries;

  std::size_t vertices() const { return offsets.size() - 1; }
  std::size_t edges() const { return entries.size() / 2; }
  std::size_t degree(Vertex v) const { return offsets[v + 1] - offsets[v]; }
  std::span<Vertex const> neighbours(Vertex v) const {
    return {entries.data() + offsets[v], degree(v)};
  }

  friend bool operator==(HostGraph const&, HostGraph const&) = default;
};

/// The marks of the vertices that are not marked: of the cover that an independent set leaves, or of
/// the set that a cover leaves.
inline std::vector<std::uint8_t> complement_of(std::span<std::uint8_t const> marks) {
  std::vector<std::uint8_t> others(marks.size());
  std::transform(marks.begin(), marks.end(), others.begin(),
                 [](std::uint8_t mark) { return static_cast<std::uint8_t>(mark == 0); });
  return others;
}

/// A fault of a graph: its kind and where it is. `entry` counts from the beginning of the vertex's
/// row; it is 0 for the kind `offsets`.
struct Fault {
  enum class Kind {
    offsets,  ///< the row ends before it begins, or after the last entry; or `vertex` is the number
              ///< of vertices, and the last row does not end at the last entry
    out_of_range,  ///< the entry is not a vertex id
    loop,
    duplicate,
    one_way,  ///< the row of the other end does not have the edge
  };
  Kind kind;
  Vertex vertex;
  std::uint64_t entry;
};

namespace detail {

/// The transposed graph: entry u of row v for each entry v of row u. Its rows are sorted.
inline HostGraph transposed(HostGraph const& graph) {
  HostGraph result;
  result.offsets.assign(graph.offsets.size(), 0);
  result.entries.resize(graph.entries.size());
  for (Vertex const head : graph.entries) {
    ++result.offsets[head + 1];
  }
  for (std::size_t v = 0; v < graph.vertices(); ++v) {
    result.offsets[v + 1] += result.offsets[v];
  }
  std::vector<std::uint64_t> next(result.offsets.begin(), result.offsets.end() - 1);
  for (Vertex tail = 0; tail < graph.vertices(); ++tail) {
    for (Vertex const head : graph.neighbours(tail)) {
      result.entries[next[head]++] = tail;
    }
  }
  return result;
}

/// Removes repeated entries. Requires: sorted rows.
inline void drop_duplicates(HostGraph& graph) {
  std::uint64_t kept = 0;
  std::uint64_t begin = 0;
  for (std::size_t v = 0; v < graph.vertices(); ++v) {
    std::uint64_t const end = graph.offsets[v + 1];
    std::uint64_t const row = kept;
    for (std::uint64_t e = begin; e < end; ++e) {
      if (kept == row || graph.entries[kept - 1] != graph.entries[e]) {
        graph.entries[kept++] = graph.entries[e];
      }
    }
    begin = end;
    graph.offsets[v + 1] = kept;
  }
  graph.entries.resize(kept);
}

}  // namespace detail

/// A graph made from a list of edges, and what was left out.
struct MadeGraph {
  HostGraph graph;
  std::vector<Vertex> loops;     ///< vertices with an edge to themselves, ascending, each once
  std::uint64_t duplicates = 0;  ///< edges that repeat one, in either direction
};

/// Makes the graph of vertices 0 .. n-1 with these edges, without loops and duplicates. Rows are
/// sorted.
///
/// Requires: both ends of every edge are below n.
/// Cost:     linear; at most 40 bytes per edge beside the list.
inline MadeGraph make_graph(std::size_t n, std::span<Edge const> edges) {
  MadeGraph made;
  HostGraph both;
  both.offsets.assign(n + 1, 0);
  for (auto const& [u, v] : edges) {
    if (u == v) {
      made.loops.push_back(u);
    } else {
      ++both.offsets[u + 1];
      ++both.offsets[v + 1];
    }
  }
  std::sort(made.loops.begin(), made.loops.end());
  made.loops.erase(std::unique(made.loops.begin(), made.loops.end()), made.loops.end());
  for (std::size_t v = 0; v < n; ++v) {
    both.offsets[v + 1] += both.offsets[v];
  }
  both.entries.resize(both.offsets[n]);
  std::vector<std::uint64_t> next(both.offsets.begin(), both.offsets.end() - 1);
  for (auto const& [u, v] : edges) {
    if (u != v) {
      both.entries[next[u]++] = v;
      both.entries[next[v]++] = u;
    }
  }
  std::size_t const listed = both.edges();
  made.graph = detail::transposed(both);
  detail::drop_duplicates(made.graph);
  made.duplicates = listed - made.graph.edges();
  return made;
}

/// The first edge, in the order of the rows, without an end in the cover; nullopt if there is none.
/// Requires: a mark per vertex.
inline std::optional<Edge> find_uncovered_edge(HostGraph const& graph,
                                               std::span<std::uint8_t const> in_cover) {
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    for (Vertex const u : graph.neighbours(v)) {
      if (in_cover[v] == 0 && in_cover[u] == 0) {
        return Edge{v, u};
      }
    }
  }
  return std::nullopt;
}

/// The first fault that makes this no simple undirected graph; nullopt if there is none.
///
/// Rows need not be sorted. Faults of kind `offsets` come first, then `out_of_range`, then the
/// others, each by vertex.
/// Cost: linear.
inline std::optional<Fault> find_fault(HostGraph const& graph) {
  if (graph.offsets.empty() || graph.offsets.front() != 0) {
    return Fault{Fault::Kind::offsets, 0, 0};
  }
  auto const n = static_cast<Vertex>(graph.vertices());
  for (Vertex v = 0; v < n; ++v) {
    if (graph.offsets[v + 1] < graph.offsets[v] || graph.offsets[v + 1] > graph.entries.size()) {
      return Fault{Fault::Kind::offsets, v, 0};
    }
  }
  if (graph.offsets[n] != graph.entries.size()) {
    return Fault{Fault::Kind::offsets, n, 0};
  }
  for (Vertex v = 0; v < n; ++v) {
    auto const row = graph.neighbours(v);
    for (std::uint64_t e = 0; e < row.size(); ++e) {
      if (row[e] >= n) {
        return Fault{Fault::Kind::out_of_range, v, e};
      }
    }
  }
  std::vector<Vertex> last_row_with(n, n);  // per vertex: the last row that has it as an entry
  // The sorted rows of the graph and of its transpose: equal if the graph is symmetric.
  HostGraph const backwards = detail::transposed(graph);
  HostGraph const forwards = detail::transposed(backwards);
  for (Vertex v = 0; v < n; ++v) {
    auto const row = graph.neighbours(v);
    auto const there = forwards.neighbours(v);
    auto const back = backwards.neighbours(v);
    bool const symmetric = std::includes(back.begin(), back.end(), there.begin(), there.end());
    for (std::uint64_t e = 0; e < row.size(); ++e) {
      if (row[e] == v) {
        return Fault{Fault::Kind::loop, v, e};
      }
      if (std::exchange(last_row_with[row[e]], v) == v) {
        return Fault{Fault::Kind::duplicate, v, e};
      }
      if (!symmetric && !std::binary_search(back.begin(), back.end(), row[e])) {
        return Fault{Fault::Kind::one_way, v, e};
      }
    }
  }
  return std::nullopt;
}

}  // namespace taper::vertex_cover
