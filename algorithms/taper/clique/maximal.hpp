// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/clique/core_order.hpp>
#include <taper/clique/dense_graph.hpp>
#include <taper/clique/options.hpp>
#include <taper/clique/report.hpp>
#include <taper/vertex_cover/interrupt.hpp>

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace taper::clique {

/// The callback of count_maximal_on_host() that ignores cliques. The counter then does not store
/// them.
struct SeeNone {
  void operator()(std::span<Vertex const>) const {}
};

/// Counts the maximal cliques that have a given vertex and no vertex before it in a degeneracy
/// order. One per worker.
///
/// The candidates are the neighbours after the vertex, as bits. The neighbours before it are
/// excluded. There may be many, so each has only a row of bits over the candidates.
/// Used by: count_maximal_on_host().
template <class See>
class MaximalCounter {
  using Word = bits::Word;

 public:
  /// `later`: the neighbours after each vertex.
  MaximalCounter(HostGraph const& graph, HostGraph const& later, Options const& options,
                 See const& see)
      : graph_(graph), later_(later), see_(see), index_(graph.vertices(), 0),
        interrupt_(
            vertex_cover::Options{.time_limit_s = options.time_limit_s, .stop = options.stop}) {}

  /// Counts the maximal cliques of which v is the first vertex.
  void count_from(Vertex v) {
    if (interrupt_.stopped_after(graph_.degree(v))) {
      return;
    }
    if constexpr (sees_cliques) {
      clique_.assign(1, v);
    }
    if (!make_rows(v)) {
      add_clique(1);
      return;
    }
    if (size_ > 0) {
      expand(0, 1);
    }
  }

  bool stopped() { return interrupt_.stopped_after(0); }

  std::uint64_t cliques = 0;
  std::uint64_t largest = 0;
  std::uint64_t largest_count = 0;
  std::uint64_t nodes = 0;

 private:
  static constexpr bool sees_cliques = !std::same_as<See, SeeNone>;

  /// The sets of a node. Every candidate and every excluded vertex is adjacent to the whole clique.
  struct Level {
    std::vector<Word> candidates;
    std::vector<Word> excluded;   ///< candidates that were branched on
    std::vector<Vertex> earlier;  ///< excluded neighbours before the vertex, by row
  };

  /// Makes the rows over the neighbours after v, and level 0. Returns false if v has no neighbours.
  bool make_rows(Vertex v) {
    auto const members = members_ = later_.neighbours(v);
    size_ = static_cast<Vertex>(members.size());
    words_ = (members.size() + 63) / 64;
    rows_.assign(graph_.degree(v) * words_, 0);
    reserve_level(0);
    Level& root = levels_[0];
    root.candidates.assign(words_, 0);
    root.excluded.assign(words_, 0);
    root.earlier.clear();
    for (Vertex i = 0; i < size_; ++i) {
      index_[members[i]] = i + 1;
      bits::set(root.candidates.data(), i);
    }
    for (Vertex i = 0; i < size_; ++i) {
      for_each_later_member(members[i], [&](Vertex j) {
        bits::set(rows_.data() + i * words_, j);
        bits::set(rows_.data() + j * words_, i);
      });
    }
    Vertex next = size_;
    for (Vertex const u : graph_.neighbours(v)) {
      if (index_[u] == 0) {  // it is before v
        for_each_later_member(u, [&](Vertex j) { bits::set(rows_.data() + next * words_, j); });
        root.earlier.push_back(next++);
      }
    }
    for (Vertex const u : members) {
      index_[u] = 0;
    }
    return next > 0;
  }

  /// Calls visit(i) for each neighbour after u that is also a candidate: the i-th one.
  template <class Visit>
  void for_each_later_member(Vertex u, Visit const& visit) const {
    for (Vertex const w : later_.neighbours(u)) {
      if (index_[w] != 0) {
        visit(index_[w] - 1);
      }
    }
  }

  Word const* row(Vertex i) const { return rows_.data() + std::size_t{i} * words_; }

  void reserve_level(std::size_t depth) {
    if (levels_.size() <= depth) {
      levels_.resize(depth + 1);
    }
    levels_[depth].candidates.resize(words_);
    levels_[depth].excluded.resize(words_);
  }

  void add_clique(std::uint64_t size) {
    ++cliques;
    if (size > largest) {
      largest = size;
      largest_count = 0;
    }
    largest_count += size == largest ? 1u : 0u;
    if constexpr (sees_cliques) {
      see_(std::span<Vertex const>(clique_));
    }
  }

  /// Counts the maximal cliques of the node at `depth`, whose clique has `size` vertices.
  void expand(std::size_t depth, std::uint64_t size) {
    ++nodes;
    if (interrupt_.stopped_after(size_ * words_)) {
      return;
    }
    reserve_level(depth + 1);
    Level& here = levels_[depth];
    Word const* const pivot = row(pivot_of(here));
    for (std::size_t w = 0; w < words_; ++w) {
      for (Word rest = here.candidates[w] & ~pivot[w]; rest != 0; rest &= rest - 1) {
        auto const v = static_cast<Vertex>(w * 64 + static_cast<unsigned>(std::countr_zero(rest)));
        if constexpr (sees_cliques) {
          clique_.push_back(members_[v]);
        }
        if (take(here, v, levels_[depth + 1])) {
          expand(depth + 1, size + 1);
        } else if (is_maximal(levels_[depth + 1])) {
          add_clique(size + 1);
        }
        if constexpr (sees_cliques) {
          clique_.pop_back();
        }
        bits::clear(here.candidates.data(), v);
        bits::set(here.excluded.data(), v);
      }
    }
  }

  /// Sets `next` to the node that adds v. Returns whether it has candidates.
  bool take(Level const& here, Vertex v, Level& next) const {
    Word any = 0;
    for (std::size_t w = 0; w < words_; ++w) {
      next.candidates[w] = here.candidates[w] & row(v)[w];
      next.excluded[w] = here.excluded[w] & row(v)[w];
      any |= next.candidates[w];
    }
    next.earlier.clear();
    for (Vertex const x : here.earlier) {
      if (bits::test(row(x), v)) {
        next.earlier.push_back(x);
      }
    }
    return any != 0;
  }

  static bool is_maximal(Level const& level) {
    return level.earlier.empty() && std::all_of(level.excluded.begin(), level.excluded.end(),
                                                [](Word word) { return word == 0; });
  }

  /// The candidate or excluded vertex with the most candidates as neighbours (Tomita, Tanaka and
  /// Takahashi 2006). Only candidates that are not its neighbours need a branch.
  Vertex pivot_of(Level const& level) const {
    Vertex best = size_;
    std::size_t most = 0;
    auto const consider = [&](Vertex u) {
      std::size_t common = 0;
      for (std::size_t w = 0; w < words_; ++w) {
        common += static_cast<std::size_t>(std::popcount(level.candidates[w] & row(u)[w]));
      }
      if (best == size_ || common > most) {
        best = u;
        most = common;
      }
    };
    bits::for_each(level.candidates.data(), words_, consider);
    bits::for_each(level.excluded.data(), words_, consider);
    for (Vertex const x : level.earlier) {
      consider(x);
    }
    return best;
  }

  HostGraph const& graph_;
  HostGraph const& later_;
  See const& see_;
  std::vector<Vertex> index_;  ///< by vertex: one more than its place among the later ones; 0: none
  vertex_cover::Interrupt interrupt_;
  std::span<Vertex const> members_;  ///< the neighbours after the vertex
  std::vector<Vertex> clique_;       ///< of the node, if it is seen
  Vertex size_ = 0;
  std::size_t words_ = 0;
  std::vector<Word> rows_;    ///< of the neighbours after the vertex, then of those before it
  std::deque<Level> levels_;  ///< by depth; a deque does not move its elements
};

/// Counts all maximal cliques: count_maximal() of clique.hpp for a graph in host memory.
///
/// Source: Bron and Kerbosch, "Algorithm 457", 1973, along a degeneracy order (Eppstein, Loeffler
/// and Strash, "Listing all maximal cliques in sparse graphs in near-optimal time", 2010).
///
/// `fork`: a taper::Fork inside fork_join(), or a SerialFork.
/// `see(clique)`: called with the vertices of each maximal clique, in no particular order. The span
///   is valid only during the call. Workers call it concurrently.
/// Requires: a simple graph. Equivalent to, Cost: as count_maximal().
template <class Fork, class See = SeeNone>
MaximalReport count_maximal_on_host(Fork& fork, HostGraph const& graph, Options const& options = {},
                                    See const& see = {}) {
  CoreOrder const cores = core_order(graph);
  HostGraph const later = later_neighbours(graph, cores, [](Vertex) { return true; });
  std::deque<MaximalCounter<See>> counters;
  for (std::uint32_t worker = 0; worker < fork.workers(); ++worker) {
    counters.emplace_back(graph, later, options, see);
  }
  fork.each(std::size_t{0}, cores.order.size(), [&](std::size_t i, Fork& inner) {
    counters[inner.worker()].count_from(cores.order[i]);
  });
  MaximalReport report;
  report.degeneracy = cores.degeneracy;
  report.workers = fork.workers();
  for (auto& counter : counters) {
    report.cliques += counter.cliques;
    report.nodes += counter.nodes;
    report.largest = std::max(report.largest, counter.largest);
    report.status = counter.stopped() ? Status::stopped : report.status;
  }
  for (auto const& counter : counters) {
    report.largest_count += counter.largest == report.largest ? counter.largest_count : 0;
  }
  return report;
}

}  // namespace taper::clique
