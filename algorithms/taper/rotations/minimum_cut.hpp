// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/rotations/poset.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

namespace taper::rotations::detail {

[[noreturn]] inline void throw_overflow() {
  throw std::overflow_error("taper::rotations: a sum of weights does not fit into 64 bits");
}

/// a + b. Throws: std::overflow_error if the sum does not fit into 64 bits.
inline std::int64_t checked_sum(std::int64_t a, std::int64_t b) {
  using Limits = std::numeric_limits<std::int64_t>;
  if (b > 0 ? a > Limits::max() - b : a < Limits::min() - b) {
    throw_overflow();
  }
  return a + b;
}

/// -a. Throws: std::overflow_error if it does not fit into 64 bits.
inline std::int64_t checked_negative(std::int64_t a) {
  if (a == std::numeric_limits<std::int64_t>::min()) {
    throw_overflow();
  }
  return -a;
}

/// Finds a closed set of rotations with the least sum of weights, as a minimum cut.
///
/// The network has an arc from the source to each rotation with a negative weight, and one to the
/// sink from each with a positive weight, of that capacity. An arc without a limit goes from each
/// rotation to each predecessor. What the source reaches through a maximum flow's residual network
/// is closed, and is the least of the best sets. Dinic's algorithm finds the flow. It works on the
/// edges of the order, with the arcs of source and sink as numbers per rotation.
///
/// Source: Picard, "Maximal closure of a graph and applications to combinatorial problems",
///   Management Science 22(11), 1976; Irving, Leather and Gusfield, "An efficient algorithm for the
///   'optimal' stable marriage", J. ACM 34(3), 1987.
/// Cost: O(rotations^2 * edges) time at worst; in practice a few passes over the edges.
class MinimumCut {
 public:
  /// Throws: std::overflow_error if the negative or the positive weights have no 64-bit sum.
  MinimumCut(RotationPoset const& poset, std::span<std::int64_t const> weights)
      : poset_(poset), supply_(weights.size(), 0), room_(weights.size(), 0),
        flow_(poset.predecessors.entries.size(), 0), level_(weights.size(), none),
        next_arc_(weights.size(), 0) {
    std::int64_t all_supply = 0;
    std::int64_t all_room = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      supply_[i] = weights[i] < 0 ? checked_negative(weights[i]) : 0;
      room_[i] = std::max<std::int64_t>(weights[i], 0);
      all_supply = checked_sum(all_supply, supply_[i]);
      all_room = checked_sum(all_room, room_[i]);
    }
    // The rows of successors are sorted, so they fill up in the order of the predecessors' rows.
    edge_of_successor_.resize(flow_.size());
    std::vector<std::int64_t> next(poset.successors.offsets.begin(),
                                   poset.successors.offsets.end() - 1);
    for (std::size_t edge = 0; edge < flow_.size(); ++edge) {
      auto const before = static_cast<std::size_t>(poset.predecessors.entries[edge]);
      edge_of_successor_[static_cast<std::size_t>(next[before]++)] = edge;
    }
  }

  /// The members of the set, ascending. Of several best sets: the one that all others contain.
  /// Requires: one call.
  std::vector<std::int32_t> run() {
    while (find_levels()) {
      std::ranges::fill(next_arc_, 0);
      for (std::size_t source = 0; source < supply_.size(); ++source) {
        if (supply_[source] > 0) {
          push_from(source);
        }
      }
    }
    std::vector<std::int32_t> members;
    for (std::size_t i = 0; i < level_.size(); ++i) {
      if (level_[i] != none) {
        members.push_back(static_cast<std::int32_t>(i));
      }
    }
    return members;
  }

 private:
  static constexpr std::int32_t none = -1;
  static constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

  /// An arc of the residual network between rotations: an edge from `from` to its predecessor, or
  /// back along an edge that has flow.
  struct Arc {
    std::size_t from;
    std::size_t to;
    std::size_t edge;
    bool back;
  };

