// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/host_graph.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace taper::vertex_cover::branch_and_reduce {

/// The complement of a small dense graph, as one row of bits per vertex. Vertices are renumbered: a
/// *position* is an index in an order that suits branch and bound.
///
/// Used by: MaxClique, CliqueBound.
class CliqueGraph {
 public:
  using Word = std::uint64_t;

  explicit CliqueGraph(HostGraph const& graph)
      : n_(static_cast<Vertex>(graph.vertices())), words_((n_ + 63) / 64) {
    order_vertices(graph);
    std::vector<Vertex> rank(n_);
    for (Vertex i = 0; i < n_; ++i) {
      rank[vertex_[i]] = i;
    }
    rows_.assign(std::size_t{n_} * words_, 0);
    for (Vertex i = 0; i < n_; ++i) {
      Word* const row = rows_.data() + std::size_t{i} * words_;
      for (Vertex j = 0; j < n_; ++j) {
        set(row, j);
      }
      clear(row, i);
      for (Vertex const u : graph.neighbours(vertex_[i])) {
        clear(row, rank[u]);
      }
    }
  }

  Vertex size() const { return n_; }
  std::size_t words() const { return words_; }
  /// The original vertex at a position of the order.
  Vertex vertex(Vertex position) const { return vertex_[position]; }
  /// The bits of the positions that are adjacent in the complement.
  Word const* neighbours(Vertex position) const {
    return rows_.data() + std::size_t{position} * words_;
  }

  static void set(Word* bits, Vertex v) { bits[v / 64] |= Word{1} << v % 64; }
  static void clear(Word* bits, Vertex v) { bits[v / 64] &= ~(Word{1} << v % 64); }

  template <class Visit>
  void for_each(Word const* bits, Visit const& visit) const {
    for (std::size_t w = 0; w < words_; ++w) {
      for (Word rest = bits[w]; rest != 0; rest &= rest - 1) {
        visit(static_cast<Vertex>(w * 64 + static_cast<unsigned>(std::countr_zero(rest))));
      }
    }
  }

 private:
  /// Minimum width order of the complement: the last vertex has the lowest degree there, and so on
  /// backwards, each time among the vertices that are not placed yet.
  void order_vertices(HostGraph const& graph) {
    std::vector<std::uint32_t> degree(n_);  // in the complement, among vertices without a position
    std::vector<bool> placed(n_, false);
    for (Vertex v = 0; v < n_; ++v) {
      degree[v] = n_ - 1 - static_cast<std::uint32_t>(graph.degree(v));
    }
    vertex_.resize(n_);
    std::vector<bool> in_row(n_);
    for (Vertex position = n_; position-- > 0;) {
      Vertex least = n_;
      for (Vertex v = 0; v < n_; ++v) {
        if (!placed[v] && (least == n_ || degree[v] < degree[least])) {
          least = v;
        }
      }
      placed[least] = true;
      vertex_[position] = least;
      std::fill(in_row.begin(), in_row.end(), false);
      for (Vertex const u : graph.neighbours(least)) {
        in_row[u] = true;
      }
      for (Vertex v = 0; v < n_; ++v) {
        degree[v] -= !in_row[v] && v != least ? 1u : 0u;
      }
    }
  }

  Vertex n_;
  std::size_t words_;
  std::vector<Vertex> vertex_;  ///< by position
  std::vector<Word> rows_;
};

}  // namespace taper::vertex_cover::branch_and_reduce
