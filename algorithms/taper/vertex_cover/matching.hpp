// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/host_graph.hpp>

#include <cstdint>
#include <vector>

namespace taper::vertex_cover {

/// Edges of which no two have an end in common, among the vertices from `first` to before `end`, which
/// no edge leaves: a cover has at least so many of them.
///
/// Cost: linear; taken as they come, so that there may be more.
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
