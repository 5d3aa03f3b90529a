// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/branch_and_reduce/reduction_graph.hpp>
#include <taper/vertex_cover/interrupt.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace taper::vertex_cover::branch_and_reduce {

/// Improves the lower bound of a clique partition: vertices minus cliques.
///
/// That bound is exact only if some independent set has one vertex of every clique. Unit
/// propagation assumes this and looks for contradictions. A vertex in the set removes its
/// neighbours. A clique with one vertex left must contribute it. A clique with no vertex left is a
/// contradiction. If every vertex of a clique leads to a contradiction, no independent set meets
/// all cliques involved: they raise the bound by one and are not used again.
///
/// Used by: Search::lower_bound().
/// Source: Li and Quan 2010 for cliques and colours (unit propagation and failed literals).
class CliquePropagation {
 public:
  explicit CliquePropagation(Interrupt& interrupt) : interrupt_(interrupt) {}

  /// Returns the number of contradictions with disjoint sets of cliques, at most `wanted`; fewer
  /// after an interrupt. `clique_of`, by vertex: a number below graph.vertices(), none for a dead
  /// vertex.
  std::uint32_t count_contradictions(ReductionGraph& graph, std::vector<Vertex> const& clique_of,
                                     std::uint32_t wanted) {
    prepare(graph, clique_of);
    std::uint32_t found = 0;
    for (std::uint32_t const max_removals : {16u, 128u, 1024u}) {
      max_removals_ = max_removals;
      for (Vertex const clique : cliques_by_size_) {
        if (found == wanted || interrupt_.stopped_after(std::exchange(work_, 1))) {
          return found;
        }
        if (enabled_[clique] != 0 && all_fail(graph, clique)) {
          for (Vertex const used : involved_) {
            enabled_[used] = 0;
          }
          ++found;
        }
      }
    }
    return found;
  }

  /// After count_contradictions(): the live vertices that lead to a contradiction among the cliques
  /// that are not used yet. An independent set that meets all of these cliques has none of them.
  std::vector<Vertex> const& failing_vertices(ReductionGraph& graph) {
    failed_.clear();
    for (Vertex v = 0; v < graph.vertices(); ++v) {
      if (interrupt_.stopped_after(std::exchange(work_, 1))) {
        break;
      }
      if (graph.alive(v) && propagate(graph, v)) {
        failed_.push_back(v);
      }
    }
    return failed_;
  }

 private:
  void prepare(ReductionGraph& graph, std::vector<Vertex> const& clique_of) {
    Vertex const n = graph.vertices();
    clique_of_ = &clique_of;
    begin_.assign(std::size_t{n} + 1, 0);
    for (Vertex v = 0; v < n; ++v) {
      if (graph.alive(v)) {
        ++begin_[clique_of[v] + 1];
      }
    }
    remaining_.assign(begin_.begin() + 1, begin_.end());
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    members_.resize(graph.live_vertices());
    std::vector<std::uint32_t>& next = scratch_;
    next.assign(begin_.begin(), begin_.end() - 1);
    cliques_by_size_.clear();
    for (Vertex v = 0; v < n; ++v) {
      if (graph.alive(v)) {
        members_[next[clique_of[v]]++] = v;
      }
      if (remaining_[v] > 0) {
        cliques_by_size_.push_back(v);
      }
    }
    std::sort(cliques_by_size_.begin(), cliques_by_size_.end(), [&](Vertex a, Vertex b) {
      return remaining_[a] != remaining_[b] ? remaining_[a] < remaining_[b] : a < b;
    });
    enabled_.assign(n, 1);
    reason_.assign(n, none);
    is_involved_.reset(n);
  }

  /// True if each vertex of the clique leads to a contradiction; then involved_ has all cliques
  /// that took part.
  bool all_fail(ReductionGraph& graph, Vertex clique) {
    involved_.assign(1, clique);
    is_involved_.reset(graph.vertices());
    is_involved_.insert(clique);
    for (std::uint32_t i = begin_[clique]; i < begin_[clique + 1]; ++i) {
      if (!propagate(graph, members_[i])) {
        return false;
      }
    }
    return true;
  }

  /// Unit propagation from `start` in the set. True: a contradiction, whose cliques join involved_.
  /// Gives up after max_removals_.
  bool propagate(ReductionGraph& graph, Vertex start) {
    std::vector<Vertex> const& clique_of = *clique_of_;
    removed_.clear();
    units_.assign(1, start);
    Vertex empty = none;
    for (std::size_t head = 0; head < units_.size() && empty == none; ++head) {
      Vertex const unit = units_[head];
      if (removed_.size() > max_removals_) {
        break;
      }
      auto const row = graph.neighbours(unit);
      work_ += row.size();
      for (Vertex const u : row) {
        Vertex const clique = clique_of[u];
        if (clique == clique_of[unit] || enabled_[clique] == 0 || reason_[u] != none) {
          continue;
        }
        reason_[u] = unit;
        removed_.push_back(u);
        if (--remaining_[clique] == 0) {
          empty = clique;
          break;
        }
        if (remaining_[clique] == 1) {
          units_.push_back(last_of(clique));
        }
      }
    }
    if (empty != none) {
      involve(empty, start);
    }
    for (Vertex const u : removed_) {
      ++remaining_[clique_of[u]];
      reason_[u] = none;
    }
    return empty != none;
  }

  Vertex last_of(Vertex clique) const {
    return *std::find_if(members_.begin() + begin_[clique], members_.begin() + begin_[clique + 1],
                         [&](Vertex v) { return reason_[v] == none; });
  }

  /// Adds to involved_ the empty clique and, transitively, each clique whose last vertex removed a
  /// vertex of an added one.
  void involve(Vertex clique, Vertex start) {
    if (is_involved_.insert(clique)) {
      involved_.push_back(clique);
    }
    // A clique that an earlier propagation involved may have other causes now: walk through it
    // again.
    walk_.assign(1, clique);
    walked_.reset(begin_.size());
    walked_.insert(clique);
    while (!walk_.empty()) {
      Vertex const current = walk_.back();
      walk_.pop_back();
      for (std::uint32_t i = begin_[current]; i < begin_[current + 1]; ++i) {
        Vertex const cause = reason_[members_[i]];
        if (cause == none || cause == start) {
          continue;
        }
        Vertex const other = (*clique_of_)[cause];
        if (walked_.insert(other)) {
          walk_.push_back(other);
        }
        if (is_involved_.insert(other)) {
          involved_.push_back(other);
        }
      }
    }
  }

  Interrupt& interrupt_;
  std::uint64_t work_ = 0;  ///< entries read since the interrupt was last asked
  std::vector<Vertex> const* clique_of_ = nullptr;
  std::vector<Vertex> members_;           ///< the vertices, clique by clique
  std::vector<std::uint32_t> begin_;      ///< by clique: its first index in members_
  std::vector<std::uint32_t> remaining_;  ///< by clique: its vertices that are not removed
  std::vector<std::uint8_t> enabled_;     ///< by clique: 0 if it is used in a contradiction
  std::vector<Vertex> reason_;            ///< by vertex: the one that removed it, or none
  std::vector<Vertex> cliques_by_size_;   ///< ascending
  std::vector<std::uint32_t> scratch_;
  std::uint32_t max_removals_ = 0;

  std::vector<Vertex> removed_, units_, involved_, failed_, walk_;
  VertexSet is_involved_, walked_;
};

}  // namespace taper::vertex_cover::branch_and_reduce
