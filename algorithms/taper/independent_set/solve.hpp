// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/clique/solve.hpp>
#include <taper/clique/verify.hpp>
#include <taper/independent_set/clique_cover.hpp>
#include <taper/independent_set/options.hpp>
#include <taper/independent_set/report.hpp>
#include <taper/independent_set/weighted_graph.hpp>
#include <taper/independent_set/weighted_rules.hpp>
#include <taper/independent_set/weighted_search.hpp>
#include <taper/vertex_cover/interrupt.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace taper::independent_set {

/// One run with weights: reduces the graph, bounds the components of the reduced graph, solves
/// each, and lifts the set.
///
/// A dense component is searched for a clique of its complement, by all workers together. Workers
/// take the other components one by one, small ones first.
/// Used by: solve_on_host().
class WeightedSolver {
 public:
  WeightedSolver(HostGraph const& graph, std::span<Weight const> weights, Options const& options)
      : options_(options),
        interrupt_({.time_limit_s = options.time_limit_s, .stop = options.stop}) {
    graph_.assign(graph, weights);
    start_weight_ = clique::weight_of(weights, options.start);
  }

  /// Solves the instance. Writes 1 to in_set for each vertex of the set, else 0.
  template <class Fork>
  Report run(Fork& fork, std::span<Weight const> weights, std::span<std::uint8_t> in_set) {
    Report report;
    reduce();
    report.kernel_vertices = graph_.live_vertices();
    report.kernel_edges = graph_.live_edges();
    report.components = components_.count();
    report.workers = fork.workers();

    marks_ = graph_.in_set();
    bound_components();
    std::deque<Search> searches;
    for (std::uint32_t worker = 0; worker < fork.workers(); ++worker) {
      searches.emplace_back(interrupt_, options_);
    }
    auto const dense = static_cast<std::size_t>(
        std::partition(parts_.begin(), parts_.end(), [](Part const& part) { return part.dense; }) -
        parts_.begin());
    for (std::size_t i = 0; i < dense; ++i) {
      report.nodes += search_complement(fork, parts_[i]);
    }
    std::sort(parts_.begin() + static_cast<std::ptrdiff_t>(dense), parts_.end(),
              [](Part const& a, Part const& b) { return a.vertices.size() < b.vertices.size(); });
    fork.each(dense, parts_.size(), [&](std::size_t i, Fork& inner) {
      Part& part = parts_[i];
      Weight const others = first_bound_ - part.first_bound;
      part.answer = searches[inner.worker()].solve(graph_, part.vertices, part.first_bound,
                                                   start_weight_ - others, patience(part), marks_);
      change_upper_bound(part.answer.bound - part.first_bound);
    });

    graph_.lift(marks_);
    write_heaviest(weights, in_set);
    report.upper_bound = graph_.offset();
    for (Part const& part : parts_) {
      report.upper_bound += part.answer.bound;
    }
    report.set_size = static_cast<std::uint64_t>(std::count(in_set.begin(), in_set.end(), 1));
    report.set_weight = clique::weight_of(weights, in_set);
    for (Search const& search : searches) {
      report.nodes += search.nodes();
    }
    report.status = report.set_weight == report.upper_bound ? Status::solved : Status::stopped;
    return report;
  }

 private:
  /// Writes the set of marks_, or Options::start if it is heavier, without vertices of weight 0.
  void write_heaviest(std::span<Weight const> weights, std::span<std::uint8_t> in_set) const {
    bool const start = start_weight_ > clique::weight_of(weights, marks_);
    std::span<std::uint8_t const> const heaviest = start ? options_.start : marks_;
    for (std::size_t v = 0; v < in_set.size(); ++v) {
      in_set[v] = heaviest[v] != 0 && weights[v] > 0 ? 1 : 0;
    }
  }

  struct Part {
    std::span<Vertex> vertices;
    std::uint64_t entries = 0;  ///< of the rows of the vertices
    bool dense = false;
    Weight first_bound = 0;
    ComponentAnswer answer;
  };

  /// Whether all workers search the component together, as rows of bits. The limits are measured.
  static bool is_dense(Part const& part) {
    std::uint64_t const n = part.vertices.size();
    return n > 128 &&
           ((n <= 512 && part.entries >= 12 * n) || (n <= 4096 && part.entries >= n * (n - 1) / 4));
  }

  /// The row entries that the local search of a component reads without a heavier set, before it
  /// ends. Small components get less, since they are soon searched.
  std::uint64_t patience(Part const& part) const {
    if (options_.heuristic) {
      return interrupt_.has_deadline() ? std::numeric_limits<std::uint64_t>::max()
                                       : 100 * (part.vertices.size() + part.entries);
    }
    return (part.vertices.size() < 128 ? 100 : 1000) * (part.vertices.size() + part.entries);
  }

