// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/interrupt.hpp>
#include <taper/vertex_cover/standard/reduction_graph.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace taper::vertex_cover::standard {

/// Improves the bound of a clique partition, which is exact only if an independent set has one
/// vertex of every clique.
///
/// Supposes that it has, and looks for contradictions: a vertex in the set rules out its
/// neighbours, a clique with one vertex left must give that one, and one with none left is a
/// contradiction. If every vertex of a clique leads to one, the cliques involved cannot all be met:
/// they raise the bound by one, and are not used again.
/// Source: Li and Quan 2010 for cliques and colours (unit propagation and failed literals).
class CliquePropagation {
 public:
  explicit CliquePropagation(Interrupt& interrupt) : interrupt_(interrupt) {}

  /// Contradictions among the cliques of `clique_of` (numbers below graph.vertices(), none for dead
  /// vertices), up to `wanted`; fewer where the run is over.
  std::uint32_t contradictions(ReductionGraph& graph, std::vector<Vertex> const& clique_of,
                               std::uint32_t wanted) {
    prepare(graph, clique_of);
    std::uint32_t found = 0;
    for (std::uint32_t const most_steps : {16u, 128u, 1024u}) {
      most_steps_ = most_steps;
      for (Vertex const clique : by_size_) {
        if (found == wanted || interrupt_.over_after(std::exchange(work_, 1))) {
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

  /// After contradictions(): the vertices that lead to one. A set that meets all cliques not used
  /// up has none of them.
  std::vector<Vertex> const& failing(ReductionGraph& graph) {
    failed_.clear();
    for (Vertex v = 0; v < graph.vertices(); ++v) {
      if (interrupt_.over_after(std::exchange(work_, 1))) {
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
    count_.assign(begin_.begin() + 1, begin_.end());
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    members_.resize(graph.live_vertices());
    std::vector<std::uint32_t>& next = steps_at_;
    next.assign(begin_.begin(), begin_.end() - 1);
    by_size_.clear();
    for (Vertex v = 0; v < n; ++v) {
      if (graph.alive(v)) {
        members_[next[clique_of[v]]++] = v;
      }
      if (count_[v] > 0) {
        by_size_.push_back(v);
      }
    }
    std::sort(by_size_.begin(), by_size_.end(), [&](Vertex a, Vertex b) {
      return count_[a] != count_[b] ? count_[a] < count_[b] : a < b;
    });
    enabled_.assign(n, 1);
    reason_.assign(n, none);
    is_involved_.reset(n);
  }

  /// True if each member of the clique leads to a contradiction; then involved_ has all cliques
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

  bool propagate(ReductionGraph& graph, Vertex start) {
    std::vector<Vertex> const& clique_of = *clique_of_;
    removed_.clear();
    units_.assign(1, start);
    Vertex empty = none;
    for (std::size_t head = 0; head < units_.size() && empty == none; ++head) {
      Vertex const unit = units_[head];
      if (removed_.size() > most_steps_) {
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
        if (--count_[clique] == 0) {
          empty = clique;
          break;
        }
        if (count_[clique] == 1) {
          units_.push_back(last_of(clique));
        }
      }
    }
    if (empty != none) {
      involve(empty, start);
    }
    for (Vertex const u : removed_) {
      ++count_[clique_of[u]];
      reason_[u] = none;
    }
    return empty != none;
  }

  Vertex last_of(Vertex clique) const {
    return *std::find_if(members_.begin() + begin_[clique], members_.begin() + begin_[clique + 1],
                         [&](Vertex v) { return reason_[v] == none; });
  }

  /// The clique, and those whose last vertices emptied it, and theirs.
  void involve(Vertex clique, Vertex start) {
    if (is_involved_.insert(clique)) {
      involved_.push_back(clique);
    }
    // Cliques that took part before may have other reasons now: look at them again.
    walk_.assign(1, clique);
    walked_.reset(begin_.size());
    walked_.insert(clique);
    while (!walk_.empty()) {
      Vertex const at = walk_.back();
      walk_.pop_back();
      for (std::uint32_t i = begin_[at]; i < begin_[at + 1]; ++i) {
        Vertex const cause = reason_[members_[i]];
        if (cause == none || cause == start) {
          continue;
        }
        Vertex const from = (*clique_of_)[cause];
        if (walked_.insert(from)) {
          walk_.push_back(from);
        }
        if (is_involved_.insert(from)) {
          involved_.push_back(from);
        }
      }
    }
  }

  Interrupt& interrupt_;
  std::uint64_t work_ = 0;  ///< entries read since it was last told
  std::vector<Vertex> const* clique_of_ = nullptr;
  std::vector<std::uint32_t> begin_, count_, steps_at_;
  std::vector<Vertex> members_, by_size_, reason_;
  std::vector<std::uint8_t> enabled_;
  std::uint32_t most_steps_ = 0;

  std::vector<Vertex> removed_, units_, involved_, failed_, walk_;
  VertexSet is_involved_, walked_;
};

}  // namespace taper::vertex_cover::standard
