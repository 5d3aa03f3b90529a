// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/clique/verify.hpp>
#include <taper/error.hpp>
#include <taper/vertex_cover/host_graph.hpp>

#include <cstdint>
#include <span>
#include <string>

// Used by: clique.hpp, independent_set/independent_set.hpp, distributed/distributed.hpp.

namespace taper::clique {

/// Throws: taper::Error if a set to begin with does not have a mark per vertex, or has pairs that
/// find_bad_pairs(graph, set, limit) finds. `property`: "a clique".
template <class FindBadPairs>
void require_start(std::string const& function, char const* property,
                   vertex_cover::HostGraph const& graph, std::span<std::uint8_t const> start,
                   FindBadPairs const& find_bad_pairs) {
  TAPER_REQUIRE(start.empty() || start.size() == graph.vertices(),
                function + ": Options::start has " + std::to_string(start.size()) +
                    " entries, the graph has " + std::to_string(graph.vertices()) + " vertices");
  auto const bad = find_bad_pairs(graph, start, 1);
  TAPER_REQUIRE(bad.count == 0, function + ": Options::start is not " + property + ": vertices " +
                                    std::to_string(bad.pairs[0].first) + " and " +
                                    std::to_string(bad.pairs[0].second) + " break it");
}

}  // namespace taper::clique
