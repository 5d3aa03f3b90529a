// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/branch_and_reduce/reduction_graph.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

namespace taper::vertex_cover::branch_and_reduce {

/// Reduction rules on a vertex and its surroundings.
///
/// Each rule tries one vertex and returns true if it changed the graph. All keep the invariant of
/// ReductionGraph. An independent set is the complement of a cover: a maximum independent set
/// without v is a minimum cover with v.
/// Used by: Search.
class LocalRules {
 public:
  /// Tries all rules at v, the cheapest first.
  bool apply(ReductionGraph& graph, Vertex v) {
    if (graph.degree(v) <= 2) {
      return low_degree(graph, v);
    }
    return unconfined(graph, v) || twin(graph, v) || funnel(graph, v) || desk(graph, v);
  }

  /// Degrees 0 and 1: excludes v. Degree 2: excludes v if its neighbours are adjacent, else folds
  /// v.
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

  /// Includes v if some maximum independent set avoids it. Assume that all contain v, and hence all
  /// of a growing set S. N[S] is S with its neighbours. Let u, outside S, have exactly one
  /// neighbour s in S. Then u could be exchanged for s, unless a neighbour of u outside N[S] is in
  /// the set. If u has no such neighbour, the assumption is wrong. If it has exactly one, that
  /// vertex belongs to S. Dominance is the first step. Diamonds: let two such u be not adjacent and
  /// have the same s and the same two neighbours outside N[S]. If one of these two were not in the
  /// set, both u could be exchanged for s and the other one. Hence both belong to S, which is wrong
  /// if they are adjacent.
  /// Source: dominance, Fomin, Grandoni and Kratsch 2009; Xiao and Nagamochi 2013; Akiba and Iwata
  /// 2016, section 3.1 (diamonds: our own proof).
  bool unconfined(ReductionGraph& graph, Vertex v) {
    if (!grow_confining_set(graph, v)) {
      return false;
    }
    graph.include(v);
    return true;
  }

  /// The row entries that unconfined() has read so far.
  std::uint64_t work() const { return work_; }

  /// After unconfined(v) returned false: vertices that every maximum independent set contains, if
  /// every one contains v.
  std::span<Vertex const> confining_set() const { return confining_; }

