// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/region.hpp>
#include <taper/vertex_cover/graph.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

// Checks of covers. Independent of the solvers: no reduction and no bound is used here.

namespace taper::vertex_cover {
namespace detail {

/// The uncovered edges from a vertex to itself or to a vertex with a higher id.
template <class Offsets, class Entries, class Cover>
struct UncoveredRow {
  Graph<Offsets, Entries> graph;
  Cover in_cover;

  /// Returns their number for vertex v; writes the first `capacity` of them to `out`.
  KOKKOS_FUNCTION std::uint64_t collect(std::size_t v, Edge* out, std::uint64_t capacity) const {
    if (in_cover(v) != 0) {
      return 0;
    }
    std::uint64_t found = 0;
    auto const end = graph.offsets(v + 1);
    for (auto e = graph.offsets(v); e < end; ++e) {
      auto const u = static_cast<std::size_t>(graph.entries(e));
      if (u >= v && in_cover(u) == 0) {
        if (found < capacity) {
          out[found].first = static_cast<Vertex>(v);  // std::pair::operator= is a host function
          out[found].second = static_cast<Vertex>(u);
        }
        ++found;
      }
    }
    return found;
  }
};

template <class Row>
struct CountUncovered {
  Row row;

  KOKKOS_FUNCTION void operator()(std::size_t v, std::uint64_t& total) const {
    total += row.collect(v, nullptr, 0);
  }
};

/// A scan over the vertices. `before`: the number of edges of earlier vertices, and so the index of
/// v's first edge.
template <class Row, class Edges>
struct CollectUncovered {
  Row row;
  Edges edges;

  KOKKOS_FUNCTION void operator()(std::size_t v, std::uint64_t& before, bool final) const {
    bool const writes = final && before < edges.extent(0);
    before += writes ? row.collect(v, edges.data() + before, edges.extent(0) - before)
                     : row.collect(v, nullptr, 0);
  }
};

template <class Cover>
struct CountCover {
  Cover in_cover;

  KOKKOS_FUNCTION void operator()(std::size_t v, std::uint64_t& total) const {
    total += in_cover(v) != 0 ? 1u : 0u;
  }
};

template <class Space>
using VertexRange = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>>;

}  // namespace detail

/// The number of edges without an end in the cover; 0 means that in_cover is a cover.
///
/// Requires: `where` can reach the graph and in_cover. in_cover[v] != 0: v is in the cover.
/// Cost:     O(vertices + edges), no memory.
/// Async:    returns with `where` fenced.
/// Throws:   taper::Error if in_cover does not have one entry per vertex.
template <class Space, class Offsets, class Entries, class Cover>
std::uint64_t count_uncovered(Space const& where, Graph<Offsets, Entries> const& graph,
                              Cover const& in_cover) {
  detail::require_cover_fits("taper::vertex_cover::count_uncovered", graph, in_cover);
  Region const region("taper::vertex_cover::count_uncovered");
  using Row = detail::UncoveredRow<Offsets, Entries, Cover>;
  std::uint64_t total = 0;
  Kokkos::parallel_reduce("taper::vertex_cover::count_uncovered",
                          detail::VertexRange<Space>(where, 0, graph.vertices()),
                          detail::CountUncovered<Row>{{graph, in_cover}}, total);
  where.fence("taper::vertex_cover::count_uncovered: wait for the count");
  return total;
}

/// The first `limit` edges without an end in the cover. Each has its lower end first; they are
/// sorted by that.
///
/// Requires, Async, Throws: as count_uncovered().
/// Cost: twice that of count_uncovered(), and 8 bytes per edge found.
template <class Space, class Offsets, class Entries, class Cover>
std::vector<Edge> find_uncovered(Space const& where, Graph<Offsets, Entries> const& graph,
                                 Cover const& in_cover, std::size_t limit) {
  std::vector<Edge> found(std::min<std::uint64_t>(limit, count_uncovered(where, graph, in_cover)));
  if (found.empty()) {
    return found;
  }
  Region const region("taper::vertex_cover::find_uncovered");
  using Row = detail::UncoveredRow<Offsets, Entries, Cover>;
  using Edges = Kokkos::View<Edge*, typename Space::memory_space>;
  Edges const edges(Kokkos::view_alloc(where, Kokkos::WithoutInitializing,
                                       "taper::vertex_cover::uncovered_edges"),
                    found.size());
  Kokkos::parallel_scan("taper::vertex_cover::find_uncovered",
                        detail::VertexRange<Space>(where, 0, graph.vertices()),
                        detail::CollectUncovered<Row, Edges>{{graph, in_cover}, edges});
  Kokkos::deep_copy(where,
                    Kokkos::View<Edge*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
                        found.data(), found.size()),
                    edges);
  where.fence("taper::vertex_cover::find_uncovered: wait for the edges");
  return found;
}

/// The number of vertices in the cover.
///
/// Async: returns with `where` fenced.
template <class Space, class Cover>
std::uint64_t cover_size(Space const& where, Cover const& in_cover) {
  std::uint64_t total = 0;
  Kokkos::parallel_reduce("taper::vertex_cover::cover_size",
                          detail::VertexRange<Space>(where, 0, in_cover.extent(0)),
                          detail::CountCover<Cover>{in_cover}, total);
  where.fence("taper::vertex_cover::cover_size: wait for the count");
  return total;
}

}  // namespace taper::vertex_cover
