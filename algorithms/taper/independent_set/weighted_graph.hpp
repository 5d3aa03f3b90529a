// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/independent_set/options.hpp>
#include <taper/vertex_cover/branch_and_reduce/live_graph.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace taper::independent_set {

using vertex_cover::branch_and_reduce::none;

/// The weighted graph that the reduction rules rewrite. lift() turns a set of the live graph into a
/// set of the assigned graph.
///
/// Invariant: a set of maximum weight of the live graph, lifted, has maximum weight in the assigned
/// graph, and weighs offset() more there. Any other independent set, lifted, is independent, and
/// weighs at least offset() more. Live weights are positive.
/// Used by: WeightedRules, Search, solve_on_host().
class WeightedGraph : public vertex_cover::branch_and_reduce::LiveGraph {
 public:
  /// Assigns a whole graph, and drops its vertices of weight 0.
  void assign(HostGraph const& graph, std::span<Weight const> weights) {
    assign_rows(graph);
    clear_set();
    weight_.assign(weights.begin(), weights.end());
    for (Vertex v = 0; v < vertices(); ++v) {
      if (weight_[v] == 0) {
        drop(v);
      }
    }
  }

  /// Assigns the subgraph of the live vertices `part` of another graph: see assign_rows().
  void assign(WeightedGraph& from, std::span<Vertex const> part, std::vector<Vertex>& new_id) {
    assign_rows(from, part, new_id);
    clear_set();
    weight_.clear();
    for (Vertex const v : part) {
      weight_.push_back(from.weight_[v]);
    }
  }

  Weight weight(Vertex v) const { return weight_[v]; }
  Weight offset() const { return offset_; }
  /// The memory that this graph holds.
  std::size_t bytes() const {
    return bytes_of_rows() + weight_.capacity() * sizeof(Weight) + in_set_.capacity();
  }

  /// Whether v weighs at least as much as its neighbours together.
  ///
  /// Cost: reads the row of v until its sum exceeds the weight of v, so not the whole row of a hub.
  bool outweighs_neighbours(Vertex v) {
    Weight left = weight_[v];
    read_until(v, [&](Vertex u) { return (left -= weight_[u]) < 0; });
    return left >= 0;
  }

  /// Decides that v is in the set; its neighbours then are not.
  void take(Vertex v) {
    in_set_[v] = 1;
    offset_ += weight_[v];
    scratch_.assign(neighbours(v).begin(), neighbours(v).end());
    remove(v);
    for (Vertex const u : scratch_) {
      remove(u);
    }
  }

  /// Decides that v is not in the set.
  void drop(Vertex v) { remove(v); }

  /// Removes v, and subtracts its weight from each of its neighbours. A set without a neighbour of
  /// v, lifted, has v.
  ///
  /// Requires: the neighbours of v are a clique, and each is heavier than v.
  void transfer(Vertex v) {
    scratch_.assign(neighbours(v).begin(), neighbours(v).end());
    record(scratch_, {}, {std::span(&v, 1), {}});
    offset_ += weight_[v];
    remove(v);
    for (Vertex const u : scratch_) {
      lighten(u, weight_[v]);
    }
  }

  /// Merges two vertices into `kept`, which gets the weight of both. A set with `kept`, lifted, has
  /// both.
  ///
  /// Requires: they are not adjacent, and have the same neighbours.
  void merge(Vertex kept, Vertex other) {
    record(std::span(&kept, 1), {std::span(&other, 1), {}}, {});
    weight_[kept] += weight_[other];
    remove(other);
    touch(kept);
  }

  /// Contracts the neighbours of `centre` into one of them, and removes the centre. A set with that
  /// one, lifted, has all the neighbours; any other set has the centre.
  ///
  /// Requires: the centre has two neighbours or more, no two of which are adjacent. It weighs less
  /// than all of them together, and at least as much as all of them without the lightest.
  void fold(Vertex centre) {
    scratch_.assign(neighbours(centre).begin(), neighbours(centre).end());
    std::iter_swap(scratch_.begin(),
                   std::max_element(scratch_.begin(), scratch_.end(),
                                    [&](Vertex x, Vertex y) { return degree(x) < degree(y); }));
    Vertex const kept = scratch_.front();
    auto const others = std::span(scratch_).subspan(1);
    record(std::span(&kept, 1), {others, {}}, {std::span(&centre, 1), {}});
    offset_ += weight_[centre];
    weight_[kept] -= weight_[centre];
    remove(centre);
    for (Vertex const other : others) {
      weight_[kept] += weight_[other];
      contract(other, kept);
    }
    touch(kept);
  }

  /// Removes `centre`, subtracts its weight from `heavy`, and joins `light` to the neighbours of
  /// `heavy`. A set with `light`, lifted, has `heavy` too; a set with neither has the centre.
  ///
  /// Requires: `light` and `heavy` are not adjacent, and are the neighbours of the centre.
  /// weight(light) <= weight(centre) < weight(heavy).
  void fold_towards(Vertex centre, Vertex light, Vertex heavy) {
    record(std::span(&heavy, 1), {}, {std::span(&centre, 1), {}});
    record(std::span(&light, 1), {std::span(&heavy, 1), {}}, {});  // is undone first
    offset_ += weight_[centre];
    remove(centre);
    scratch_.assign(neighbours(heavy).begin(), neighbours(heavy).end());
    for (Vertex const u : scratch_) {
      if (!adjacent(u, light)) {
        join(u, light);
        touch(u);
      }
    }
    lighten(heavy, weight_[centre]);
    touch(light);
  }

  /// The decisions so far, by vertex: 1 if it was taken. To lift a set of the live graph, the
  /// caller marks its vertices in a copy of this.
  std::vector<std::uint8_t> const& in_set() const { return in_set_; }

  /// Lifts a set: undoes the folds, the last one first. If a witness of a fold is in the set, the
  /// vertices of its first list are added, else those of its second list. No fold removes a vertex
  /// from the set.
  ///
  /// `in_set`: a copy of in_set() in which the marked live vertices are independent.
  void lift(std::span<std::uint8_t> in_set) const {
    undo_folds([&](auto witnesses, auto with, auto without) {
      bool const any =
          std::any_of(witnesses.begin(), witnesses.end(), [&](Vertex v) { return in_set[v] != 0; });
      for (Vertex const v : any ? with : without) {
        in_set[v] = 1;
      }
    });
  }

  /// LiveGraph::next_touched(), which also touches the neighbours of a vertex that has lost weight.
  Vertex next_touched() {
    Vertex const v = LiveGraph::next_touched();
    // Touches them only now, and once: a hub may have lost weight to many leaves in the meantime.
    if (v != none && flag(v)) {
      set_flag(v, false);
      for (Vertex const u : neighbours(v)) {
        touch(u);
      }
    }
    return v;
  }

 private:
  void clear_set() {
    in_set_.assign(vertices(), 0);
    offset_ = 0;
  }

  /// Subtracts from a weight, and notes it for next_touched().
  void lighten(Vertex v, Weight by) {
    weight_[v] -= by;
    set_flag(v, true);
    touch(v);
  }

  std::vector<Weight> weight_;
  Weight offset_ = 0;
  std::vector<std::uint8_t> in_set_;
  std::vector<Vertex> scratch_;
};

}  // namespace taper::independent_set
