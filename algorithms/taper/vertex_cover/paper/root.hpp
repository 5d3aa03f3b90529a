// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/host_graph.hpp>
#include <taper/vertex_cover/paper/crown.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace taper::vertex_cover::paper {

/// What the reductions leave, as a graph of its own: its components one after the other, the largest
/// first, each in the order of a search from one end, so that what falls apart later lies in short
/// ranges.
struct InducedGraph {
  HostGraph graph;                   ///< rows sorted
  std::vector<Vertex> original;      ///< what each vertex is in the graph that was reduced
  std::vector<Vertex> component_at;  ///< first vertex of each component, and the number of vertices
};

/// The reductions at the root of the search tree (Section IV-B), each until none applies: degree
/// one, degree-two triangle, high degree, crown.
class RootReduction {
 public:
  /// Covers of less than `below` vertices alone are looked for: the high-degree rule needs that. The
  /// graph's rows are sorted.
  RootReduction(HostGraph const& graph, std::uint64_t below)
      : graph_(graph), below_(below), degree_(graph.vertices()), fate_(graph.vertices(), live) {
    for (Vertex v = 0; v < graph.vertices(); ++v) {
      degree_[v] = graph.degree(v);
      touch(v);
    }
  }

  RootReduction(HostGraph&&, std::uint64_t) = delete;  // the graph is only referred to

  /// Cost: near-linear but for the crown rule's matchings, see Crowns.
  void run() {
    Crowns crowns(graph_);
    do {
      do {
        reduce_small_degrees();
      } while (take_high_degrees());
    } while (take(crowns.find([&](Vertex v) { return is_live(v); })));
  }

  bool in_cover(Vertex v) const { return fate_[v] == taken; }
  std::uint64_t cover_size() const { return cover_size_; }

  /// Cost: O(E log(degree)), for sorted rows.
  InducedGraph induce() const {
    InducedGraph induced;
    std::vector<std::vector<Vertex>> components = find_components();
    std::stable_sort(components.begin(), components.end(),
                     [](auto const& a, auto const& b) { return a.size() > b.size(); });
    std::vector<Vertex> renamed(graph_.vertices(), 0);
    for (auto const& component : components) {
      induced.component_at.push_back(static_cast<Vertex>(induced.original.size()));
      for (Vertex const v : component) {
        renamed[v] = static_cast<Vertex>(induced.original.size());
        induced.original.push_back(v);
      }
    }
    induced.component_at.push_back(static_cast<Vertex>(induced.original.size()));
    for (Vertex const v : induced.original) {
      auto const begin = induced.graph.entries.size();
      for (Vertex const w : graph_.neighbours(v)) {
        if (is_live(w)) {
          induced.graph.entries.push_back(renamed[w]);
        }
      }
      std::sort(induced.graph.entries.begin() + static_cast<std::ptrdiff_t>(begin),
                induced.graph.entries.end());
      induced.graph.offsets.push_back(induced.graph.entries.size());
    }
    return induced;
  }

 private:
  enum Fate : std::uint8_t { live, taken, left_out };

  bool is_live(Vertex v) const { return fate_[v] == live; }

  void touch(Vertex v) {
    if (degree_[v] <= 2) {
      touched_.push_back(v);
    }
  }

  void remove(Vertex v, Fate fate) {
    fate_[v] = fate;
    cover_size_ += fate == taken ? 1 : 0;
    for (Vertex const w : graph_.neighbours(v)) {
      if (is_live(w)) {
        --degree_[w];
        touch(w);
      }
    }
  }

  bool take(std::vector<Vertex> const& vertices) {
    for (Vertex const v : vertices) {
      if (is_live(v)) {
        remove(v, taken);
      }
    }
    return !vertices.empty();
  }

  bool adjacent(Vertex u, Vertex w) const {
    auto const row = graph_.neighbours(u);
    return std::binary_search(row.begin(), row.end(), w);
  }

  /// Vertices without edges, of degree one, and of degree two in a triangle.
  void reduce_small_degrees() {
    while (!touched_.empty()) {
      Vertex const v = touched_.back();
      touched_.pop_back();
      if (!is_live(v) || degree_[v] > 2) {
        continue;
      }
      std::vector<Vertex> around;
      for (Vertex const w : graph_.neighbours(v)) {
        if (is_live(w)) {
          around.push_back(w);
        }
      }
      if (around.size() < 2 || adjacent(around[0], around[1])) {
        fate_[v] = left_out;
        take(around);
      }
    }
  }

  /// Who has more neighbours than a cover that is small enough has room for.
  bool take_high_degrees() {
    bool any = false;
    for (Vertex v = 0; v < graph_.vertices(); ++v) {
      if (is_live(v) && cover_size_ + degree_[v] >= below_) {
        remove(v, taken);
        any = true;
      }
    }
    return any;
  }

  /// In the order of a breadth-first search that starts where another one ended.
  std::vector<std::vector<Vertex>> find_components() const {
    std::vector<std::vector<Vertex>> components;
    std::vector<std::uint8_t> seen(graph_.vertices(), 0);
    auto const search = [&](Vertex start, std::uint8_t mark) {
      std::vector<Vertex> order{start};
      seen[start] = mark;
      for (std::size_t i = 0; i < order.size(); ++i) {
        for (Vertex const w : graph_.neighbours(order[i])) {
          if (is_live(w) && seen[w] != mark) {
            seen[w] = mark;
            order.push_back(w);
          }
        }
      }
      return order;
    };
    for (Vertex v = 0; v < graph_.vertices(); ++v) {
      if (is_live(v) && seen[v] == 0) {
        components.push_back(search(search(v, 1).back(), 2));
      }
    }
    return components;
  }

  HostGraph const& graph_;
  std::uint64_t below_;
  std::vector<std::uint64_t> degree_;
  std::vector<Fate> fate_;
  std::vector<Vertex> touched_;
  std::uint64_t cover_size_ = 0;
};

}  // namespace taper::vertex_cover::paper
