// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/component_search/crowns.hpp>
#include <taper/vertex_cover/host_graph.hpp>
#include <taper/vertex_cover/interrupt.hpp>
#include <taper/vertex_cover/options.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

// What the host does before the search: a greedy cover, and the reductions at the root.

namespace taper::vertex_cover::component_search {

/// A cover in host memory, and its size.
struct HostCover {
  std::vector<std::uint8_t> in_cover;
  std::uint64_t size = 0;
};

/// The first upper bound, a cover by a greedy rule. While there are edges, takes the neighbour of a
/// vertex of degree one; if there is none, a vertex of greatest degree. Finally removes vertices
/// all of whose neighbours are in the cover. After a stop or the deadline, takes all vertices that
/// still have an edge.
///
/// Cost: O(vertices + edges). The list of each degree may hold outdated entries, which are skipped.
inline HostCover greedy_cover(HostGraph const& graph, Interrupt& interrupt) {
  auto const n = static_cast<Vertex>(graph.vertices());
  std::vector<std::uint64_t> degree(n);
  std::uint64_t top = 0;
  for (Vertex v = 0; v < n; ++v) {
    degree[v] = graph.degree(v);
    top = std::max(top, degree[v]);
  }
  std::vector<std::vector<Vertex>> with_degree(top + 1);
  for (Vertex v = n; v-- > 0;) {
    with_degree[degree[v]].push_back(v);
  }

  HostCover cover;
  cover.in_cover.assign(n, 0);
  std::vector<Vertex> taken;
  auto const take = [&](Vertex v) {
    cover.in_cover[v] = 1;
    taken.push_back(v);
    degree[v] = 0;
    for (Vertex const w : graph.neighbours(v)) {
      if (degree[w] > 0) {
        with_degree[--degree[w]].push_back(w);
      }
    }
  };
  while (top > 0 && !interrupt.stopped_after(1)) {
    if (top > 1 && !with_degree[1].empty()) {
      Vertex const leaf = with_degree[1].back();
      with_degree[1].pop_back();
      if (degree[leaf] == 1) {
        auto const row = graph.neighbours(leaf);
        take(*std::find_if(row.begin(), row.end(), [&](Vertex w) { return degree[w] > 0; }));
      }
    } else if (with_degree[top].empty()) {
      --top;
    } else {
      Vertex const v = with_degree[top].back();
      with_degree[top].pop_back();
      if (degree[v] == top) {
        take(v);
      }
    }
  }

  for (Vertex v = 0; v < n; ++v) {
    if (degree[v] > 0) {
      take(v);
    }
  }
  for (Vertex const v : taken) {
    auto const row = graph.neighbours(v);
    if (std::all_of(row.begin(), row.end(), [&](Vertex w) { return cover.in_cover[w] != 0; })) {
      cover.in_cover[v] = 0;
    }
  }
  cover.size = static_cast<std::uint64_t>(
      std::count(cover.in_cover.begin(), cover.in_cover.end(), std::uint8_t{1}));
  return cover;
}

/// The reduced graph (Section IV-B).
struct InducedGraph {
  HostGraph graph;                      ///< rows sorted
  std::vector<Vertex> original;         ///< per vertex: its number in the graph that was reduced
  std::vector<Vertex> component_begin;  ///< first vertex of each component, then their number
};

/// The reductions at the root of the search tree (Section IV-B): the degree-one, degree-two
/// triangle, high-degree and crown rules, until none applies. The crown rule is optional.
/// Used by: reduced_problem().
class RootReduction {
 public:
  /// `below`: only covers with fewer vertices are of interest, for the high-degree rule. Requires:
  /// sorted rows. Keeps a reference to the graph.
  RootReduction(HostGraph const& graph, std::uint64_t below, Crown crown = Crown::complete)
      : graph_(graph), below_(below), crown_(crown), degree_(graph.vertices()),
        fate_(graph.vertices(), live) {
    for (Vertex v = 0; v < graph.vertices(); ++v) {
      degree_[v] = graph.degree(v);
      touch(v);
    }
  }

  RootReduction(HostGraph&&, std::uint64_t,
                Crown = {}) = delete;  // a temporary would not live long enough

  /// Applies the rules. Ends early after a stop or the deadline; the result is then valid, and less
  /// reduced.
  ///
  /// Cost: near-linear, except for the matchings of the crown rule, see Crowns.
  void run(Interrupt& interrupt) {
    Crowns crowns(graph_, interrupt);
    do {
      do {
        reduce_small_degrees();
      } while (!interrupt.stopped() && take_high_degrees());
    } while (!interrupt.stopped() && take_crown(crowns));
  }

