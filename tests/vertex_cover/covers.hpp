// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/host_graph.hpp>

#include <cstdint>
#include <span>

namespace taper::testing {

/// Whether every edge has an end in the cover.
inline bool covers(vertex_cover::HostGraph const& graph, std::span<std::uint8_t const> in_cover) {
  for (vertex_cover::Vertex v = 0; v < graph.vertices(); ++v) {
    for (vertex_cover::Vertex const w : graph.neighbours(v)) {
      if (in_cover[v] == 0 && in_cover[w] == 0) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace taper::testing
