// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/branch_and_reduce/reduction_graph.hpp>
#include <taper/vertex_cover/interrupt.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace taper::vertex_cover::branch_and_reduce {

/// A matching of the bipartite double cover, in which an edge joins the left copy of each vertex to
/// the right copy of each neighbour. A maximum matching solves the linear relaxation of vertex
/// cover, whose optimum is half the matching's size.
///
/// Used by: Node, Relaxation, Bounds::cycle_cover().
struct Matching {
  std::vector<Vertex> right_of;  ///< by left copy; none: unmatched
  std::vector<Vertex> left_of;   ///< by right copy; none: unmatched

  void assign(std::size_t n) {
    right_of.assign(n, none);
    left_of.assign(n, none);
  }

  /// Copies the edges of `from` whose ends are both in `part`, with new vertex numbers.
  void assign(Matching const& from, std::vector<Vertex> const& part,
              std::vector<Vertex> const& new_id) {
    assign(part.size());
    for (Vertex v = 0; v < part.size(); ++v) {
      Vertex const right = from.right_of[part[v]];
      if (right != none && new_id[right] < part.size() && part[new_id[right]] == right) {
        right_of[v] = new_id[right];
        left_of[new_id[right]] = v;
      }
    }
  }
};

/// Reduction by the linear relaxation (Nemhauser and Trotter). Used by: Search.
class Relaxation {
 public:
  explicit Relaxation(Interrupt& interrupt) : interrupt_(interrupt) {}

  /// Makes the matching maximum and decides every vertex that is 0 or 1 in some half-integral
  /// optimum. True if it decided any. False: all halves is the only optimum, or the interrupt
  /// stopped it.
  ///
  /// This finds crowns, too: their independent sets are 0 in some optimum.
  /// Cost: O(edges sqrt(vertices)), near-linear if the matching is nearly maximum at the start.
  /// Source: Nemhauser and Trotter 1975; Iwata, Oka and Yoshida 2014.
  bool reduce(ReductionGraph& graph, Matching& matching) {
    return maximize(graph, matching) && (decide_reached(graph) || decide_closed(graph, matching));
  }

 private:
  /// Hopcroft and Karp 1973, from the given matching. False: the interrupt stopped it.
  bool maximize(ReductionGraph& graph, Matching& matching) {
    Vertex const n = graph.vertices();
    drop_stale(graph, matching);
    match_greedily(graph, matching);
    queue_.clear();
    level_.assign(n, none);
    next_.assign(n, 0);
    while (find_levels(graph, matching)) {
      for (Vertex const v : free_left_) {
        augment(graph, matching, v);
      }
    }
    return !interrupt_.stopped();
  }

  /// Drops matched edges that removals and folds have deleted.
  static void drop_stale(ReductionGraph& graph, Matching& matching) {
    for (Vertex v = 0; v < graph.vertices(); ++v) {
      Vertex const right = matching.right_of[v];
      if (right != none && !(graph.alive(v) && graph.alive(right) && graph.adjacent(v, right))) {
        matching.right_of[v] = none;
        matching.left_of[right] = none;
      }
    }
  }

  static void match_greedily(ReductionGraph& graph, Matching& matching) {
    for (Vertex v = 0; v < graph.vertices(); ++v) {
      if (!graph.alive(v) || matching.right_of[v] != none) {
        continue;
      }
      for (Vertex const u : graph.neighbours(v)) {
        if (matching.left_of[u] == none) {
          matching.right_of[v] = u;
          matching.left_of[u] = v;
          break;
        }
      }
    }
  }

  /// Breadth-first search from the unmatched left copies. False: no unmatched right copy is
  /// reached, or the interrupt stopped it. If it was not stopped, queue_ holds the left copies that
  /// are reached, and level_ is set for exactly these.
  bool find_levels(ReductionGraph& graph, Matching const& matching) {
    for (Vertex const v : queue_) {
      level_[v] = none;
    }
    queue_.clear();
    free_left_.clear();
    for (Vertex v = 0; v < graph.vertices(); ++v) {
      if (graph.alive(v) && matching.right_of[v] == none) {
        level_[v] = 0;
        next_[v] = 0;
        queue_.push_back(v);
      }
    }
    free_left_ = queue_;
    bool found = false;
    for (std::size_t head = 0; head < queue_.size(); ++head) {
      Vertex const v = queue_[head];
      if (interrupt_.stopped_after(graph.degree(v))) {
        return false;
      }
      for (Vertex const u : graph.neighbours(v)) {
        Vertex const w = matching.left_of[u];
        if (w == none) {
          found = true;
        } else if (level_[w] == none) {
          level_[w] = level_[v] + 1;
          next_[w] = 0;
          queue_.push_back(w);
        }
      }
    }
    return found;
  }

  /// Depth-first search along the levels for an unmatched right copy. next_[v]: the first entry of
  /// v's row that is not tried yet.
  void augment(ReductionGraph& graph, Matching& matching, Vertex root) {
    path_.assign(1, root);
    while (!path_.empty()) {
      Vertex const v = path_.back();
      auto const row = graph.neighbours(v);
      if (next_[v] == row.size()) {
        path_.pop_back();
        if (!path_.empty()) {
          ++next_[path_.back()];
        }
        continue;
      }
      Vertex const w = matching.left_of[row[next_[v]]];
      if (w == none) {
        for (Vertex const left : path_) {
          Vertex const right = graph.neighbours(left)[next_[left]++];
          matching.right_of[left] = right;
          matching.left_of[right] = left;
        }
        return;
      }
      if (level_[w] == level_[v] + 1) {
        path_.push_back(w);
      } else {
        ++next_[v];
      }
    }
  }

