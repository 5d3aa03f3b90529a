// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/standard/reduction_graph.hpp>
#include <taper/vertex_cover/standard/relaxation.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace taper::vertex_cover::standard {

/// Lower bounds on the cover of a live graph.
/// Source: Akiba and Iwata 2016, section 3.4.
class Bounds {
 public:
  /// All but one vertex of each clique of a partition, made greedily by ascending degree: a vertex
  /// joins the largest clique that takes it.
  std::uint32_t clique_cover(ReductionGraph& graph) {
    Vertex const n = graph.vertices();
    sort_by_degree(graph);
    clique_of_.assign(n, none);
    size_.assign(n, 0);
    seen_.assign(n, 0);
    std::uint32_t cliques = 0;
    for (Vertex const v : by_degree_) {
      auto const row = graph.neighbours(v);
      Vertex best = none;
      for (Vertex const u : row) {
        Vertex const clique = clique_of_[u];
        if (clique != none && ++seen_[clique] == size_[clique] &&
            (best == none || size_[clique] > size_[best])) {
          best = clique;
        }
      }
      for (Vertex const u : row) {
        if (clique_of_[u] != none) {
          seen_[clique_of_[u]] = 0;
        }
      }
      if (best == none) {
        best = v;
        ++cliques;
      }
      clique_of_[v] = best;
      ++size_[best];
    }
    return graph.live_vertices() - cliques;
  }

  /// The partition that clique_cover() made: a number for each live vertex.
  std::vector<Vertex> const& cliques() const { return clique_of_; }

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
  void sort_by_degree(ReductionGraph& graph) {
    std::uint32_t most = 0;
    for (Vertex v = 0; v < graph.vertices(); ++v) {
      most = graph.alive(v) ? std::max(most, graph.degree(v)) : most;
    }
    begin_.assign(most + 2, 0);
    for (Vertex v = 0; v < graph.vertices(); ++v) {
      if (graph.alive(v)) {
        ++begin_[graph.degree(v) + 1];
      }
    }
    for (std::uint32_t d = 1; d < begin_.size(); ++d) {
      begin_[d] += begin_[d - 1];
    }
    by_degree_.resize(graph.live_vertices());
    for (Vertex v = 0; v < graph.vertices(); ++v) {
      if (graph.alive(v)) {
        by_degree_[begin_[graph.degree(v)]++] = v;
      }
    }
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

  std::vector<Vertex> by_degree_, clique_of_, size_, cycle_, place_;
  std::vector<std::uint32_t> begin_, seen_;
};

}  // namespace taper::vertex_cover::standard