  /// Solves components that are cliques or chordless cycles (Section III-D). Returns whether the
  /// high-degree rule applies then, so that run() may find more.
  ///
  /// Requires: run() was called. Cost: linear, except for sorting the components by size.
  bool solve_cliques_and_cycles() {
    Components const components = find_components();
    for (std::span<Vertex const> const component : components.ranges) {
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
    reduce_small_degrees();  // solves the path that is left of each cycle
    return take_high_degrees();
  }

  bool in_cover(Vertex v) const { return fate_[v] == taken; }
  std::uint64_t cover_size() const { return cover_size_; }

  /// The subgraph that the live vertices induce. Its components follow one another, the largest
  /// first. Each is in the order of a breadth-first search from a vertex at one end. So components
  /// that split off later lie in short ranges.
  ///
  /// Cost: linear, except for sorting the components by size.
  InducedGraph induce() const {
    Components const components = find_components();
    return induced(components.ranges);
  }

  /// The same subgraph, as one component with its vertices in the order of the input.
  InducedGraph induce_in_order() const {
    std::vector<Vertex> all;
    for (Vertex v = 0; v < graph_.vertices(); ++v) {
      if (is_live(v)) {
        all.push_back(v);
      }
    }
    return induced({std::span<Vertex const>(all)});
  }

 private:
  enum Fate : std::uint8_t { live, taken, left_out };

  InducedGraph induced(std::vector<std::span<Vertex const>> const& components) const {
    InducedGraph induced;
    std::vector<Vertex> new_index(graph_.vertices(), 0);
    for (std::span<Vertex const> const component : components) {
      induced.component_begin.push_back(static_cast<Vertex>(induced.original.size()));
      for (Vertex const v : component) {
        new_index[v] = static_cast<Vertex>(induced.original.size());
        induced.original.push_back(v);
        induced.graph.offsets.push_back(induced.graph.offsets.back() + degree_[v]);
      }
    }
    induced.component_begin.push_back(static_cast<Vertex>(induced.original.size()));
    // The vertices enter their neighbours' rows in ascending order, so that the rows are sorted.
    induced.graph.entries.resize(induced.graph.offsets.back());
    std::vector<std::uint64_t> next = induced.graph.offsets;
    for (Vertex i = 0; i < induced.original.size(); ++i) {
      for (Vertex const w : graph_.neighbours(induced.original[i])) {
        if (is_live(w)) {
          induced.graph.entries[next[new_index[w]]++] = i;
        }
      }
    }
    return induced;
  }

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

  bool take_crown(Crowns& crowns) {
    auto const live_now = [&](Vertex v) { return is_live(v); };
    switch (crown_) {
    case Crown::off:
      return false;
    case Crown::published:
      return take(crowns.find_published(live_now, [&](Vertex v) { return degree_[v]; }));
    case Crown::complete:
      break;
    }
    return take(crowns.find(live_now));
  }

  bool adjacent(Vertex u, Vertex w) const {
    auto const row = graph_.neighbours(u);
    return std::binary_search(row.begin(), row.end(), w);
  }

  /// Reduces vertices without edges, of degree one, and of degree two in a triangle.
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

  /// The high-degree rule: a vertex that a cover of less than `below_` vertices cannot leave out,
  /// because it has too many neighbours.
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
    std::vector<std::span<Vertex const>> ranges;  ///< of `vertices`, one per component
  };

  /// The components, the largest first. Each is in the order of a breadth-first search. That starts
  /// where a trial search ended, and so at one end of the component.
  Components find_components() const {
    Components found;
    found.vertices.reserve(graph_.vertices());  // no reallocation: spans must stay valid
    // Per vertex: the number of the last search that reached it; 2 also if it is not live.
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
        found.ranges.push_back(search(end, 2, found.vertices));
      }
    }
    std::stable_sort(found.ranges.begin(), found.ranges.end(),
                     [](auto const& a, auto const& b) { return a.size() > b.size(); });
    return found;
  }

  HostGraph const& graph_;
  std::uint64_t below_;
  Crown crown_;
  std::vector<std::uint64_t> degree_;
  std::vector<Fate> fate_;
  std::vector<Vertex> touched_;  ///< vertices whose degree may have fallen to two or less
  std::uint64_t cover_size_ = 0;
};

}  // namespace taper::vertex_cover::component_search
