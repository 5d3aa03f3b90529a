// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/standard/reduction_graph.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

namespace taper::vertex_cover::standard {

/// Reductions that look at a vertex and what is near it.
///
/// Each tries one vertex and returns true if it changed the graph. All keep the invariant of
/// ReductionGraph. "Independent set" below is the complement of a cover, so a maximum one that
/// avoids v is a minimum cover that has it.
class LocalRules {
 public:
  /// All rules at v, the cheapest first.
  bool apply(ReductionGraph& graph, Vertex v) {
    if (graph.degree(v) <= 2) {
      return low_degree(graph, v);
    }
    return unconfined(graph, v) || twin(graph, v) || funnel(graph, v) || desk(graph, v);
  }

  /// Degree 0 and 1: v stays out. Degree 2: so does v in a triangle; else v's neighbours are
  /// folded.
  /// Source: Chen, Kanj and Jia 2001.
  bool low_degree(ReductionGraph& graph, Vertex v) {
    if (graph.degree(v) > 2) {
      return false;
    }
    if (graph.degree(v) == 2) {
      auto const row = graph.neighbours(v);
      std::array<Vertex, 2> ends{row[0], row[1]};
      if (!graph.adjacent(ends[0], ends[1])) {
        if (graph.degree(ends[0]) < graph.degree(ends[1])) {
          std::swap(ends[0], ends[1]);
        }
        graph.fold(std::span(&v, 1), ends[0], std::span(&ends[1], 1));
        return true;
      }
    }
    graph.exclude(v);
    return true;
  }

  /// Includes v if some maximum independent set avoids it: suppose that all have v, and hence all
  /// of a growing set S. A neighbour u of S that touches it once could be exchanged for that
  /// member, but for u's neighbours outside N[S]: if there is none, the supposition is wrong; if
  /// there is one, it belongs to S. Dominance is the first step of it.
  /// Where two such u, not adjacent, touch the same member and have the same two outside, those two
  /// could be exchanged for the member and any one of these: both belong to S, which is wrong if
  /// they are adjacent.
  /// Source: dominance, Fomin, Grandoni and Kratsch 2009; Xiao and Nagamochi 2013; Akiba
  /// and Iwata 2016, section 3.1 (diamonds: our own proof).
  bool unconfined(ReductionGraph& graph, Vertex v) {
    if (!grow_confining_set(graph, v)) {
      return false;
    }
    graph.include(v);
    return true;
  }

  /// Row entries that unconfined() has read so far.
  std::uint64_t work() const { return work_; }

  /// After unconfined(v) failed: vertices that every maximum independent set has, if all have v.
  std::span<Vertex const> confining_set() const { return confining_; }

  /// Two vertices of degree three with the same neighbours: stay out if there is an edge among
  /// those, which are folded otherwise.
  /// Source: Xiao and Nagamochi 2013.
  bool twin(ReductionGraph& graph, Vertex v) {
    if (graph.degree(v) != 3) {
      return false;
    }
    auto const row = graph.neighbours(v);
    std::array<Vertex, 3> ends{row[0], row[1], row[2]};
    std::sort(ends.begin(), ends.end(),
              [&](Vertex x, Vertex y) { return graph.degree(x) > graph.degree(y); });
    Vertex other = none;
    for (Vertex const u : graph.neighbours(ends[2])) {
      if (u != v && graph.degree(u) == 3) {
        auto const theirs = graph.neighbours(u);
        if (std::all_of(theirs.begin(), theirs.end(), [&](Vertex w) {
              return std::find(ends.begin(), ends.end(), w) != ends.end();
            })) {
          other = u;
          break;
        }
      }
    }
    if (other == none) {
      return false;
    }
    if (graph.adjacent(ends[0], ends[1]) || graph.adjacent(ends[0], ends[2]) ||
        graph.adjacent(ends[1], ends[2])) {
      graph.exclude(v);
      return true;
    }
    std::array<Vertex, 2> const centres{v, other};
    graph.fold(centres, ends[0], std::span(ends).subspan(1));
    return true;
  }

  /// v and a neighbour u, v's other neighbours a clique: alternatives {u} and {v}.
  /// Source: Xiao and Nagamochi 2013.
  bool funnel(ReductionGraph& graph, Vertex v) {
    std::uint32_t const degree = graph.degree(v);
    if (degree < 2 || degree > most_funnel_degree) {
      return false;
    }
    std::array<Vertex, most_funnel_degree> ends;
    std::copy_n(graph.neighbours(v).begin(), degree, ends.begin());
    auto const clique_but = [&](std::uint32_t out) {
      for (std::uint32_t i = 0; i < degree; ++i) {
        for (std::uint32_t j = i + 1; j < degree; ++j) {
          if (i != out && j != out && !graph.adjacent(ends[i], ends[j])) {
            return false;
          }
        }
      }
      return true;
    };
    for (std::uint32_t out = 0; out < degree; ++out) {
      Vertex const u = ends[out];
      if (graph.degree(u) <= most_joined_degree && clique_but(out)) {
        graph.join_alternatives(std::span(&u, 1), std::span(&v, 1));
        return true;
      }
    }
    return false;
  }