  /// Koenig's theorem on the copies that the last breadth-first search reached. A vertex is 0 if
  /// only its left copy is reached, 1 if only its right copy is, and a half otherwise.
  bool decide_reached(ReductionGraph& graph) {
    if (queue_.empty()) {
      return false;
    }
    seen_.reset(graph.vertices());
    for (Vertex const v : queue_) {
      for (Vertex const u : graph.neighbours(v)) {
        seen_.insert(u);
      }
    }
    auto const before = graph.live_vertices();
    for (Vertex const v : queue_) {
      if (graph.alive(v) && !seen_.contains(v)) {
        graph.exclude(v);
      }
    }
    return graph.live_vertices() != before;
  }

  /// Requires a perfect matching. Residual graph: an arc from each left copy to each adjacent right
  /// copy, and from each right copy to its partner. A set that no arc leaves, with at most one copy
  /// of each vertex, gives another optimum: its left copies are 0, its right copies 1.
  /// Excludes the left copies of all strong components (Tarjan 1972, sinks first) that reach only
  /// such components.
  bool decide_closed(ReductionGraph& graph, Matching const& matching) {
    Vertex const n = graph.vertices();
    index_.assign(2 * std::size_t{n}, 0);
    low_.assign(2 * std::size_t{n}, 0);
    next_.assign(n, 0);
    mark_.assign(2 * std::size_t{n}, Mark::unseen);
    closed_.clear();
    visited_ = 0;
    for (Vertex v = 0; v < n; ++v) {
      if (graph.alive(v) && index_[v] == 0) {
        strong_components_from(graph, matching, v);
      }
    }
    for (Vertex const v : closed_) {
      graph.exclude(v);
    }
    return !closed_.empty();
  }

  /// `closed`: in a component that qualifies for decide_closed(). `open`: in another one.
  enum class Mark : std::uint8_t { unseen, stacked, closed, open };

  /// Tarjan's search from one node. Node v is the left copy of vertex v, node n + v its right copy.
  void strong_components_from(ReductionGraph& graph, Matching const& matching, Vertex root) {
    Vertex const n = graph.vertices();
    auto const push = [&](Vertex node) {
      index_[node] = low_[node] = ++visited_;
      mark_[node] = Mark::stacked;
      component_.push_back(node);
      path_.push_back(node);
    };
    path_.clear();
    push(root);
    while (!path_.empty()) {
      Vertex const node = path_.back();
      Vertex next = none;
      if (node < n) {
        auto const row = graph.neighbours(node);
        // next_[node]: the first arc that is not followed yet. A right copy has one arc only.
        while (next_[node] < row.size()) {
          Vertex const right = n + row[next_[node]];
          if (index_[right] == 0) {
            next = right;
            break;
          }
          if (mark_[right] == Mark::stacked) {
            low_[node] = std::min(low_[node], index_[right]);
          }
          ++next_[node];
        }
      } else {
        Vertex const left = matching.left_of[node - n];
        if (index_[left] == 0) {
          next = left;
        } else if (mark_[left] == Mark::stacked) {
          low_[node] = std::min(low_[node], index_[left]);
        }
      }
      if (next != none) {
        push(next);
        continue;
      }
      path_.pop_back();
      if (!path_.empty()) {
        low_[path_.back()] = std::min(low_[path_.back()], low_[node]);
      }
      if (low_[node] == index_[node]) {
        finish_component(graph, matching, node);
      }
    }
  }

  /// Removes the strong component of `root` from the stack and marks it closed or open.
  void finish_component(ReductionGraph& graph, Matching const& matching, Vertex root) {
    Vertex const n = graph.vertices();
    auto const begin = std::find(component_.rbegin(), component_.rend(), root).base() - 1;
    auto const other_copy = [&](Vertex node) { return node < n ? node + n : node - n; };
    auto const leads_to_closed = [&](Vertex node) {
      auto const closed_or_own = [&](Vertex to) {
        return mark_[to] == Mark::closed || mark_[to] == Mark::stacked;
      };
      if (node >= n) {
        return closed_or_own(matching.left_of[node - n]);
      }
      auto const row = graph.neighbours(node);
      return std::all_of(row.begin(), row.end(), [&](Vertex u) { return closed_or_own(n + u); });
    };
    seen_.reset(2 * std::size_t{n});
    std::for_each(begin, component_.end(), [&](Vertex node) { seen_.insert(node); });
    bool const closed = std::all_of(begin, component_.end(), [&](Vertex node) {
      return !seen_.contains(other_copy(node)) && mark_[other_copy(node)] != Mark::closed &&
             leads_to_closed(node);
    });
    std::for_each(begin, component_.end(), [&](Vertex node) {
      mark_[node] = closed ? Mark::closed : Mark::open;
      if (closed && node < n) {
        closed_.push_back(node);
      }
    });
    component_.erase(begin, component_.end());
  }

  Interrupt& interrupt_;
  std::vector<std::uint32_t> level_;  ///< by left copy: its breadth-first level; none: not reached
  std::vector<std::uint32_t> next_;   ///< by left copy: the first entry that is not tried yet
  std::vector<Vertex> free_left_;     ///< the unmatched left copies
  std::vector<Vertex> queue_;         ///< the reached left copies
  std::vector<Vertex> path_;
  VertexSet seen_;

  // Tarjan's algorithm.
  std::vector<std::uint32_t> index_, low_;
  std::vector<Mark> mark_;
  std::vector<Vertex> component_;  ///< the stack of nodes without a component yet
  std::vector<Vertex> closed_;     ///< vertices whose left copies are in closed components
  std::uint32_t visited_ = 0;
};

}  // namespace taper::vertex_cover::branch_and_reduce
