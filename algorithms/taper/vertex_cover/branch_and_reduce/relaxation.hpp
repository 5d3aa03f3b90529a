// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/interrupt.hpp>
#include <taper/vertex_cover/standard/reduction_graph.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace taper::vertex_cover::standard {

/// A matching of the bipartite double cover: an edge joins the left copy of each vertex to the
/// right copies of its neighbours. A maximum one solves the linear relaxation of vertex cover, whose
/// optimum is half its size.
struct Matching {
  std::vector<Vertex> right_of;  ///< by left copy; none where it is free
  std::vector<Vertex> left_of;   ///< by right copy

  void assign(std::size_t n) {
    right_of.assign(n, none);
    left_of.assign(n, none);
  }

  /// The part of another matching between vertices that have new numbers.
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

/// Reductions by the linear relaxation.
class Relaxation {
 public:
  explicit Relaxation(Interrupt& interrupt) : interrupt_(interrupt) {}

  /// Makes the matching maximum, and decides what the relaxation decides: all that are 0 or 1 in
  /// some half-integral optimum. True if that was any; if not, all halves is the only optimum, unless the run is over.
  ///
  /// Crowns are found on the way: they are 0 in some optimum.
  /// Cost: O(edges sqrt(vertices)), near-linear where the matching was nearly maximum.
  /// Source: Nemhauser and Trotter 1975; Iwata, Oka and Yoshida 2014.
  bool reduce(ReductionGraph& graph, Matching& matching) {
    return maximize(graph, matching) && (decide_reached(graph) || decide_closed(graph, matching));
  }

 private:
  /// Hopcroft and Karp 1973, from the matching at hand. False if it was interrupted.
  bool maximize(ReductionGraph& graph, Matching& matching) {
    Vertex const n = graph.vertices();
    drop_stale(graph, matching);
    match_greedily(graph, matching);
    queue_.clear();
    level_.assign(n, none);
    next_.assign(n, 0);
    while (find_levels(graph, matching)) {
      for (Vertex const v : free_) {
        augment(graph, matching, v);
      }
    }
    return !interrupt_.over();
  }

  /// Removals and folds may have taken away what was matched.
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

  /// Breadth first from the free left copies; false if no free right copy is reached, or the run is
  /// over. If it is not, level_ then tells what is reached: exactly the left copies that have one.
  bool find_levels(ReductionGraph& graph, Matching const& matching) {
    for (Vertex const v : queue_) {
      level_[v] = none;
    }
    queue_.clear();
    free_.clear();
    for (Vertex v = 0; v < graph.vertices(); ++v) {
      if (graph.alive(v) && matching.right_of[v] == none) {
        level_[v] = 0;
        next_[v] = 0;
        queue_.push_back(v);
      }
    }
    free_ = queue_;
    bool found = false;
    for (std::size_t head = 0; head < queue_.size(); ++head) {
      Vertex const v = queue_[head];
      if (interrupt_.over_after(graph.degree(v))) {
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

  /// Depth first along the levels to a free right copy. next_[v]: v's first entry not tried yet.
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

  /// Koenig's theorem on what the last search reached: a vertex with only its left copy reached is
  /// 0, with only its right copy 1, others a half.
  bool decide_reached(ReductionGraph& graph) {
    if (queue_.empty()) {
      return false;
    }
    right_.reset(graph.vertices());
    for (Vertex const v : queue_) {
      for (Vertex const u : graph.neighbours(v)) {
        right_.insert(u);
      }
    }
    auto const before = graph.live_vertices();
    for (Vertex const v : queue_) {
      if (graph.alive(v) && !right_.contains(v)) {
        graph.exclude(v);
      }
    }
    return graph.live_vertices() != before;
  }

  /// With a perfect matching, other optima come from sets that are closed in the residual graph
  /// (left copies to all right copies beside them, right copies to their partners) and hold no
  /// vertex's two copies: the left copies are 0, the right copies 1. Takes the strong components
  /// (Tarjan 1972, sinks first) that reach only such components.
  bool decide_closed(ReductionGraph& graph, Matching const& matching) {
    Vertex const n = graph.vertices();
    order_.assign(2 * std::size_t{n}, 0);
    low_.assign(2 * std::size_t{n}, 0);
    next_.assign(n, 0);
    mark_.assign(2 * std::size_t{n}, Mark::unseen);
    closed_.clear();
    count_ = 0;
    for (Vertex v = 0; v < n; ++v) {
      if (graph.alive(v) && order_[v] == 0) {
        visit_from(graph, matching, v);
      }
    }
    for (Vertex const v : closed_) {
      graph.exclude(v);
    }
    return !closed_.empty();
  }

  enum class Mark : std::uint8_t { unseen, stacked, closed, open };

  /// Nodes: v is the left copy of vertex v, n + v the right one.
  void visit_from(ReductionGraph& graph, Matching const& matching, Vertex root) {
    Vertex const n = graph.vertices();
    auto const push = [&](Vertex node) {
      order_[node] = low_[node] = ++count_;
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
        // A component's end is reached through its left copies alone.
        while (next_[node] < row.size()) {
          Vertex const right = n + row[next_[node]];
          if (order_[right] == 0) {
            next = right;
            break;
          }
          if (mark_[right] == Mark::stacked) {
            low_[node] = std::min(low_[node], order_[right]);
          }
          ++next_[node];
        }
      } else {
        Vertex const left = matching.left_of[node - n];
        if (order_[left] == 0) {
          next = left;
        } else if (mark_[left] == Mark::stacked) {
          low_[node] = std::min(low_[node], order_[left]);
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
      if (low_[node] == order_[node]) {
        finish_component(graph, matching, node);
      }
    }
  }

  void finish_component(ReductionGraph& graph, Matching const& matching, Vertex root) {
    Vertex const n = graph.vertices();
    auto const begin = std::find(component_.rbegin(), component_.rend(), root).base() - 1;
    auto const twin = [&](Vertex node) { return node < n ? node + n : node - n; };
    auto const leaves_closed = [&](Vertex node) {
      auto const fine = [&](Vertex to) {
        return mark_[to] == Mark::closed || mark_[to] == Mark::stacked;
      };
      if (node >= n) {
        return fine(matching.left_of[node - n]);
      }
      auto const row = graph.neighbours(node);
      return std::all_of(row.begin(), row.end(), [&](Vertex u) { return fine(n + u); });
    };
    right_.reset(2 * std::size_t{n});
    std::for_each(begin, component_.end(), [&](Vertex node) { right_.insert(node); });
    bool const closed = std::all_of(begin, component_.end(), [&](Vertex node) {
      return !right_.contains(twin(node)) && mark_[twin(node)] != Mark::closed &&
             leaves_closed(node);
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
  std::vector<std::uint32_t> level_, next_;
  std::vector<Vertex> free_, queue_, path_;
  VertexSet right_;

  std::vector<std::uint32_t> order_, low_;
  std::vector<Mark> mark_;
  std::vector<Vertex> component_, closed_;
  std::uint32_t count_ = 0;
};

}  // namespace taper::vertex_cover::standard
