// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/host_graph.hpp>
#include <taper/vertex_cover/interrupt.hpp>
#include <taper/vertex_cover/paper/crown.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
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

  /// Ends early, with what has been reduced by then, when the run is over.
  ///
  /// Cost: near-linear but for the crown rule's matchings, see Crowns.
  void run(Interrupt& interrupt) {
    Crowns crowns(graph_, interrupt);
    do {
      do {
        reduce_small_degrees();
      } while (!interrupt.over() && take_high_degrees());
    } while (!interrupt.over() && take(crowns.find([&](Vertex v) { return is_live(v); })));
  }

  /// Cliques and cycles that no edge leaves (Section III-D): all vertices but one; every other one.
  ///
  /// Requires: that run() has been called. Cost: linear but for sorting the components by their sizes.
  void solve_cliques_and_cycles() {
    Components const components = find_components();
    for (std::span<Vertex const> const component : components.each) {
      auto const all_have = [&](std::uint64_t degree) {
        return std::all_of(component.begin(), component.end(),
                           [&](Vertex v) { return degree_[v] == degree; });
      };
      if (all_have(component.size() - 1)) {
        take(component.subspan(1));
      } else if (all_have(2)) {
        take(component.first(1));
      }
    }
    reduce_small_degrees();  // a cycle without a vertex is a path
  }

  bool in_cover(Vertex v) const { return fate_[v] == taken; }
  std::uint64_t cover_size() const { return cover_size_; }

  /// Cost: linear but for sorting the components by their sizes.
  InducedGraph induce() const {
    InducedGraph induced;
    std::vector<Vertex> renamed(graph_.vertices(), 0);
    Components const components = find_components();
    for (std::span<Vertex const> const component : components.each) {
      induced.component_at.push_back(static_cast<Vertex>(induced.original.size()));
      for (Vertex const v : component) {
        renamed[v] = static_cast<Vertex>(induced.original.size());
        induced.original.push_back(v);
        induced.graph.offsets.push_back(induced.graph.offsets.back() + degree_[v]);
      }
    }
    induced.component_at.push_back(static_cast<Vertex>(induced.original.size()));
    // A vertex after the other enters its neighbours' rows, which are sorted by that.
    induced.graph.entries.resize(induced.graph.offsets.back());
    std::vector<std::uint64_t> next = induced.graph.offsets;
    for (Vertex i = 0; i < induced.original.size(); ++i) {
      for (Vertex const w : graph_.neighbours(induced.original[i])) {
        if (is_live(w)) {
          induced.graph.entries[next[renamed[w]]++] = i;
        }
      }
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

  bool take(std::span<Vertex const> vertices) {
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
      std::array<Vertex, 2> around{};
      std::size_t count = 0;
      for (Vertex const w : graph_.neighbours(v)) {
        if (is_live(w)) {
          around[count++] = w;
        }
      }
      if (count < 2 || adjacent(around[0], around[1])) {
        fate_[v] = left_out;
        take(std::span(around).first(count));
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

  struct Components {
    std::vector<Vertex> vertices;
    std::vector<std::span<Vertex const>> each;  ///< of `vertices`, the largest first
  };

  /// Each in the order of a breadth-first search that starts where another one ended.
  Components find_components() const {
    Components found;
    found.vertices.reserve(graph_.vertices());  // spans stay where they are
    std::vector<std::uint8_t> searches(graph_.vertices());
    for (Vertex v = 0; v < graph_.vertices(); ++v) {
      searches[v] = is_live(v) ? 0 : 2;
    }
    auto const search = [&](Vertex start, std::uint8_t number, std::vector<Vertex>& order) {
      std::size_t const begin = order.size();
      searches[start] = number;
      order.push_back(start);
      for (std::size_t i = begin; i < order.size(); ++i) {
        for (Vertex const w : graph_.neighbours(order[i])) {
          if (searches[w] < number) {
            searches[w] = number;
            order.push_back(w);
          }
        }
      }
      return std::span<Vertex const>(order).subspan(begin);
    };
    std::vector<Vertex> trial;
    for (Vertex v = 0; v < graph_.vertices(); ++v) {
      if (searches[v] == 0) {
        trial.clear();
        Vertex const end = search(v, 1, trial).back();
        found.each.push_back(search(end, 2, found.vertices));
      }
    }
    std::stable_sort(found.each.begin(), found.each.end(),
                     [](auto const& a, auto const& b) { return a.size() > b.size(); });
    return found;
  }

  HostGraph const& graph_;
  std::uint64_t below_;
  std::vector<std::uint64_t> degree_;
  std::vector<Fate> fate_;
  std::vector<Vertex> touched_;
  std::uint64_t cover_size_ = 0;
};

}  // namespace taper::vertex_cover::paper
