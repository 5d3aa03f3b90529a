// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/branch_and_reduce/reduction_graph.hpp>
#include <taper/vertex_cover/branch_and_reduce/relaxation.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace taper::vertex_cover::branch_and_reduce {

/// Lower bounds on the covers of a live graph.
///
/// Used by: Search::lower_bound().
/// Source: Akiba and Iwata 2016, section 3.4.
class Bounds {
 public:
  /// The clique cover bound: live vertices minus the cliques of a partition. A cover leaves out at
  /// most one vertex of each clique.
  ///
  /// `clique_of`, in and out: by vertex, a number below graph.vertices(), none for a dead vertex.
  /// If it is empty, a greedy partition by ascending degree is made. Then up to `rounds` rounds of
  /// iterated greedy reduce the cliques, until the bound is `enough`: vertices are assigned again,
  /// clique by clique, which never makes more cliques.
  /// Source: Culberson and Luo 1996 for the iteration, on colourings.
  std::uint32_t clique_cover(ReductionGraph& graph, std::vector<Vertex>& clique_of,
                             std::uint32_t rounds, std::uint32_t enough) {
    std::uint32_t bound = 0;
    if (clique_of.empty()) {
      sort_by_degree(graph);
      bound = assign_cliques(graph, clique_of);
    } else {
      bound = graph.live_vertices() - sort_by_clique(graph, clique_of);
    }
    for (; rounds > 0 && bound < enough; --rounds) {
      sort_by_clique(graph, clique_of);
      bound = assign_cliques(graph, clique_of);
    }
    return bound;
  }

  /// The cycle cover bound. A perfect matching of the bipartite double cover partitions the
  /// vertices into directed cycles. A cover has at least half of the vertices of each cycle,
  /// rounded up; all but one if they are a clique. An even cycle of length 6 or more with two
  /// chords that cut it into two odd cycles counts as those.
  ///
  /// Requires: a perfect matching, as Relaxation leaves it.
  std::uint32_t cycle_cover(ReductionGraph& graph, Matching const& matching) {
    Vertex const n = graph.vertices();
    seen_.assign(n, 0);
    position_.assign(n, none);
    std::uint32_t bound = 0;
    for (Vertex start = 0; start < n; ++start) {
      if (!graph.alive(start) || seen_[start] != 0) {
        continue;
      }
      cycle_.clear();
      for (Vertex v = start; seen_[v] == 0; v = matching.right_of[v]) {
        seen_[v] = 1;
        position_[v] = static_cast<Vertex>(cycle_.size());
        cycle_.push_back(v);
      }
      bound += bound_of_cycle(graph);
      for (Vertex const v : cycle_) {
        position_[v] = none;
      }
    }
    return bound;
  }

 private:
  /// Assigns each vertex of order_ to the largest clique that it extends, or to a new one, and
  /// returns the bound. seen_ counts, per clique, the vertex's neighbours in it.
  std::uint32_t assign_cliques(ReductionGraph& graph, std::vector<Vertex>& clique_of) {
    Vertex const n = graph.vertices();
    clique_of.assign(n, none);
    size_.assign(n, 0);
    seen_.assign(n, 0);
    std::uint32_t cliques = 0;
    for (Vertex const v : order_) {
      auto const row = graph.neighbours(v);
      Vertex best = none;
      for (Vertex const u : row) {
        Vertex const clique = clique_of[u];
        if (clique != none && ++seen_[clique] == size_[clique] &&
            (best == none || size_[clique] > size_[best])) {
          best = clique;
        }
      }
      for (Vertex const u : row) {
        if (clique_of[u] != none) {
          seen_[clique_of[u]] = 0;
        }
      }
      if (best == none) {
        best = v;
        ++cliques;
      }
      clique_of[v] = best;
      ++size_[best];
    }
    return graph.live_vertices() - cliques;
  }

  void sort_by_degree(ReductionGraph& graph) {
    order_.clear();
    graph.append_live(order_);
    counting_sort(order_, sorted_, [&](Vertex v) { return graph.degree(v); });
    order_.swap(sorted_);
  }

