// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/clique/colour_bound.hpp>
#include <taper/clique/dense_graph.hpp>
#include <taper/clique/incumbent.hpp>
#include <taper/vertex_cover/interrupt.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace taper::clique {

/// A clique of the input that a subproblem extends.
struct Prefix {
  std::vector<Vertex> clique;
  Weight weight = 0;
  Weight bound = 0;  ///< no clique of the subproblem, with the prefix, is heavier
};

/// One worker's depth-first search in a dense graph, and the worker's counters.
///
/// Each node branches on the vertices that ColourBound does not cover. The candidates of the first
/// child are the covered vertices. Each later child also has the branching vertices before it.
/// Used by: Search, one per worker.
template <class Weights>
class DenseSearch {
  using Word = bits::Word;

 public:
  DenseSearch(Incumbent& incumbent, Options const& options)
      : incumbent_(incumbent), options_(options),
        interrupt_(
            vertex_cover::Options{.time_limit_s = options.time_limit_s, .stop = options.stop}) {}

  /// Offers greedy cliques to the incumbent, one from each vertex: it always adds the candidate
  /// that leaves candidates of the greatest weight. Ends at a clique of weight `enough`, or after a
  /// fixed amount of work.
  void find_first_cliques(DenseGraph<Weights> const& graph, Weight enough) {
    constexpr std::uint64_t max_work = 1 << 26;                  // tens of milliseconds
    constexpr std::uint64_t max_started = 4 * max_work;          // then it adds the heaviest one
    constexpr std::uint64_t word_work = Weights::unit ? 1 : 16;  // its weights are summed up
    std::size_t const words = graph.words();
    std::vector<Word> candidates(words);
    std::vector<Word> common(words);
    std::uint64_t work = 0;
    for (Vertex start = 0; start < graph.size() && work < max_work && incumbent_.weight() < enough;
         ++start) {
      std::copy_n(graph.neighbours(start), words, candidates.data());
      clique_.assign(1, graph.vertex(start));
      Weight weight = graph.weight(start);
      for (bool extended = true; extended;) {
        extended = false;
        Vertex next = 0;
        Weight most = 0;
        bits::for_each(candidates.data(), words, [&](Vertex v) {
          Weight left = graph.weight(v);
          if (work < max_started) {
            std::transform(candidates.begin(), candidates.end(), graph.neighbours(v),
                           common.begin(), std::bit_and<>{});
            left += graph.weight_of(common.data());
            work += words * word_work;
          }
          if (left > most) {
            most = left;
            next = v;
            extended = true;
          }
        });
        if (extended) {
          clique_.push_back(graph.vertex(next));
          weight += graph.weight(next);
          std::transform(candidates.begin(), candidates.end(), graph.neighbours(next),
                         candidates.begin(), std::bit_and<>{});
        }
      }
      incumbent_.offer(weight, clique_);
    }
  }

  /// Searches the whole subproblem: the cliques of the graph, with the prefix. If the interrupt
  /// stops it, the incumbent records the bound of what was left.
  void run(DenseGraph<Weights> const& graph, Prefix const& prefix) {
    begin(graph);
    clique_ = prefix.clique;
    if (levels_.empty()) {
      levels_.emplace_back();
    }
    levels_[0].candidates = graph.all();
    expand(0, prefix.weight);
    if (interrupt_.stopped_after(0)) {
      incumbent_.leave_open(
          std::min(prefix.bound, prefix.weight + upper_bound(graph, graph.all().data())));
    }
    publish_nodes();
  }

  /// The vertices, ascending, on which a node branches. `candidates`: of the node; `weight`: of its
  /// clique.
  std::vector<Vertex> branching_vertices(DenseGraph<Weights> const& graph, Word const* candidates,
                                         Weight weight) {
    begin(graph);
    ++nodes_;
    std::vector<Vertex> found;
    bound_.branching_vertices(candidates, incumbent_.weight() - weight, found, interrupt_);
    return found;
  }

  /// An upper bound on the weight of the cliques of a set of positions.
  Weight upper_bound(DenseGraph<Weights> const& graph, Word const* set) {
    begin(graph);
    return bound_.upper_bound(set);
  }

  bool stopped() { return interrupt_.stopped(); }
  bool stopped_after(std::uint64_t work) { return interrupt_.stopped_after(work); }
  /// See Interrupt.
  void poll_with(std::function<bool()> poll) { interrupt_.poll_with(std::move(poll)); }
  std::uint64_t nodes() const { return nodes_; }

  std::uint64_t subproblems = 0;  ///< dense graphs that were searched
  std::uint64_t largest = 0;      ///< vertices of the largest of them

 private:
  struct Level {
    std::vector<Word> candidates;
    std::vector<Vertex> branching;
  };

  void begin(DenseGraph<Weights> const& graph) {
    graph_ = &graph;
    bound_.begin(graph, options_.bound);
  }

  /// Searches the node at `depth`. `weight`: of its clique, which is in clique_.
  void expand(std::size_t depth, Weight weight) {
    ++nodes_;
    if (levels_.size() < depth + 2) {
      levels_.resize(depth + 2);
    }
    std::size_t const words = graph_->words();
    levels_[depth + 1].candidates.resize(words);
    // Other workers may have found a clique heavier than this one and its candidates together.
    Weight const budget = incumbent_.weight() - weight;
    bound_.branching_vertices(levels_[depth].candidates.data(), budget, levels_[depth].branching,
                              interrupt_);
    publish_some_nodes();
    if (interrupt_.stopped_after(0)) {
      return;
    }
    for (Vertex const v : levels_[depth].branching) {
      bits::clear(levels_[depth].candidates.data(), v);
    }
    for (std::size_t i = 0; i < levels_[depth].branching.size(); ++i) {
      Vertex const v = levels_[depth].branching[i];
      Word* const candidates = levels_[depth].candidates.data();
      Word* const next = levels_[depth + 1].candidates.data();
      Word const* const row = graph_->neighbours(v);
      Word any = 0;
      for (std::size_t w = 0; w < words; ++w) {
        next[w] = candidates[w] & row[w];
        any |= next[w];
      }
      Weight const with_v = weight + graph_->weight(v);
      clique_.push_back(graph_->vertex(v));
      incumbent_.offer(with_v, clique_);
      if (any != 0 && with_v + graph_->weight_of(next) > incumbent_.weight()) {
        expand(depth + 1, with_v);
      }
      clique_.pop_back();
      if (interrupt_.stopped_after(0)) {
        return;
      }
      bits::set(candidates, v);
    }
  }

  void publish_some_nodes() {
    constexpr std::uint64_t nodes_between = 1024;
    if (nodes_ - published_ >= nodes_between) {
      publish_nodes();
    }
  }

  void publish_nodes() {
    if (options_.progress != nullptr) {
      options_.progress->nodes.fetch_add(nodes_ - published_, std::memory_order_relaxed);
    }
    published_ = nodes_;
  }

  Incumbent& incumbent_;
  Options const& options_;
  vertex_cover::Interrupt interrupt_;  ///< each worker counts its own work between clock checks
  ColourBound<Weights> bound_;
  DenseGraph<Weights> const* graph_ = nullptr;
  std::vector<Vertex> clique_;
  std::vector<Level> levels_;  ///< by depth
  std::uint64_t nodes_ = 0;
  std::uint64_t published_ = 0;
};

}  // namespace taper::clique
