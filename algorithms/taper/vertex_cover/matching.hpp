// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/host_graph.hpp>

#include <cstdint>
#include <vector>

namespace taper::vertex_cover {

/// The size of a greedy matching of the vertices first .. end-1: a lower bound on their cover.
///
/// Requires: no edge leaves these vertices.
/// Cost: linear. A larger matching may exist.
/// Used by: branch_and_reduce::Solver after a stop; component search for the bounds of its roots.
inline std::uint32_t matching_size(HostGraph const& graph, Vertex first, Vertex end) {
  std::vector<std::uint8_t> matched(end - first, 0);
  std::uint32_t size = 0;
  for (Vertex v = first; v < end; ++v) {
    for (Vertex const w : graph.neighbours(v)) {
      if (matched[v - first] == 0 && matched[w - first] == 0) {
        matched[v - first] = matched[w - first] = 1;
        ++size;
      }
    }
  }
  return size;
}

}  // namespace taper::vertex_cover
