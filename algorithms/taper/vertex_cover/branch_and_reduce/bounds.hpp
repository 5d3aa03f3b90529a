// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/standard/reduction_graph.hpp>
#include <taper/vertex_cover/standard/relaxation.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace taper::vertex_cover::standard {

/// Lower bounds on the cover of a live graph.
/// Source: Akiba and Iwata 2016, section 3.4.
class Bounds {
 public:
  /// All but one vertex of each clique of a partition, which is kept in `clique_of` (a number below
  /// graph.vertices() for each live vertex, none for the others). An empty one is made greedily, by
  /// ascending degree. Then up to `rounds` of iterated greedy look for fewer cliques, until the bound
  /// is `enough`: vertices are dealt out again, those of one clique in a row, which never makes more.
  /// Source: Culberson and Luo 1996 for the iteration, on colourings.
  std::uint32_t clique_cover(ReductionGraph& graph, std::vector<Vertex>& clique_of,
                             std::uint32_t rounds, std::uint32_t enough) {
    std::uint32_t bound = 0;
    if (clique_of.empty()) {
      sort_by_degree(graph);
      bound = deal_out(graph, clique_of);
    } else {
      bound = graph.live_vertices() - sort_by_clique(graph, clique_of);
    }
    for (; rounds > 0 && bound < enough; --rounds) {
      sort_by_clique(graph, clique_of);
      bound = deal_out(graph, clique_of);
    }
    return bound;
  }

  /// A perfect matching of the double cover is a partition into directed cycles. Of each, half the
  /// vertices are covered, rounded up; all but one if they are a clique. A long even cycle with
  /// chords that cut it into two odd ones counts as these.
  ///
  /// Requires: a perfect matching, as Relaxation leaves it.
  std::uint32_t cycle_cover(ReductionGraph& graph, Matching const& matching) {
    Vertex const n = graph.vertices();
    seen_.assign(n, 0);
    place_.assign(n, none);
    std::uint32_t bound = 0;
    for (Vertex start = 0; start < n; ++start) {
      if (!graph.alive(start) || seen_[start] != 0) {
        continue;
      }
      cycle_.clear();
      for (Vertex v = start; seen_[v] == 0; v = matching.right_of[v]) {
        seen_[v] = 1;
        place_[v] = static_cast<Vertex>(cycle_.size());
        cycle_.push_back(v);
      }
      bound += bound_of_cycle(graph);
      for (Vertex const v : cycle_) {
        place_[v] = none;
      }
    }
    return bound;
  }

 private:
  /// Gives each vertex of order_ to the largest clique that takes it, or makes it a new one.
  std::uint32_t deal_out(ReductionGraph& graph, std::vector<Vertex>& clique_of) {
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
    counting_sort(order_, by_key_, [&](Vertex v) { return graph.degree(v); });
    order_.swap(by_key_);
  }

  /// Vertices of one clique in a row; cliques at random, and of three times once the largest and
  /// once the smallest first. Returns how many there are.
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
      std::swap(cliques_[i - 1], cliques_[below(static_cast<std::uint32_t>(i))]);
    }
    if (++turn_ % 3 != 0) {
      std::uint32_t const largest = *std::max_element(size_.begin(), size_.end());
      bool const descending = turn_ % 3 == 1;
      counting_sort(cliques_, by_key_,
                    [&](Vertex c) { return descending ? largest - size_[c] : size_[c]; });
      cliques_.swap(by_key_);
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
    std::uint32_t most = 0;
    for (Vertex const item : items) {
      most = std::max(most, key(item));
    }
    begin_.assign(std::size_t{most} + 2, 0);
    for (Vertex const item : items) {
      ++begin_[key(item) + 1];
    }
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    out.resize(items.size());
    for (Vertex const item : items) {
      out[begin_[key(item)]++] = item;
    }
  }

  std::uint32_t below(std::uint32_t bound) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<std::uint32_t>((state_ >> 32) * bound >> 32);
  }

  std::uint32_t bound_of_cycle(ReductionGraph& graph) const {
    auto const length = static_cast<std::uint32_t>(cycle_.size());
    bool const clique = std::all_of(cycle_.begin(), cycle_.end(), [&](Vertex v) {
      auto const row = graph.neighbours(v);
      return row.size() + 1 >= length && std::count_if(row.begin(), row.end(), [&](Vertex u) {
                                           return place_[u] != none;
                                         }) == static_cast<std::ptrdiff_t>(length) - 1;
    });
    if (clique) {
      return length - 1;
    }
    bool const even = length % 2 == 0;
    return (length + 1) / 2 + (even && length >= 6 && splits_into_odd(graph) ? 1 : 0);
  }

  /// Edges (c[i], c[j + 1]) and (c[j], c[i + 1]) with j - i odd and at least 3 make two odd
  /// cycles: c[i + 1] .. c[j] and the rest.
  bool splits_into_odd(ReductionGraph& graph) const {
    auto const length = static_cast<std::uint32_t>(cycle_.size());
    for (std::uint32_t i = 0; i < length; ++i) {
      for (Vertex const u : graph.neighbours(cycle_[i])) {
        Vertex const after_j = place_[u];
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

  std::vector<Vertex> order_, by_key_, cliques_, cycle_, place_;
  std::vector<std::uint32_t> begin_, seen_, size_;
  std::uint32_t turn_ = 0;
  std::uint64_t state_ = 0x9E3779B97F4A7C15u;
};

}  // namespace taper::vertex_cover::standard