  /// Reduces the graph and finds the components of what is left: one for all if there is no time
  /// for more, or only local search follows.
  void reduce() {
    graph_.touch_all();
    WeightedRules rules;
    if (options_.heuristic) {
      auto first_third = vertex_cover::Interrupt::of_a_third(
          {.time_limit_s = options_.time_limit_s, .stop = options_.stop});
      rules.reduce(graph_, first_third);
    } else {
      rules.reduce(graph_, interrupt_);
    }
    if (interrupt_.stopped() || options_.heuristic) {
      components_.join(graph_);
    } else {
      components_.find(graph_);
    }
  }

  /// Fills parts_ and first_bound_.
  void bound_components() {
    CliqueCover cover;
    first_bound_ = graph_.offset();
    for (std::size_t i = 0; i < components_.count(); ++i) {
      Part part;
      part.vertices = components_[i];
      for (Vertex const v : part.vertices) {
        part.entries += graph_.degree(v);
      }
      part.dense = !options_.heuristic && is_dense(part);
      part.first_bound = cover.bound(graph_, part.vertices, interrupt_);
      part.answer.bound = part.first_bound;
      first_bound_ += part.first_bound;
      parts_.push_back(part);
    }
    if (options_.progress != nullptr) {
      options_.progress->best = graph_.offset();
      options_.progress->upper_bound = first_bound_;
    }
  }

  /// Adds `change`, which is 0 or less, to the upper bound that others see.
  void change_upper_bound(Weight change) {
    if (options_.progress != nullptr) {
      options_.progress->upper_bound.fetch_add(change, std::memory_order_relaxed);
    }
  }

  /// The vertices of a component that are in Options::start. Leaves out those that are adjacent to
  /// one before: folds may have joined them by an edge.
  std::vector<std::uint8_t> start_of(Part const& part) {
    std::vector<std::uint8_t> start(options_.start.empty() ? 0 : part.vertices.size());
    for (std::size_t i = 0; i < start.size(); ++i) {
      Vertex const v = part.vertices[i];
      auto const row = graph_.neighbours(v);
      start[i] = options_.start[v] != 0 && std::none_of(row.begin(), row.end(),
                                                        [&](Vertex u) { return marks_[u] != 0; })
                     ? 1
                     : 0;
      marks_[v] = start[i];
    }
    return start;
  }

  /// Searches the complement of a component for a clique. Returns the number of search nodes.
  template <class Fork>
  std::uint64_t search_complement(Fork& fork, Part& part) {
    std::size_t const n = part.vertices.size();
    Complement complement(graph_, part.vertices);
    HostGraph const rows = complement.host_graph();
    std::vector<std::uint8_t> in_clique(n);
    std::vector<std::uint8_t> const start = start_of(part);
    clique::Options limits = remaining_limits(options_, interrupt_);
    limits.start = start;
    auto const report = clique::solve_on_host(fork, rows, complement.weights(), in_clique, limits);
    for (std::size_t i = 0; i < n; ++i) {
      marks_[part.vertices[i]] = in_clique[i];
    }
    part.answer = {report.clique_weight, std::min(part.first_bound, report.upper_bound)};
    if (options_.progress != nullptr) {
      options_.progress->best.fetch_add(report.clique_weight, std::memory_order_relaxed);
      options_.progress->nodes.fetch_add(report.nodes, std::memory_order_relaxed);
    }
    change_upper_bound(part.answer.bound - part.first_bound);
    return report.nodes;
  }

  Options const& options_;
  vertex_cover::Interrupt interrupt_;
  WeightedGraph graph_;
  Components components_;
  std::vector<Part> parts_;
  Weight first_bound_ = 0;   ///< of the whole graph, before the searches
  Weight start_weight_ = 0;  ///< of Options::start
  std::vector<std::uint8_t> marks_;
};

/// solve() of independent_set.hpp with weights, for a graph in host memory. It needs no Kokkos.
///
/// `fork`: a taper::Fork inside fork_join(), or a clique::SerialFork.
/// Requires: a simple graph; clique::find_fault(weights) finds none; in_set has one entry per
///   vertex; Options::start is an independent set, or empty.
/// Equivalent to, Ensures, Cost: as solve().
template <class Fork>
Report solve_on_host(Fork& fork, HostGraph const& graph, std::span<Weight const> weights,
                     std::span<std::uint8_t> in_set, Options const& options = {}) {
  return WeightedSolver(graph, weights, options).run(fork, weights, in_set);
}

}  // namespace taper::independent_set
