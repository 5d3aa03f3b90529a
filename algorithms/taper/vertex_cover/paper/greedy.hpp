// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/host_graph.hpp>
#include <taper/vertex_cover/interrupt.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace taper::vertex_cover::paper {

/// A small cover, and its vertices: the upper bound from which a search starts.
struct GreedyCover {
  std::vector<std::uint8_t> in_cover;
  std::uint64_t size = 0;
};

/// Takes, as long as there are edges, the neighbour of a vertex of degree one, or, where there is
/// none, a vertex of greatest degree; at last leaves out who turned out to be superfluous. Once the
/// run is over, all that are still beside an edge are taken.
///
/// Cost: O(vertices + edges): a vertex is filed under each degree that it comes down to, and
///   entries that are out of date are skipped.
inline GreedyCover greedy_cover(HostGraph const& graph, Interrupt& interrupt) {
  auto const n = static_cast<Vertex>(graph.vertices());
  std::vector<std::uint64_t> degree(n);
  std::uint64_t top = 0;
  for (Vertex v = 0; v < n; ++v) {
    degree[v] = graph.degree(v);
    top = std::max(top, degree[v]);
  }
  std::vector<std::vector<Vertex>> with_degree(top + 1);
  for (Vertex v = n; v-- > 0;) {
    with_degree[degree[v]].push_back(v);
  }

  GreedyCover cover;
  cover.in_cover.assign(n, 0);
  std::vector<Vertex> taken;
  auto const take = [&](Vertex v) {
    cover.in_cover[v] = 1;
    taken.push_back(v);
    degree[v] = 0;
    for (Vertex const w : graph.neighbours(v)) {
      if (degree[w] > 0) {
        with_degree[--degree[w]].push_back(w);
      }
    }
  };
  while (top > 0 && !interrupt.over_after(1)) {
    if (top > 1 && !with_degree[1].empty()) {
      Vertex const leaf = with_degree[1].back();
      with_degree[1].pop_back();
      if (degree[leaf] == 1) {
        auto const row = graph.neighbours(leaf);
        take(*std::find_if(row.begin(), row.end(), [&](Vertex w) { return degree[w] > 0; }));
      }
    } else if (with_degree[top].empty()) {
      --top;
    } else {
      Vertex const v = with_degree[top].back();
      with_degree[top].pop_back();
      if (degree[v] == top) {
        take(v);
      }
    }
  }

  for (Vertex v = 0; v < n; ++v) {
    if (degree[v] > 0) {
      take(v);
    }
  }
  for (Vertex const v : taken) {
    auto const row = graph.neighbours(v);
    if (std::all_of(row.begin(), row.end(), [&](Vertex w) { return cover.in_cover[w] != 0; })) {
      cover.in_cover[v] = 0;
    }
  }
  cover.size = static_cast<std::uint64_t>(
      std::count(cover.in_cover.begin(), cover.in_cover.end(), std::uint8_t{1}));
  return cover;
}

}  // namespace taper::vertex_cover::paper
