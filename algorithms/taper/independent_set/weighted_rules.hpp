// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/independent_set/weighted_graph.hpp>
#include <taper/vertex_cover/interrupt.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace taper::independent_set {

/// What the rules know about a vertex c and its neighbours.
struct Surroundings {
  Vertex centre = none;
  std::vector<Vertex> around;  ///< the neighbours, by degree
  std::vector<Weight> apart;  ///< by index in `around`: weight of the neighbours not adjacent to it
  Weight sum = 0;             ///< the weight of all neighbours
  Weight least = 0;           ///< the weight of the lightest neighbour
  Weight most = 0;            ///< the weight of the heaviest neighbour
  std::uint64_t inner_edges = 0;  ///< edges between two neighbours
  bool complete = false;          ///< all pairs were read; else `apart` is unknown
};

/// Weighted reduction rules on a vertex, the centre, and its neighbours.
///
/// Each rule returns true if it changed the graph, and keeps the invariant of WeightedGraph. The
/// comments give the proofs. They exchange vertices of a set of maximum weight without loss of
/// weight. So some set of maximum weight has the stated form.
/// Sources: S. Lamm and others, "Exactly solving the maximum weight independent set problem on
/// large real-world graphs", 2019; J. Gu and others, "Towards computing a near-maximum weighted
/// independent set on massive graphs", 2021; the survey of E. Großmann, K. Langedal and C. Schulz,
/// arXiv 2412.09303, whose names the rules have.
/// Used by: Search, solve_on_host().
class WeightedRules {
 public:
  /// Applies the rules until none applies, or the interrupt stops it.
  void reduce(WeightedGraph& graph, vertex_cover::Interrupt& interrupt) {
    for (Vertex v = graph.next_touched(); v != none; v = graph.next_touched()) {
      work_ = 1;
      apply(graph, v);
      if (interrupt.stopped_after(work_)) {
        return;
      }
    }
  }

  /// Tries all rules at v, the cheapest first.
  bool apply(WeightedGraph& graph, Vertex v) {
    if (neighbourhood_removal(graph, v)) {
      return true;
    }
    if (graph.degree(v) > max_degree) {
      return false;
    }
    look(graph, v);
    return simplicial(graph) || single_edge(graph) || extended_single_edge(graph) || twin(graph) ||
           neighbourhood_fold(graph) || degree_two(graph);
  }

  /// Takes v if it weighs at least as much as its neighbours together.
  bool neighbourhood_removal(WeightedGraph& graph, Vertex v) {
    work_ += 1;
    if (!graph.outweighs_neighbours(v)) {
      return false;
    }
    graph.take(v);
    return true;
  }

  /// Reads the surroundings of v, for the rules below. They are valid until the graph changes.
  void look(WeightedGraph& graph, Vertex v) {
    around_.centre = v;
    auto& around = around_.around;
    around.assign(graph.neighbours(v).begin(), graph.neighbours(v).end());
    std::sort(around.begin(), around.end(),
              [&](Vertex x, Vertex y) { return graph.degree(x) < graph.degree(y); });
    around_.sum = around_.most = 0;
    around_.least = clique::max_weight_sum;
    for (Vertex const u : around) {
      around_.sum += graph.weight(u);
      around_.most = std::max(around_.most, graph.weight(u));
      around_.least = std::min(around_.least, graph.weight(u));
    }
    around_.apart.assign(around.size(), 0);
    around_.inner_edges = 0;
    around_.complete = find_pairs(graph);
  }

  /// All neighbours are adjacent to each other. So a set has at most one of them, and if it has
  /// none, it has the centre. A neighbour that is no heavier than the centre can be exchanged for
  /// it, and is dropped. If no heavier neighbour is left, the centre is taken. Else the centre is
  /// removed, and its weight is subtracted from each heavier neighbour.
  /// Names: isolated vertex removal, simplicial weight transfer. Also degrees 0 and 1.
  bool simplicial(WeightedGraph& graph) {
    std::size_t const degree = around_.around.size();
    if (!around_.complete || around_.inner_edges != degree * (degree - 1) / 2) {
      return false;
    }
    Vertex const centre = around_.centre;
    for (Vertex const u : around_.around) {
      if (graph.weight(u) <= graph.weight(centre)) {
        graph.drop(u);
      }
    }
    if (graph.degree(centre) == 0) {
      graph.take(centre);
    } else {
      graph.transfer(centre);
    }
    return true;
  }

  /// Drops each neighbour u that weighs, together with the neighbours of the centre that are not
  /// adjacent to u, no more than the centre. A set with u can have the centre instead of these. If
  /// all other neighbours are adjacent to u, this is dominance.
  /// Names: domination, basic single-edge.
  bool single_edge(WeightedGraph& graph) {
    if (!around_.complete) {
      return false;
    }
    Weight const weight = graph.weight(around_.centre);
    bool changed = false;
    // Dropping a neighbour makes no sum of the others larger, so the order does not matter.
    for (std::size_t i = 0; i < around_.around.size(); ++i) {
      if (graph.weight(around_.around[i]) + around_.apart[i] <= weight) {
        graph.drop(around_.around[i]);
        changed = true;
      }
    }
    return changed;
  }

  /// The centre weighs at least as much as all neighbours without u, the heaviest. Then some best
  /// set has the centre or u, and so none of their common neighbours, which are dropped.
  /// Name: extended single-edge.
  bool extended_single_edge(WeightedGraph& graph) {
    Vertex const centre = around_.centre;
    if (around_.around.size() < 2 || graph.weight(centre) < around_.sum - around_.most) {
      return false;
    }
    Vertex const heaviest =
        *std::find_if(around_.around.begin(), around_.around.end(),
                      [&](Vertex u) { return graph.weight(u) == around_.most; });
    if (graph.degree(heaviest) > max_row) {
      return false;
    }
    mark_around(graph);
    common_.clear();
    for (Vertex const z : graph.neighbours(heaviest)) {
      if (index_[z] != 0) {
        common_.push_back(z);
      }
    }
    unmark_around();
    work_ += graph.degree(heaviest);
    for (Vertex const u : common_) {
      graph.drop(u);
    }
    return !common_.empty();
  }