  std::int64_t arcs_of(std::size_t rotation) const {
    auto const r = static_cast<std::int64_t>(rotation);
    return static_cast<std::int64_t>(poset_.predecessors.row(r).size() +
                                     poset_.successors.row(r).size());
  }
  Arc arc(std::size_t from, std::int64_t i) const {
    auto const& [offsets, entries] = poset_.predecessors;
    std::int64_t const edge = offsets[from] + i;
    if (edge < offsets[from + 1]) {
      auto const e = static_cast<std::size_t>(edge);
      return {from, static_cast<std::size_t>(entries[e]), e, false};
    }
    auto const at =
        static_cast<std::size_t>(poset_.successors.offsets[from] + edge - offsets[from + 1]);
    return {from, static_cast<std::size_t>(poset_.successors.entries[at]), edge_of_successor_[at],
            true};
  }
  std::int64_t residual(Arc const& arc) const { return arc.back ? flow_[arc.edge] : unlimited; }

  /// Gives each rotation its distance from the source. False if the sink is out of reach.
  bool find_levels() {
    std::ranges::fill(level_, none);
    queue_.clear();
    bool reached = false;
    for (std::size_t i = 0; i < supply_.size(); ++i) {
      if (supply_[i] > 0) {
        level_[i] = 0;
        queue_.push_back(i);
      }
    }
    for (std::size_t head = 0; head < queue_.size(); ++head) {
      std::size_t const from = queue_[head];
      reached = reached || room_[from] > 0;
      for (std::int64_t i = 0; i < arcs_of(from); ++i) {
        Arc const step = arc(from, i);
        if (level_[step.to] == none && residual(step) > 0) {
          level_[step.to] = level_[from] + 1;
          queue_.push_back(step.to);
        }
      }
    }
    return reached;
  }

  /// Pushes the supply of `source` along arcs to the next level until no such path is left.
  void push_from(std::size_t source) {
    path_.clear();
    std::size_t at = source;
    for (;;) {
      if (room_[at] > 0) {
        at = augment(source, at);
        if (supply_[source] == 0) {
          return;
        }
      } else if (advance(at)) {
        at = path_.back().to;
      } else if (path_.empty()) {
        return;
      } else {
        level_[at] = none;  // a dead end until the next find_levels()
        at = path_.back().from;
        path_.pop_back();
      }
    }
  }

  /// Appends an arc from `at` to the path, if there is one.
  bool advance(std::size_t at) {
    for (std::int64_t& i = next_arc_[at]; i < arcs_of(at); ++i) {
      Arc const step = arc(at, i);
      if (level_[step.to] == level_[at] + 1 && residual(step) > 0) {
        path_.push_back(step);
        return true;
      }
    }
    return false;
  }

  /// Sends flow along the path into the room at its end. Returns the end of the part of the path
  /// that can take more.
  std::size_t augment(std::size_t source, std::size_t end) {
    std::int64_t amount = std::min(supply_[source], room_[end]);
    for (Arc const& step : path_) {
      amount = std::min(amount, residual(step));
    }
    supply_[source] -= amount;
    room_[end] -= amount;
    std::size_t kept = path_.size();
    for (std::size_t i = path_.size(); i-- > 0;) {
      flow_[path_[i].edge] += path_[i].back ? -amount : amount;
      if (residual(path_[i]) == 0) {
        kept = i;
      }
    }
    if (kept == path_.size()) {
      return end;
    }
    std::size_t const at = path_[kept].from;
    path_.resize(kept);
    return at;
  }

  RotationPoset const& poset_;
  std::vector<std::int64_t> supply_;  // per rotation: what is left of the source's arc
  std::vector<std::int64_t> room_;    // per rotation: what is left of the sink's arc
  std::vector<std::int64_t> flow_;    // per edge, from the rotation to its predecessor
  std::vector<std::int32_t> level_;
  std::vector<std::int64_t> next_arc_;  // per rotation: earlier arcs lead nowhere
  std::vector<std::size_t> edge_of_successor_;
  std::vector<std::size_t> queue_;
  std::vector<Arc> path_;
};

}  // namespace taper::rotations::detail
