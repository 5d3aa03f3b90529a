// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/host_graph.hpp>
#include <taper/vertex_cover/options.hpp>
#include <taper/vertex_cover/report.hpp>

#include <algorithm>
#include <cstdint>
#include <span>

namespace taper::vertex_cover::standard {

/// Until the stages are there: all vertices that have a neighbour, and nothing proved.
inline Report solve(HostGraph const& graph, std::span<std::uint8_t> in_cover,
                    Options const& options) {
  Report report;
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    in_cover[v] = graph.degree(v) > 0 ? 1 : 0;
    report.cover_size += in_cover[v];
  }
  report.status = report.cover_size == 0 ? Status::solved : Status::stopped;
  report.found = options.k < 0 || report.cover_size <= static_cast<std::uint64_t>(options.k);
  return report;
}

}  // namespace taper::vertex_cover::standard
