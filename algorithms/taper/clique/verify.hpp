// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/clique/weights.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

// Checks of cliques and independent sets. They share no code with the solvers: they use no order
// and no bound. They need no Kokkos.

namespace taper::clique {

/// Pairs of vertices that break a property of a set.
struct BadPairs {
  std::uint64_t count = 0;
  std::vector<Edge> pairs;  ///< the first of them, each with the lower end first, sorted
};

/// Finds the edges inside a set; there are none if it is independent. Counts all, and lists the
/// first `limit`, in the order of the rows.
///
/// Requires: find_fault(graph) finds none; in_set has one entry per vertex.
/// Cost: the rows of the set's vertices.
inline BadPairs find_inner_edges(HostGraph const& graph, std::span<std::uint8_t const> in_set,
                                 std::size_t limit) {
  BadPairs bad;
  for (Vertex v = 0; v < in_set.size(); ++v) {
    if (in_set[v] == 0) {
      continue;
    }
    for (Vertex const u : graph.neighbours(v)) {
      if (u > v && in_set[u] != 0 && bad.count++ < limit) {
        bad.pairs.emplace_back(v, u);
      }
    }
  }
  return bad;
}

/// Finds the pairs of a set that are no edge; there are none if it is a clique. Counts all, and
/// lists the first `limit`.
///
/// Requires: as above. Cost: the rows of the set's vertices.
inline BadPairs find_missing_edges(HostGraph const& graph, std::span<std::uint8_t const> in_set,
                                   std::size_t limit) {
  std::vector<Vertex> set;
  for (std::size_t v = 0; v < in_set.size(); ++v) {
    if (in_set[v] != 0) {
      set.push_back(static_cast<Vertex>(v));
    }
  }
  BadPairs bad;
  bad.count = set.size() * (set.size() - std::size_t{!set.empty()}) / 2 -
              find_inner_edges(graph, in_set, 0).count;
  std::size_t const listed = std::min<std::uint64_t>(limit, bad.count);
  std::vector<Vertex> last_row_with(graph.vertices(), 0);  // one more than the row; 0: none
  for (std::size_t i = 0; bad.pairs.size() < listed; ++i) {
    for (Vertex const u : graph.neighbours(set[i])) {
      last_row_with[u] = set[i] + 1;
    }
    for (std::size_t j = i + 1; j < set.size() && bad.pairs.size() < listed; ++j) {
      if (last_row_with[set[j]] != set[i] + 1) {
        bad.pairs.emplace_back(set[i], set[j]);
      }
    }
  }
  return bad;
}

/// The weight of a set. Requires: find_fault(weights) finds none.
inline Weight weight_of(std::span<Weight const> weights, std::span<std::uint8_t const> in_set) {
  Weight sum = 0;
  for (std::size_t v = 0; v < in_set.size(); ++v) {
    sum += in_set[v] != 0 ? weights[v] : 0;
  }
  return sum;
}

}  // namespace taper::clique
