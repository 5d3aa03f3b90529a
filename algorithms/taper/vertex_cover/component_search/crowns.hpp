// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/host_graph.hpp>
#include <taper/vertex_cover/interrupt.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace taper::vertex_cover::component_search {

/// Finds crowns. A crown is an independent set I with its neighbours N(I), the head, such that a
/// matching assigns a different vertex of I to each vertex of N(I). Some minimum cover then
/// contains all of N(I) and nothing of I.
///
/// The method is a maximum matching of the bipartite double cover. That has a left and a right copy
/// of each vertex, and an edge between the left copy of u and the right copy of w for each edge uw.
/// There are two kinds of crowns, and a graph without either has no crown:
/// - the vertices that alternating paths from unmatched left copies reach (Nemhauser and Trotter
///   1975; Abu-Khzam et al. 2004);
/// - if all are matched: strongly connected, independent sets of left copies that no arc leaves. An
///   arc leads from a left copy to a neighbour's partner (Iwata, Oka and Yoshida, SODA 2014;
///   completeness: Chlebík and Chlebíková 2008).
///
/// find_published() is the form of the published program: only crowns whose independent set is
/// unmatched in a greedy matching of the graph (Abu-Khzam et al. 2004).
/// Used by: RootReduction.
class Crowns {
 public:
  Crowns(HostGraph const& graph, Interrupt& interrupt)
      : graph_(graph), interrupt_(interrupt), partner_of_left_(graph.vertices(), none),
        partner_of_right_(graph.vertices(), none), level_(graph.vertices(), none),
        next_(graph.vertices()) {}

  /// The heads of some crowns: vertices to take into the cover. live(v): whether v is still in the
  /// graph. Empty: there is no crown, or a stop or the deadline ended the search. The matching is
  /// kept for the next call. Vertices may be removed between calls.
  ///
  /// Cost: at most O(edges * sqrt(vertices)) for the matching, else linear.
  template <class Live>
  std::vector<Vertex> find(Live const& live) {
    unmatch_removed(live);
    if (!match(live, live)) {
      return {};
    }
    std::vector<Vertex> heads = heads_of_unmatched(live);
    return heads.empty() ? heads_of_closed(live) : heads;
  }

  /// The head of a crown of the published form. It starts with a matching that prefers edges whose
  /// ends have high degrees together. The vertices that it leaves unmatched are independent. If
  /// they can be matched with all their neighbours, these are the head. Else alternating paths
  /// from those that stay unmatched reach the head, if there is one. The result is as of find().
  ///
  /// `degree(v)`: the live neighbours of v. Cost: sorting the edges, and a matching as in find().
  template <class Live, class Degree>
  std::vector<Vertex> find_published(Live const& live, Degree const& degree) {
    std::vector<std::uint8_t> const outside = unmatched_by_greedy(live, degree);
    std::fill(partner_of_left_.begin(), partner_of_left_.end(), none);
    std::fill(partner_of_right_.begin(), partner_of_right_.end(), none);
    auto const is_outside = [&](Vertex v) { return outside[v] != 0; };
    if (!match(is_outside, live)) {
      return {};
    }
    std::vector<Vertex> around;
    bool all_matched = true;
    for (Vertex v = 0; v < n(); ++v) {
      auto const row = graph_.neighbours(v);
      if (live(v) && std::any_of(row.begin(), row.end(), is_outside)) {
        around.push_back(v);
        all_matched = all_matched && partner_of_right_[v] != none;
      }
    }
    return all_matched ? around : heads_of_unmatched(live);
  }

 private:
  static constexpr Vertex none = ~Vertex{0};

  Vertex n() const { return static_cast<Vertex>(graph_.vertices()); }