  /// Another vertex has the same neighbours. A best set has both or none, so they become one.
  bool twin(WeightedGraph& graph) {
    std::size_t const degree = around_.around.size();
    if (degree == 0 || graph.degree(around_.around.front()) > max_twins) {
      return false;
    }
    mark_around(graph);
    Vertex other = none;
    for (Vertex const u : graph.neighbours(around_.around.front())) {
      if (u == around_.centre || graph.degree(u) != degree) {
        continue;
      }
      auto const row = graph.neighbours(u);
      work_ += degree;
      if (std::all_of(row.begin(), row.end(), [&](Vertex z) { return index_[z] != 0; })) {
        other = u;
        break;
      }
    }
    unmark_around();
    if (other == none) {
      return false;
    }
    graph.merge(around_.centre, other);
    return true;
  }

  /// No two neighbours are adjacent, and the centre weighs at least as much as all of them without
  /// the lightest. Then some best set has the centre, or all neighbours.
  /// Names: neighbourhood folding, V-shape.
  bool neighbourhood_fold(WeightedGraph& graph) {
    std::size_t const degree = around_.around.size();
    Weight const weight = graph.weight(around_.centre);
    if (degree < 2 || degree > max_folded || !around_.complete || around_.inner_edges != 0 ||
        weight < around_.sum - around_.least || weight >= around_.sum) {
      return false;
    }
    graph.fold(around_.centre);
    return true;
  }

  /// Two neighbours that are not adjacent, one of them no heavier than the centre, the other
  /// heavier. A best set with the lighter one has the heavier one too.
  /// Name: V-shape.
  bool degree_two(WeightedGraph& graph) {
    Weight const weight = graph.weight(around_.centre);
    if (around_.around.size() != 2 || !around_.complete || around_.inner_edges != 0 ||
        weight < around_.least || weight >= around_.most) {
      return false;
    }
    Vertex light = around_.around[0];
    Vertex heavy = around_.around[1];
    if (graph.weight(light) > graph.weight(heavy)) {
      std::swap(light, heavy);
    }
    if (graph.degree(heavy) > max_joined) {
      return false;
    }
    work_ += graph.degree(heavy) + graph.degree(light);
    graph.fold_towards(around_.centre, light, heavy);
    return true;
  }

 private:
  // Limits of the work at one vertex. The rules are right for any values.
  static constexpr std::uint32_t max_degree = 64;
  static constexpr std::uint32_t max_row = 1024;
  static constexpr std::uint32_t max_twins = 64;
  static constexpr std::size_t max_folded = 4;
  static constexpr std::uint32_t max_joined = 16;

  /// Sets index_ for the neighbours of the centre.
  void mark_around(WeightedGraph const& graph) {
    index_.resize(std::max<std::size_t>(index_.size(), graph.vertices()));
    for (std::size_t i = 0; i < around_.around.size(); ++i) {
      index_[around_.around[i]] = static_cast<std::uint32_t>(i + 1);
    }
  }

  void unmark_around() {
    for (Vertex const u : around_.around) {
      index_[u] = 0;
    }
  }

  /// Finds the pairs of neighbours that are adjacent, and fills `apart`. Reads the shorter row of
  /// each pair. Returns false, and ends early, if no rule can apply any more, or if a row is long.
  bool find_pairs(WeightedGraph& graph) {
    auto const& around = around_.around;
    std::size_t const degree = around.size();
    Weight const weight = graph.weight(around_.centre);
    bool const may_fold = weight >= around_.sum - around_.least || degree == 2;
    mark_around(graph);
    bool complete = true;
    for (std::size_t i = 0; i + 1 < degree && complete; ++i) {
      if (graph.degree(around[i]) > max_row) {
        complete = false;
        break;
      }
      hit_.assign(degree, 0);
      for (Vertex const z : graph.neighbours(around[i])) {
        if (index_[z] > i + 1) {
          hit_[index_[z] - 1] = 1;
          ++around_.inner_edges;
        }
      }
      work_ += graph.degree(around[i]) + degree;
      for (std::size_t j = i + 1; j < degree; ++j) {
        if (hit_[j] == 0) {
          around_.apart[i] += graph.weight(around[j]);
          around_.apart[j] += graph.weight(around[i]);
        }
      }
      complete = may_fold || may_be_simplicial(i) || may_drop(graph, weight);
    }
    unmark_around();
    return complete;
  }

  /// Whether all pairs in the rows read so far, up to index `row`, are adjacent.
  bool may_be_simplicial(std::size_t row) const {
    std::size_t const degree = around_.around.size();
    return around_.inner_edges == (row + 1) * (degree - 1) - row * (row + 1) / 2;
  }

  /// Whether single_edge() may still drop a neighbour.
  bool may_drop(WeightedGraph const& graph, Weight weight) const {
    for (std::size_t i = 0; i < around_.around.size(); ++i) {
      if (graph.weight(around_.around[i]) + around_.apart[i] <= weight) {
        return true;
      }
    }
    return false;
  }

  Surroundings around_;
  std::vector<std::uint32_t> index_;  ///< by vertex: one more than its index in around; 0: none
  std::vector<std::uint8_t> hit_;     ///< by index in around: whether a row has it
  std::vector<Vertex> common_;
  std::uint64_t work_ = 0;  ///< row entries that were read at one vertex
};

}  // namespace taper::independent_set
