// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/host_graph.hpp>

#include <algorithm>
#include <cstdint>
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
  explicit Crowns(HostGraph const& graph)
      : graph_(graph), partner_of_left_(graph.vertices(), none),
        partner_of_right_(graph.vertices(), none) {}

  /// Vertices that belong into the cover; live(v) tells who is still there. Empty: no crown is left.
  /// The matching is kept for the next call, for which vertices may have gone.
  ///
  /// Cost: O(edges * sqrt(vertices)) at most for the matching, else linear.
  template <class Live>
  std::vector<Vertex> find(Live const& live) {
    forget_the_gone(live);
    match(live);
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

  /// Hopcroft and Karp 1973: shortest augmenting paths, many at a time.
  template <class Live>
  void match(Live const& live) {
    std::vector<Vertex> level(n());
    std::vector<std::uint64_t> next(n());
    std::vector<Vertex> queue;
    std::vector<Vertex> path;
    for (;;) {
      queue.clear();
      for (Vertex v = 0; v < n(); ++v) {
        level[v] = none;
        next[v] = graph_.offsets[v];
        if (live(v) && partner_of_left_[v] == none) {
          level[v] = 0;
          queue.push_back(v);
        }
      }
      std::size_t const unmatched = queue.size();
      bool augments = false;
      for (std::size_t i = 0; i < queue.size(); ++i) {
        for (Vertex const w : graph_.neighbours(queue[i])) {
          if (live(w)) {
            Vertex const beyond = partner_of_right_[w];
            if (beyond == none) {
              augments = true;
            } else if (level[beyond] == none) {
              level[beyond] = level[queue[i]] + 1;
              queue.push_back(beyond);
            }
          }
        }
      }
      if (!augments) {
        return;
      }
      queue.resize(unmatched);
      for (Vertex const root : queue) {
        path.assign(1, root);
        while (!path.empty()) {
          Vertex const v = path.back();
          if (next[v] == graph_.offsets[v + 1]) {
            path.pop_back();
            continue;
          }
          Vertex const w = graph_.entries[next[v]++];
          if (!live(w)) {
            continue;
          }
          Vertex const beyond = partner_of_right_[w];
          if (beyond == none) {
            augment(path, w);
            path.clear();
          } else if (level[beyond] == level[v] + 1) {
            path.push_back(beyond);
          }
        }
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

  template <class Live>
  std::vector<Vertex> heads_of_unmatched(Live const& live) const {
    std::vector<std::uint8_t> left(n(), 0);
    std::vector<std::uint8_t> right(n(), 0);
    std::vector<Vertex> queue;
    for (Vertex v = 0; v < n(); ++v) {
      if (live(v) && partner_of_left_[v] == none) {
        left[v] = 1;
        queue.push_back(v);
      }
    }
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (Vertex const w : graph_.neighbours(queue[i])) {
        if (live(w) && right[w] == 0) {
          right[w] = 1;
          Vertex const beyond = partner_of_right_[w];  // there is one: the matching is maximum
          if (left[beyond] == 0) {
            left[beyond] = 1;
            queue.push_back(beyond);
          }
        }
      }
    }
    // Of a minimum cover of the double cover, left copies not reached and right copies reached, those
    // of which it has both.
    std::vector<Vertex> heads;
    for (Vertex v = 0; v < n(); ++v) {
      if (live(v) && left[v] == 0 && right[v] != 0) {
        heads.push_back(v);
      }
    }
    return heads;
  }

  /// Strongly connected sets that no arc leaves, of which no two vertices are adjacent: their
  /// neighbours. By Tarjan's algorithm (1972), which comes to such sets first.
  template <class Live>
  std::vector<Vertex> heads_of_closed(Live const& live) const {
    std::vector<Vertex> order(n(), none);  // when a vertex was found
    std::vector<Vertex> lowest(n(), none);
    std::vector<std::uint64_t> next(n());
    std::vector<Vertex> set_of(n(), none);
    std::vector<Vertex> open;   // found, and in no set yet
    std::vector<Vertex> calls;  // the recursion
    std::vector<std::uint8_t> taken(n(), 0);
    std::vector<Vertex> heads;
    Vertex found = 0;

    auto const enter = [&](Vertex v) {
      order[v] = lowest[v] = found++;
      next[v] = graph_.offsets[v];
      open.push_back(v);
      calls.push_back(v);
    };
    auto const close_set = [&](Vertex first) {
      auto const begin = std::find(open.rbegin(), open.rend(), first).base() - 1;
      std::vector<Vertex> const set(begin, open.end());
      open.erase(begin, open.end());
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
    };

    for (Vertex root = 0; root < n(); ++root) {
      if (!live(root) || order[root] != none) {
        continue;
      }
      enter(root);
      while (!calls.empty()) {
        Vertex const v = calls.back();
        if (next[v] < graph_.offsets[v + 1]) {
          Vertex const w = graph_.entries[next[v]++];
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
  std::vector<Vertex> partner_of_left_;
  std::vector<Vertex> partner_of_right_;
};

}  // namespace taper::vertex_cover::paper