  /// Per vertex: 1 if it has edges and a greedy matching leaves it unmatched. Edges whose ends have
  /// higher degrees together come first; of equal ones, the edge with the lower vertices.
  template <class Live, class Degree>
  std::vector<std::uint8_t> unmatched_by_greedy(Live const& live, Degree const& degree) const {
    struct Edge {
      std::uint64_t degrees;
      Vertex u;
      Vertex w;
    };
    std::vector<Edge> edges;
    std::vector<std::uint8_t> unmatched(n(), 0);
    for (Vertex u = 0; u < n(); ++u) {
      if (live(u) && degree(u) > 0) {
        unmatched[u] = 1;
        for (Vertex const w : graph_.neighbours(u)) {
          if (u < w && live(w)) {
            edges.push_back({degree(u) + degree(w), u, w});
          }
        }
      }
    }
    std::stable_sort(edges.begin(), edges.end(),
                     [](Edge const& a, Edge const& b) { return a.degrees > b.degrees; });
    for (Edge const& edge : edges) {
      if (unmatched[edge.u] != 0 && unmatched[edge.w] != 0) {
        unmatched[edge.u] = unmatched[edge.w] = 0;
      }
    }
    return unmatched;
  }

  template <class Live>
  void unmatch_removed(Live const& live) {
    for (Vertex v = 0; v < n(); ++v) {
      Vertex const partner = partner_of_left_[v];
      if (partner != none && (!live(v) || !live(partner))) {
        partner_of_left_[v] = none;
        partner_of_right_[partner] = none;
      }
    }
  }

  /// Makes the matching of the left copies of vertices with left(v) maximum, among live right
  /// copies (Hopcroft and Karp 1973). A first round has single edges, each later one many
  /// augmenting paths. A path follows the levels of shortest paths, but may end at any unmatched
  /// copy. That needs fewer rounds. False: a stop or the deadline came first, and the matching need
  /// not be maximum.
  template <class Left, class Live>
  bool match(Left const& left, Live const& live) {
    for (Vertex v = 0; v < n(); ++v) {
      if (left(v) && partner_of_left_[v] == none) {
        for (Vertex const w : graph_.neighbours(v)) {
          if (live(w) && partner_of_right_[w] == none) {
            partner_of_left_[v] = w;
            partner_of_right_[w] = v;
            break;
          }
        }
      }
    }
    for (std::size_t unmatched = 0; find_levels(left, live, unmatched);) {
      for (std::size_t i = 0; i < unmatched; ++i) {
        augment_from(reached_[i], live);
      }
    }
    return !interrupt_.stopped();
  }

  /// Finds the left copies that alternating paths from the unmatched ones reach, in breadth-first
  /// order, and their levels. The first `unmatched` of them are unmatched. False: no path augments
  /// the matching, or a stop or the deadline came first.
  template <class Left, class Live>
  bool find_levels(Left const& left, Live const& live, std::size_t& unmatched) {
    for (Vertex const v : reached_) {
      level_[v] = none;
    }
    reached_.clear();
    auto const reach = [&](Vertex v, Vertex level) {
      level_[v] = level;
      next_[v] = graph_.offsets[v];
      reached_.push_back(v);
    };
    for (Vertex v = 0; v < n(); ++v) {
      if (left(v) && partner_of_left_[v] == none) {
        reach(v, 0);
      }
    }
    unmatched = reached_.size();
    bool augments = false;
    for (std::size_t i = 0; i < reached_.size(); ++i) {
      Vertex const v = reached_[i];
      if (interrupt_.stopped_after(graph_.degree(v))) {
        return false;
      }
      for (Vertex const w : graph_.neighbours(v)) {
        if (live(w)) {
          Vertex const next_left = partner_of_right_[w];
          if (next_left == none) {
            augments = true;
          } else if (level_[next_left] == none) {
            reach(next_left, level_[v] + 1);
          }
        }
      }
    }
    return augments;
  }

  /// Searches for an augmenting path from `start`, depth first, and applies it.
  template <class Live>
  void augment_from(Vertex start, Live const& live) {
    path_.assign(1, start);
    while (!path_.empty()) {
      Vertex const v = path_.back();
      if (next_[v] == graph_.offsets[v + 1]) {
        path_.pop_back();
        continue;
      }
      Vertex const w = graph_.entries[next_[v]++];
      if (!live(w)) {
        continue;
      }
      Vertex const next_left = partner_of_right_[w];
      if (next_left == none) {
        augment(path_, w);
        return;
      }
      if (level_[next_left] == level_[v] + 1) {
        path_.push_back(next_left);
      }
    }
  }

