// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <support/graph_oracles.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

/// Simple, slow answers about cliques of small graphs, by the definitions. Oracles for tests.
namespace taper::testing {

inline bool is_clique(SmallGraph const& graph, std::uint32_t set) {
  for (std::size_t u = 0; u < graph.size(); ++u) {
    if ((set >> u & 1) != 0 && (set & ~(std::uint32_t{1} << u) & ~graph[u]) != 0) {
      return false;
    }
  }
  return true;
}

/// Calls visit(clique) for each clique that adds vertices of `candidates` to `clique`.
template <class Visit>
void for_each_clique(SmallGraph const& graph, std::uint32_t clique, std::uint32_t candidates,
                     Visit const& visit) {
  visit(clique);
  while (candidates != 0) {
    auto const v = static_cast<std::size_t>(std::countr_zero(candidates));
    candidates &= candidates - 1;
    for_each_clique(graph, clique | std::uint32_t{1} << v, candidates & graph[v], visit);
  }
}

template <class Visit>
void for_each_clique(SmallGraph const& graph, Visit const& visit) {
  auto const all = static_cast<std::uint32_t>((std::uint64_t{1} << graph.size()) - 1);
  for_each_clique(graph, 0, all, visit);
}

inline std::int64_t weight_of(std::vector<std::int64_t> const& weights, std::uint32_t set) {
  std::int64_t sum = 0;
  for (std::size_t v = 0; v < weights.size(); ++v) {
    sum += (set >> v & 1) != 0 ? weights[v] : 0;
  }
  return sum;
}

/// The weight of the heaviest clique, by trial of all cliques.
inline std::int64_t maximum_clique_by_trial(SmallGraph const& graph,
                                            std::vector<std::int64_t> const& weights) {
  std::int64_t best = 0;
  for_each_clique(graph,
                  [&](std::uint32_t clique) { best = std::max(best, weight_of(weights, clique)); });
  return best;
}

/// How many maximal cliques have each size. A clique is maximal if no other vertex is adjacent to
/// all of it.
inline std::vector<std::uint64_t> maximal_cliques_by_trial(SmallGraph const& graph) {
  std::vector<std::uint64_t> count(graph.size() + 1, 0);
  for_each_clique(graph, [&](std::uint32_t clique) {
    for (std::size_t v = 0; v < graph.size(); ++v) {
      if ((clique >> v & 1) == 0 && (clique & ~graph[v]) == 0) {
        return;
      }
    }
    ++count[static_cast<std::size_t>(std::popcount(clique))];
  });
  count[0] = 0;  // the empty graph has no clique to count
  return count;
}

}  // namespace taper::testing