  /// Sets order_ to the vertices, clique by clique. The cliques are in random order, or by
  /// descending size, or by ascending size, in turns. Returns the number of cliques.
  std::uint32_t sort_by_clique(ReductionGraph& graph, std::vector<Vertex> const& clique_of) {
    Vertex const n = graph.vertices();
    size_.assign(n, 0);
    cliques_.clear();
    for (Vertex v = 0; v < n; ++v) {
      if (graph.alive(v) && size_[clique_of[v]]++ == 0) {
        cliques_.push_back(clique_of[v]);
      }
    }
    for (std::size_t i = cliques_.size(); i > 1; --i) {
      std::swap(cliques_[i - 1], cliques_[random_below(static_cast<std::uint32_t>(i))]);
    }
    if (++round_ % 3 != 0) {
      std::uint32_t const largest = *std::max_element(size_.begin(), size_.end());
      bool const descending = round_ % 3 == 1;
      counting_sort(cliques_, sorted_,
                    [&](Vertex c) { return descending ? largest - size_[c] : size_[c]; });
      cliques_.swap(sorted_);
    }
    std::uint32_t begin = 0;
    for (Vertex const c : cliques_) {
      begin += std::exchange(size_[c], begin);
    }
    order_.resize(graph.live_vertices());
    for (Vertex v = 0; v < n; ++v) {
      if (graph.alive(v)) {
        order_[size_[clique_of[v]]++] = v;
      }
    }
    return static_cast<std::uint32_t>(cliques_.size());
  }

  template <class Key>
  void counting_sort(std::vector<Vertex> const& items, std::vector<Vertex>& out, Key const& key) {
    std::uint32_t max_key = 0;
    for (Vertex const item : items) {
      max_key = std::max(max_key, key(item));
    }
    begin_.assign(std::size_t{max_key} + 2, 0);
    for (Vertex const item : items) {
      ++begin_[key(item) + 1];
    }
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    out.resize(items.size());
    for (Vertex const item : items) {
      out[begin_[key(item)]++] = item;
    }
  }

  std::uint32_t random_below(std::uint32_t bound) {
    random_state_ ^= random_state_ << 13;
    random_state_ ^= random_state_ >> 7;
    random_state_ ^= random_state_ << 17;
    return static_cast<std::uint32_t>((random_state_ >> 32) * bound >> 32);
  }

  std::uint32_t bound_of_cycle(ReductionGraph& graph) const {
    auto const length = static_cast<std::uint32_t>(cycle_.size());
    bool const clique = std::all_of(cycle_.begin(), cycle_.end(), [&](Vertex v) {
      auto const row = graph.neighbours(v);
      return row.size() + 1 >= length && std::count_if(row.begin(), row.end(), [&](Vertex u) {
                                           return position_[u] != none;
                                         }) == static_cast<std::ptrdiff_t>(length) - 1;
    });
    if (clique) {
      return length - 1;
    }
    bool const even = length % 2 == 0;
    return (length + 1) / 2 + (even && length >= 6 && splits_into_odd(graph) ? 1 : 0);
  }

  /// Whether two chords split the cycle c into two odd cycles. The chords are c[i] - c[j + 1] and
  /// c[j] - c[i + 1]; j - i is odd and at least 3. One cycle is c[i + 1] .. c[j], the other the
  /// rest.
  bool splits_into_odd(ReductionGraph& graph) const {
    auto const length = static_cast<std::uint32_t>(cycle_.size());
    for (std::uint32_t i = 0; i < length; ++i) {
      for (Vertex const u : graph.neighbours(cycle_[i])) {
        Vertex const after_j = position_[u];
        if (after_j == none || after_j < i + 4 || (after_j - i) % 2 != 0) {
          continue;
        }
        if (graph.adjacent(cycle_[after_j - 1], cycle_[i + 1])) {
          return true;
        }
      }
    }
    return false;
  }

  std::vector<Vertex> order_, sorted_, cliques_, cycle_, position_;
  std::vector<std::uint32_t> begin_, seen_, size_;
  std::uint32_t round_ = 0;
  std::uint64_t random_state_ = 0x9E3779B97F4A7C15u;
};

}  // namespace taper::vertex_cover::branch_and_reduce