  /// Rematches the left copies on the path: each gets the right copy of the next, the last one gets
  /// `free`.
  void augment(std::vector<Vertex> const& path, Vertex free) {
    for (std::size_t i = path.size(); i-- > 0;) {
      Vertex const before = partner_of_left_[path[i]];
      partner_of_left_[path[i]] = free;
      partner_of_right_[free] = path[i];
      free = before;
    }
  }

  /// The vertices with both copies in a minimum cover of the double cover. That consists of the
  /// left copies that are not reached, and the right copies that are. A right copy is reached if
  /// its partner is, because the matching is maximum.
  template <class Live>
  std::vector<Vertex> heads_of_unmatched(Live const& live) const {
    std::vector<Vertex> heads;
    for (Vertex v = 0; v < n(); ++v) {
      Vertex const partner = partner_of_right_[v];
      if (live(v) && level_[v] == none && partner != none && level_[partner] != none) {
        heads.push_back(v);
      }
    }
    return heads;
  }

  /// The neighbours of strongly connected, independent sets that no arc leaves. By Tarjan's
  /// algorithm (1972), which finds such sets first.
  template <class Live>
  std::vector<Vertex> heads_of_closed(Live const& live) {
    std::vector<Vertex> order(n(), none);  // the number of vertices found before
    std::vector<Vertex> lowest(n(), none);
    std::vector<Vertex> set_of(n(), none);
    std::vector<Vertex> open;   // found, not in a set yet
    std::vector<Vertex> calls;  // the stack of the recursion
    std::vector<std::uint8_t> taken(n(), 0);
    std::vector<Vertex> heads;
    Vertex found = 0;

    auto const enter = [&](Vertex v) {
      order[v] = lowest[v] = found++;
      next_[v] = graph_.offsets[v];
      open.push_back(v);
      calls.push_back(v);
    };
    auto const close_set = [&](Vertex first) {
      auto const begin = std::find(open.rbegin(), open.rend(), first).base() - 1;
      std::span<Vertex const> const set(begin, open.end());
      for (Vertex const v : set) {
        set_of[v] = first;
      }
      bool usable = true;
      for (std::size_t i = 0; usable && i < set.size(); ++i) {
        usable = taken[set[i]] == 0;
        for (Vertex const w : graph_.neighbours(set[i])) {
          usable =
              usable && (!live(w) || (set_of[w] != first && set_of[partner_of_right_[w]] == first));
        }
      }
      if (usable) {
        for (Vertex const v : set) {
          for (Vertex const w : graph_.neighbours(v)) {
            if (live(w) && taken[w] == 0) {
              taken[w] = 1;
              heads.push_back(w);
            }
          }
        }
      }
      open.erase(begin, open.end());
    };

    for (Vertex root = 0; root < n(); ++root) {
      if (!live(root) || order[root] != none) {
        continue;
      }
      enter(root);
      while (!calls.empty()) {
        if (interrupt_.stopped_after(1)) {
          return {};
        }
        Vertex const v = calls.back();
        if (next_[v] < graph_.offsets[v + 1]) {
          Vertex const w = graph_.entries[next_[v]++];
          if (live(w)) {
            Vertex const to = partner_of_right_[w];
            if (order[to] == none) {
              enter(to);
            } else if (set_of[to] == none) {
              lowest[v] = std::min(lowest[v], order[to]);
            }
          }
          continue;
        }
        calls.pop_back();
        if (!calls.empty()) {
          lowest[calls.back()] = std::min(lowest[calls.back()], lowest[v]);
        }
        if (lowest[v] == order[v]) {
          close_set(v);
        }
      }
    }
    return heads;
  }

  HostGraph const& graph_;
  Interrupt& interrupt_;
  std::vector<Vertex> partner_of_left_;
  std::vector<Vertex> partner_of_right_;
  std::vector<Vertex> level_;        ///< per left copy; none: not reached
  std::vector<Vertex> reached_;      ///< the left copies with a level
  std::vector<std::uint64_t> next_;  ///< per left copy: the next entry of its row to examine
  std::vector<Vertex> path_;
};

}  // namespace taper::vertex_cover::component_search
