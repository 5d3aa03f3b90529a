// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/host_graph.hpp>
#include <taper/vertex_cover/interrupt.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace taper::vertex_cover::paper {

/// Crowns: an independent set I and its neighbours N(I), of whom each can be matched to a vertex of
/// I of his own. Some minimum cover then has all of N(I) and none of I.
///
/// They are found through a maximum matching of the bipartite double cover, which has a left and a
/// right copy of each vertex, and the left copy of u beside the right copy of w where u and w are
/// adjacent. Two kinds are looked for, and when neither is left there is no crown:
/// - what alternating paths from unmatched left copies reach (Nemhauser and Trotter 1975; Abu-Khzam
///   et al. 2004);
/// - where all are matched, sets of left copies that the arcs "neighbour, then his partner" do not
///   leave, strongly connected and independent (Iwata, Oka and Yoshida, SODA 2014; that these are
///   all that is left: Chlebík and Chlebíková 2008).
class Crowns {
 public:
  Crowns(HostGraph const& graph, Interrupt& interrupt)
      : graph_(graph), interrupt_(interrupt), partner_of_left_(graph.vertices(), none),
        partner_of_right_(graph.vertices(), none), level_(graph.vertices(), none),
        next_(graph.vertices()) {}

  /// Vertices that belong into the cover; live(v) tells who is still there. Empty: no crown is left,
  /// or the run is over.
  /// The matching is kept for the next call, for which vertices may have gone.
  ///
  /// Cost: O(edges * sqrt(vertices)) at most for the matching, else linear.
  template <class Live>
  std::vector<Vertex> find(Live const& live) {
    forget_the_gone(live);
    if (!match(live)) {
      return {};
    }
    std::vector<Vertex> heads = heads_of_unmatched(live);
    return heads.empty() ? heads_of_closed(live) : heads;
  }

 private:
  static constexpr Vertex none = ~Vertex{0};

  Vertex n() const { return static_cast<Vertex>(graph_.vertices()); }

  template <class Live>
  void forget_the_gone(Live const& live) {
    for (Vertex v = 0; v < n(); ++v) {
      Vertex const partner = partner_of_left_[v];
      if (partner != none && (!live(v) || !live(partner))) {
        partner_of_left_[v] = none;
        partner_of_right_[partner] = none;
      }
    }
  }

  /// Hopcroft and Karp 1973: augmenting paths, many at a time, the first ones of one edge. A path goes
  /// where a shortest one would, and ends at any unmatched copy, for which fewer rounds are needed.
  /// False: the run is over, and the matching need not be maximum.
  template <class Live>
  bool match(Live const& live) {
    for (Vertex v = 0; v < n(); ++v) {
      if (live(v) && partner_of_left_[v] == none) {
        for (Vertex const w : graph_.neighbours(v)) {
          if (live(w) && partner_of_right_[w] == none) {
            partner_of_left_[v] = w;
            partner_of_right_[w] = v;
            break;
          }
        }
      }
    }
    for (std::size_t unmatched = 0; find_levels(live, unmatched);) {
      for (std::size_t i = 0; i < unmatched; ++i) {
        augment_from(reached_[i], live);
      }
    }
    return !interrupt_.over();
  }

  /// Left copies in the order in which alternating paths from the unmatched ones, which come first,
  /// reach them, and by how many steps. False: none of the paths augments the matching, or the run is
  /// over.
  template <class Live>
  bool find_levels(Live const& live, std::size_t& unmatched) {
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
      if (live(v) && partner_of_left_[v] == none) {
        reach(v, 0);
      }
    }
    unmatched = reached_.size();
    bool augments = false;
    for (std::size_t i = 0; i < reached_.size(); ++i) {
      Vertex const v = reached_[i];
      if (interrupt_.over_after(graph_.degree(v))) {
        return false;
      }
      for (Vertex const w : graph_.neighbours(v)) {
        if (live(w)) {
          Vertex const beyond = partner_of_right_[w];
          if (beyond == none) {
            augments = true;
          } else if (level_[beyond] == none) {
            reach(beyond, level_[v] + 1);
          }
        }
      }
    }
    return augments;
  }

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
      Vertex const beyond = partner_of_right_[w];
      if (beyond == none) {
        augment(path_, w);
        return;
      }
      if (level_[beyond] == level_[v] + 1) {
        path_.push_back(beyond);
      }
    }
  }

  /// Each on the path gets the right copy that the next one had; the last gets `free`.
  void augment(std::vector<Vertex> const& path, Vertex free) {
    for (std::size_t i = path.size(); i-- > 0;) {
      Vertex const before = partner_of_left_[path[i]];
      partner_of_left_[path[i]] = free;
      partner_of_right_[free] = path[i];
      free = before;
    }
  }

  /// Of a minimum cover of the double cover, left copies not reached and right copies reached, those
  /// of which it has both. A right copy is reached where its partner is: the matching is maximum.
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

  /// Strongly connected sets that no arc leaves, of which no two vertices are adjacent: their
  /// neighbours. By Tarjan's algorithm (1972), which comes to such sets first.
  template <class Live>
  std::vector<Vertex> heads_of_closed(Live const& live) {
    std::vector<Vertex> order(n(), none);  // when a vertex was found
    std::vector<Vertex> lowest(n(), none);
    std::vector<Vertex> set_of(n(), none);
    std::vector<Vertex> open;   // found, and in no set yet
    std::vector<Vertex> calls;  // the recursion
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
        if (interrupt_.over_after(1)) {
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
  std::vector<Vertex> level_;        ///< of the left copies; none: not reached
  std::vector<Vertex> reached_;      ///< those that are
  std::vector<std::uint64_t> next_;  ///< entry of its row to be looked at, by left copy
  std::vector<Vertex> path_;
};

}  // namespace taper::vertex_cover::paper
