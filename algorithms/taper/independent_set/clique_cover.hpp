// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/independent_set/weighted_graph.hpp>
#include <taper/vertex_cover/interrupt.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace taper::independent_set {

/// An upper bound on the weight of independent sets: the vertices are covered by cliques, each of
/// which has at most one vertex of a set, and weighs as much as its heaviest vertex.
///
/// Heavy vertices come first. Each joins the largest clique all of whose vertices are its
/// neighbours. If there is none, it begins a clique.
/// Source: the cover of T. Akiba and Y. Iwata, "Branch-and-reduce exponential/FPT algorithms in
/// practice", 2016, with weights as in S. Lamm and others, 2019.
/// Used by: Search.
class CliqueCover {
 public:
  /// Returns the bound for the subgraph of `vertices`, which are live.
  ///
  /// Cost: linear in their rows, and a sort. If the interrupt stops it, each vertex that is left
  ///   counts as a clique of its own.
  Weight bound(WeightedGraph& graph, std::span<Vertex const> vertices,
               vertex_cover::Interrupt& interrupt) {
    order_.clear();
    for (Vertex const v : vertices) {
      order_.emplace_back(graph.weight(v), v);
    }
    if (!interrupt.stopped_after(0)) {
      std::sort(order_.begin(), order_.end(), std::greater<>{});
    }
    clique_of_.resize(std::max<std::size_t>(clique_of_.size(), graph.vertices()));
    for (Vertex const v : vertices) {
      clique_of_[v] = none;
    }
    cliques_.clear();
    Weight sum = 0;
    for (auto const& [weight, v] : order_) {
      if (interrupt.stopped_after(graph.degree(v))) {
        sum += weight;
        continue;
      }
      std::uint32_t const joined = largest_clique_around(graph, v);
      clique_of_[v] = joined;
      if (joined == cliques_.size()) {
        cliques_.push_back({0, 0});
        sum += weight;  // the others that join are no heavier
      }
      ++cliques_[joined].size;
    }
    return sum;
  }

 private:
  struct Clique {
    std::uint32_t size;
    std::uint32_t met;  ///< neighbours of the present vertex in it
  };

  /// The number of the largest clique all of whose vertices are neighbours of v; cliques_.size() if
  /// there is none. Leaves all `met` at 0.
  std::uint32_t largest_clique_around(WeightedGraph& graph, Vertex v) {
    auto best = static_cast<std::uint32_t>(cliques_.size());
    std::uint32_t largest = 0;
    auto const row = graph.neighbours(v);
    for (Vertex const u : row) {
      if (clique_of_[u] == none) {
        continue;
      }
      Clique& clique = cliques_[clique_of_[u]];
      if (++clique.met == clique.size && clique.size > largest) {
        largest = clique.size;
        best = clique_of_[u];
      }
    }
    for (Vertex const u : row) {
      if (clique_of_[u] != none) {
        cliques_[clique_of_[u]].met = 0;
      }
    }
    return best;
  }

  std::vector<std::pair<Weight, Vertex>> order_;
  std::vector<std::uint32_t> clique_of_;  ///< by vertex
  std::vector<Clique> cliques_;
};

}  // namespace taper::independent_set
