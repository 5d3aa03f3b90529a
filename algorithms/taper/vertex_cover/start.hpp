// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/error.hpp>
#include <taper/vertex_cover/host_graph.hpp>

#include <cstdint>
#include <span>
#include <string>

// Used by: solve_views.hpp, distributed/distributed.hpp.

namespace taper::vertex_cover::detail {

/// Throws: taper::Error if a cover to begin with is none.
inline void require_start(HostGraph const& graph, std::span<std::uint8_t const> start) {
  if (start.empty()) {
    return;
  }
  TAPER_REQUIRE(start.size() == graph.vertices(),
                "taper::vertex_cover::solve: Options::start has " + std::to_string(start.size()) +
                    " entries, the graph has " + std::to_string(graph.vertices()) + " vertices");
  auto const edge = find_uncovered_edge(graph, start);
  TAPER_REQUIRE(!edge,
                "taper::vertex_cover::solve: Options::start is no cover: it misses the edge " +
                    std::to_string(edge->first) + " - " + std::to_string(edge->second));
}

}  // namespace taper::vertex_cover::detail
