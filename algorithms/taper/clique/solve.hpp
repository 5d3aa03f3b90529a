// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/clique/options.hpp>
#include <taper/clique/report.hpp>
#include <taper/clique/search.hpp>
#include <taper/clique/shared_search.hpp>
#include <taper/clique/weights.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

// The searches for graphs in host memory. They need no Kokkos: `fork` is a taper::Fork inside
// fork_join(), or a SerialFork. clique.hpp documents them.

namespace taper::clique {
namespace detail {

template <class Weights, class Fork>
Report search_on_host(Fork& fork, HostGraph const& graph, Weights const& weights,
                      std::span<std::uint8_t> in_clique, Options const& options,
                      SharedSearch* shared = nullptr) {
  Search<Weights> search(graph, weights, options, shared);
  Report const report = search.run(fork);
  std::fill(in_clique.begin(), in_clique.end(), std::uint8_t{0});
  for (Vertex const v : search.clique()) {
    in_clique[v] = 1;
  }
  return report;
}

}  // namespace detail

/// All maximum cliques, or as many as the caller wants.
struct AllCliques {
  /// solved: there are no other cliques, or the limit is reached. stopped: a time limit ended the
  /// run.
  Status status = Status::solved;
  std::vector<std::vector<Vertex>> cliques;  ///< in lexicographic order, each ascending
};

namespace detail {

template <class Weights, class Fork>
AllCliques collect_on_host(Fork& fork, HostGraph const& graph, Weights const& weights,
                           Weight maximum, std::size_t limit, Options const& options) {
  if (maximum == 0) {
    return {Status::solved, {{}}};  // the empty clique
  }
  Search<Weights> search(graph, weights, options);
  AllCliques all;
  all.status = search.collect(fork, maximum, limit) ? Status::solved : Status::stopped;
  all.cliques = std::move(search.collected());
  for (auto& clique : all.cliques) {
    std::sort(clique.begin(), clique.end());
  }
  std::sort(all.cliques.begin(), all.cliques.end());
  return all;
}

}  // namespace detail

/// Finds all maximum cliques. If there are more than `limit`, it finds `limit` of them; which ones
/// may depend on the number of threads.
///
/// `weights`: one per vertex; empty: all are 1. No clique has vertices of weight 0.
/// `maximum`: the weight of the cliques, which solve_on_host() has proved.
/// Equivalent to: trying all sets of vertices.
/// Requires: as solve_on_host(); limit is 1 or more.
/// Cost: at most that of solve_on_host(), at least that of its proof. Memory: `limit` cliques.
template <class Fork>
AllCliques find_all_on_host(Fork& fork, HostGraph const& graph, std::span<Weight const> weights,
                            Weight maximum, std::size_t limit, Options const& options = {}) {
  if (weights.empty()) {
    return detail::collect_on_host(fork, graph, UnitWeights{}, maximum, limit, options);
  }
  IntegerWeights const policy{{weights.begin(), weights.end()}};
  return detail::collect_on_host(fork, graph, policy, maximum, limit, options);
}

/// solve() of clique.hpp for a graph in host memory. Writes 1 to in_clique for each vertex of the
/// clique, else 0.
///
/// Requires: a simple graph; in_clique has one entry per vertex; Options::start is a clique, or
///   empty.
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