  /// A chordless cycle a b a' b' whose vertices have degree three or four, no neighbour of {a, a'}
  /// adjacent to {b, b'} beside these, and at most two others each: alternatives.
  /// Source: Xiao and Nagamochi 2013.
  bool desk(ReductionGraph& graph, Vertex v) {
    if (!desk_degree(graph, v)) {
      return false;
    }
    std::array<Vertex, 4> sides;
    std::uint32_t const degree = graph.degree(v);
    std::copy_n(graph.neighbours(v).begin(), degree, sides.begin());
    for (std::uint32_t i = 0; i < degree; ++i) {
      for (std::uint32_t j = i + 1; j < degree; ++j) {
        std::array<Vertex, 2> const b{sides[i], sides[j]};
        if (!desk_degree(graph, b[0]) || !desk_degree(graph, b[1]) || graph.adjacent(b[0], b[1])) {
          continue;
        }
        for (Vertex const opposite : graph.neighbours(b[0])) {
          std::array<Vertex, 2> const a{v, opposite};
          if (opposite != v && desk_degree(graph, opposite) && graph.adjacent(opposite, b[1]) &&
              !graph.adjacent(v, opposite) && separate(graph, a, b)) {
            graph.join_alternatives(a, b);
            return true;
          }
        }
      }
    }
    return false;
  }

 private:
  static constexpr std::uint32_t most_funnel_degree = 8;
  static constexpr std::uint32_t most_joined_degree = 8;
  static constexpr std::size_t most_confining = 64;

  static bool desk_degree(ReductionGraph const& graph, Vertex v) {
    return graph.degree(v) == 3 || graph.degree(v) == 4;
  }

  /// At most two neighbours beside the cycle on each side, none of them common.
  bool separate(ReductionGraph& graph, std::array<Vertex, 2> const& a,
                std::array<Vertex, 2> const& b) {
    auto const beside = [&](std::array<Vertex, 2> const& inner, std::array<Vertex, 2> const& outer,
                            std::array<Vertex, 4>& out) {
      std::uint32_t count = 0;
      for (Vertex const v : inner) {
        for (Vertex const u : graph.neighbours(v)) {
          if (u != outer[0] && u != outer[1] &&
              std::find(out.begin(), out.begin() + count, u) == out.begin() + count) {
            out[count++] = u;
          }
        }
      }
      return count;
    };
    std::array<Vertex, 4> beside_a;
    std::array<Vertex, 4> beside_b;
    std::uint32_t const of_a = beside(a, b, beside_a);
    std::uint32_t const of_b = beside(b, a, beside_b);
    return of_a <= 2 && of_b <= 2 &&
           std::find_first_of(beside_a.begin(), beside_a.begin() + of_a, beside_b.begin(),
                              beside_b.begin() + of_b) == beside_a.begin() + of_a;
  }

  /// Grows the set that every maximum independent set has if all have v; true if there is none.
  /// Gives up when the set is large: what it has by then is right, too.
  bool grow_confining_set(ReductionGraph& graph, Vertex v) {
    closed_.reset(graph.vertices());
    if (touching_.size() < graph.vertices()) {
      touching_.resize(graph.vertices());
    }
    confining_.clear();
    border_.clear();
    add_to_confining_set(graph, v);
    while (confining_.size() < most_confining) {
      // Touched twice is touched twice for good.
      std::erase_if(border_, [&](Vertex u) { return touching_[u].count != 1; });
      // The neighbour of the set with the fewest neighbours outside; those with two are candidates
      // for diamonds.
      Vertex grown = none;
      candidates_.clear();
      for (Vertex const u : border_) {
        Candidate candidate{u, touching_[u].member, {none, none}};
        std::uint32_t outside = 0;
        graph.read_until(u, [&](Vertex w) {
          ++work_;
          if (!closed_.contains(w) && ++outside <= 2) {
            candidate.outside[outside - 1] = w;
          }
          return outside > 2;
        });
        if (outside == 0) {
          return true;
        }
        if (outside == 1) {
          grown = candidate.outside[0];
        }
        if (outside == 2) {
          candidates_.push_back(candidate);
        }
      }
      if (grown != none) {
        add_to_confining_set(graph, grown);
        continue;
      }
      Candidate const* const diamond = find_diamond(graph);
      if (diamond == nullptr) {
        return false;
      }
      auto const outside = diamond->outside;
      if (graph.adjacent(outside[0], outside[1])) {
        return true;
      }
      add_to_confining_set(graph, outside[0]);
      add_to_confining_set(graph, outside[1]);
    }
    return false;
  }

  struct Touching {
    std::uint32_t count;
    Vertex member;
  };
  /// A neighbour of the confining set, the one member that it touches, and its two others.
  struct Candidate {
    Vertex vertex, member;
    std::array<Vertex, 2> outside;
  };

  void add_to_confining_set(ReductionGraph& graph, Vertex v) {
    confining_.push_back(v);
    closed_.insert(v);
    for (Vertex const u : graph.neighbours(v)) {
      if (closed_.insert(u)) {
        border_.push_back(u);
        touching_[u] = {0, v};
      }
      ++touching_[u].count;
    }
  }

  /// Two candidates that touch the same member and have the same two outside, not adjacent.
  Candidate const* find_diamond(ReductionGraph& graph) {
    auto const key = [](Candidate& c) {
      if (c.outside[0] > c.outside[1]) {
        std::swap(c.outside[0], c.outside[1]);
      }
    };
    if (candidates_.size() < 2) {
      return nullptr;
    }
    std::for_each(candidates_.begin(), candidates_.end(), key);
    auto const order = [](Candidate const& x, Candidate const& y) {
      return std::tie(x.member, x.outside) < std::tie(y.member, y.outside);
    };
    std::sort(candidates_.begin(), candidates_.end(), order);
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      for (std::size_t j = i + 1; j < candidates_.size() && !order(candidates_[i], candidates_[j]);
           ++j) {
        if (!graph.adjacent(candidates_[i].vertex, candidates_[j].vertex)) {
          return &candidates_[i];
        }
      }
    }
    return nullptr;
  }

  VertexSet closed_;  ///< the confining set and its neighbours
  std::vector<Vertex> confining_, border_;
  std::vector<Touching> touching_;
  std::vector<Candidate> candidates_;
  std::uint64_t work_ = 0;
};

}  // namespace taper::vertex_cover::standard
