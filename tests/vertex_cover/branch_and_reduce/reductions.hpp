// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/branch_and_reduce/reduction_graph.hpp>

#include <support/graph_oracles.hpp>
#include <vertex_cover/interrupts.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace taper::testing {

inline vertex_cover::branch_and_reduce::ReductionGraph reduction_graph(SmallGraph const& original) {
  vertex_cover::branch_and_reduce::ReductionGraph graph;
  graph.assign(to_host_graph(original));
  return graph;
}

/// The live part of a reduction graph, with the same vertex numbers. Checks its counts and rows.
inline SmallGraph live_part(vertex_cover::branch_and_reduce::ReductionGraph& graph) {
  SmallGraph live(graph.vertices(), 0);
  std::size_t vertices = 0;
  std::size_t entries = 0;
  for (vertex_cover::Vertex v = 0; v < graph.vertices(); ++v) {
    if (!graph.alive(v)) {
      continue;
    }
    ++vertices;
    EXPECT_EQ(graph.degree(v), graph.neighbours(v).size());
    for (auto const u : graph.neighbours(v)) {
      EXPECT_TRUE(graph.alive(u));
      EXPECT_NE(u, v);
      EXPECT_FALSE(live[v] >> u & 1) << "duplicate entry";
      live[v] |= std::uint32_t{1} << u;
      ++entries;
    }
  }
  EXPECT_EQ(vertices, graph.live_vertices());
  EXPECT_EQ(entries, 2 * graph.live_edges());
  for (std::size_t u = 0; u < live.size(); ++u) {
    for (std::size_t v = 0; v < live.size(); ++v) {
      EXPECT_EQ(has_edge(live, u, v), has_edge(live, v, u));
    }
  }
  return live;
}

/// Checks a `graph` that reductions made from `original`: the minimum is preserved, and a minimum
/// cover of the live graph lifts to a minimum cover of the original.
inline void expect_exact(SmallGraph const& original,
                         vertex_cover::branch_and_reduce::ReductionGraph& graph) {
  SmallGraph const live = live_part(graph);
  std::uint32_t const rest = minimum_cover(live);
  int const minimum = std::popcount(minimum_cover(original));
  EXPECT_EQ(static_cast<int>(graph.cover_size()) + std::popcount(rest), minimum);

  std::vector<std::uint8_t> in_cover = graph.in_cover();
  for (vertex_cover::Vertex v = 0; v < graph.vertices(); ++v) {
    if (graph.alive(v)) {
      in_cover[v] = rest >> v & 1;
    }
  }
  graph.lift(in_cover);
  EXPECT_TRUE(is_cover(original, to_bits(in_cover)));
  EXPECT_EQ(std::popcount(to_bits(in_cover)), minimum);
}

}  // namespace taper::testing