  /// Two vertices of degree three with the same neighbours. If two of the neighbours are adjacent,
  /// both are excluded: v here, the other one as it becomes isolated. Else they are folded.
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
        auto const other_row = graph.neighbours(u);
        if (std::all_of(other_row.begin(), other_row.end(), [&](Vertex w) {
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

  /// If v's neighbours other than u are a clique, {u} and {v} are alternatives.
  /// Source: Xiao and Nagamochi 2013.
  bool funnel(ReductionGraph& graph, Vertex v) {
    std::uint32_t const degree = graph.degree(v);
    if (degree < 2 || degree > max_funnel_degree) {
      return false;
    }
    std::array<Vertex, max_funnel_degree> ends;
    std::copy_n(graph.neighbours(v).begin(), degree, ends.begin());
    auto const is_clique_without = [&](std::uint32_t left_out) {
      for (std::uint32_t i = 0; i < degree; ++i) {
        for (std::uint32_t j = i + 1; j < degree; ++j) {
          if (i != left_out && j != left_out && !graph.adjacent(ends[i], ends[j])) {
            return false;
          }
        }
      }
      return true;
    };
    for (std::uint32_t left_out = 0; left_out < degree; ++left_out) {
      Vertex const u = ends[left_out];
      if (graph.degree(u) <= max_joined_degree && is_clique_without(left_out)) {
        graph.join_alternatives(std::span(&u, 1), std::span(&v, 1));
        return true;
      }
    }
    return false;
  }

  /// A chordless cycle a b a' b' whose vertices have degree three or four. {a, a'} and {b, b'} are
  /// alternatives if each has at most two neighbours outside the cycle and they have none in
  /// common.
  /// Source: Xiao and Nagamochi 2013.
  bool desk(ReductionGraph& graph, Vertex v) {
    if (!desk_degree(graph, v)) {
      return false;
    }
    std::array<Vertex, 4> ends;
    std::uint32_t const degree = graph.degree(v);
    std::copy_n(graph.neighbours(v).begin(), degree, ends.begin());
    for (std::uint32_t i = 0; i < degree; ++i) {
      for (std::uint32_t j = i + 1; j < degree; ++j) {
        std::array<Vertex, 2> const b{ends[i], ends[j]};
        if (!desk_degree(graph, b[0]) || !desk_degree(graph, b[1]) || graph.adjacent(b[0], b[1])) {
          continue;
        }
        for (Vertex const opposite : graph.neighbours(b[0])) {
          std::array<Vertex, 2> const a{v, opposite};
          if (opposite != v && desk_degree(graph, opposite) && graph.adjacent(opposite, b[1]) &&
              !graph.adjacent(v, opposite) && outsides_fit(graph, a, b)) {
            graph.join_alternatives(a, b);
            return true;
          }
        }
      }
    }
    return false;
  }

 private:
  static constexpr std::uint32_t max_funnel_degree = 8;
  static constexpr std::uint32_t max_joined_degree = 8;
  static constexpr std::size_t max_confining = 64;

  static bool desk_degree(ReductionGraph const& graph, Vertex v) {
    return graph.degree(v) == 3 || graph.degree(v) == 4;
  }

  /// Whether a and b each have at most two neighbours outside the cycle, and none in common.
  bool outsides_fit(ReductionGraph& graph, std::array<Vertex, 2> const& a,
                    std::array<Vertex, 2> const& b) {
    auto const collect_outside = [&](std::array<Vertex, 2> const& inner,
                                     std::array<Vertex, 2> const& outer,
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
    std::array<Vertex, 4> outside_a;
    std::array<Vertex, 4> outside_b;
    std::uint32_t const count_a = collect_outside(a, b, outside_a);
    std::uint32_t const count_b = collect_outside(b, a, outside_b);
    return count_a <= 2 && count_b <= 2 &&
           std::find_first_of(outside_a.begin(), outside_a.begin() + count_a, outside_b.begin(),
                              outside_b.begin() + count_b) == outside_a.begin() + count_a;
  }

  /// Grows confining_, the set S of unconfined(v). True: the assumption is wrong. Gives up at
  /// max_confining vertices; every S on the way is valid.
  bool grow_confining_set(ReductionGraph& graph, Vertex v) {
    closed_neighbourhood_.reset(graph.vertices());
    if (contact_.size() < graph.vertices()) {
      contact_.resize(graph.vertices());
    }
    confining_.clear();
    border_.clear();
    add_to_confining_set(graph, v);
    while (confining_.size() < max_confining) {
      // A vertex with two neighbours in S never again has just one.
      std::erase_if(border_, [&](Vertex u) { return contact_[u].count != 1; });
      // A vertex with one neighbour outside N[S] makes S grow; vertices with two are candidates for
      // diamonds.
      Vertex grown = none;
      candidates_.clear();
      for (Vertex const u : border_) {
        Candidate candidate{u, contact_[u].member, {none, none}};
        std::uint32_t outside = 0;
        graph.read_until(u, [&](Vertex w) {
          ++work_;
          if (!closed_neighbourhood_.contains(w) && ++outside <= 2) {
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

  /// How a vertex is adjacent to S: the number of its neighbours there, and the first of them.
  struct Contact {
    std::uint32_t count;
    Vertex member;
  };
  /// A neighbour of S with one neighbour in S (`member`) and two outside N[S].
  struct Candidate {
    Vertex vertex, member;
    std::array<Vertex, 2> outside;
  };

  void add_to_confining_set(ReductionGraph& graph, Vertex v) {
    confining_.push_back(v);
    closed_neighbourhood_.insert(v);
    for (Vertex const u : graph.neighbours(v)) {
      if (closed_neighbourhood_.insert(u)) {
        border_.push_back(u);
        contact_[u] = {0, v};
      }
      ++contact_[u].count;
    }
  }

  /// One of two candidates that are not adjacent and agree in `member` and `outside`; else null.
  Candidate const* find_diamond(ReductionGraph& graph) {
    auto const sort_outside = [](Candidate& c) {
      if (c.outside[0] > c.outside[1]) {
        std::swap(c.outside[0], c.outside[1]);
      }
    };
    if (candidates_.size() < 2) {
      return nullptr;
    }
    std::for_each(candidates_.begin(), candidates_.end(), sort_outside);
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

  VertexSet closed_neighbourhood_;     ///< N[S]
  std::vector<Vertex> confining_;      ///< S
  std::vector<Vertex> border_;         ///< neighbours of S, until they have several in S
  std::vector<Contact> contact_;       ///< by vertex of border_
  std::vector<Candidate> candidates_;  ///< for diamonds
  std::uint64_t work_ = 0;
};

}  // namespace taper::vertex_cover::branch_and_reduce
