// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/clique/options.hpp>
#include <taper/clique/report.hpp>
#include <taper/clique/search.hpp>
#include <taper/clique/weights.hpp>

#include <algorithm>
#include <cstdint>
#include <span>

// The searches for graphs in host memory. They need no Kokkos: `fork` is a taper::Fork inside
// fork_join(), or a SerialFork. clique.hpp documents them.

namespace taper::clique {
namespace detail {

template <class Weights, class Fork>
Report search_on_host(Fork& fork, HostGraph const& graph, Weights const& weights,
                      std::span<std::uint8_t> in_clique, Options const& options) {
  Search<Weights> search(graph, weights, options);
  Report const report = search.run(fork);
  std::fill(in_clique.begin(), in_clique.end(), std::uint8_t{0});
  for (Vertex const v : search.clique()) {
    in_clique[v] = 1;
  }
  return report;
}

}  // namespace detail

/// solve() of clique.hpp for a graph in host memory.
///
/// Requires: a simple graph; in_clique has one entry per vertex.
template <class Fork>
Report solve_on_host(Fork& fork, HostGraph const& graph, std::span<std::uint8_t> in_clique,
                     Options const& options = {}) {
  return detail::search_on_host(fork, graph, UnitWeights{}, in_clique, options);
}

/// The same with a weight per vertex.
///
/// Requires: find_fault(weights) finds none.
template <class Fork>
Report solve_on_host(Fork& fork, HostGraph const& graph, std::span<Weight const> weights,
                     std::span<std::uint8_t> in_clique, Options const& options = {}) {
  IntegerWeights const policy{{weights.begin(), weights.end()}};
  return detail::search_on_host(fork, graph, policy, in_clique, options);
}

}  // namespace taper::clique
