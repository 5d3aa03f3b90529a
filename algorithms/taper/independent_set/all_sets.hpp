// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/clique/solve.hpp>
#include <taper/independent_set/options.hpp>
#include <taper/independent_set/solve.hpp>
#include <taper/report.hpp>
#include <taper/vertex_cover/branch_and_reduce/branch_and_reduce.hpp>
#include <taper/vertex_cover/interrupt.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace taper::independent_set {

/// All optimal sets, or as many as the caller wants.
struct AllSets {
  /// solved: there are no other sets, or the limit is reached. stopped: a time limit ended the run,
  /// or parts were nested too deep.
  Status status = Status::solved;
  std::vector<std::vector<Vertex>> sets;  ///< in lexicographic order, each ascending
};

/// Lists all independent sets of maximum weight of a graph.
///
/// The optimal sets of a graph are those of its components, in all combinations. A small or dense
/// component is searched for all maximum cliques of its complement. Any other one is split by a
/// vertex, into sets with it and sets without it. Each of the two parts is solved exactly. A part
/// whose maximum is too small has no optimal set, and is not split further.
/// Used by: find_all_on_host().
template <class Fork>
class SetLister {
 public:
  using Sets = std::vector<std::vector<Vertex>>;

  /// `weights`: by vertex of the graph; empty: all are 1. `limit`: the most sets of any list.
  SetLister(Fork& fork, std::span<Weight const> weights, std::size_t limit, Options const& options)
      : fork_(fork), weights_(weights), limit_(limit), options_(options),
        interrupt_({.time_limit_s = options.time_limit_s, .stop = options.stop}) {}

  /// Lists all sets of weight `maximum`, which must be the greatest weight of a set. No set has
  /// vertices of weight 0.
  Sets list(HostGraph const& graph, Weight maximum) {
    Part whole{graph, std::vector<Vertex>(graph.vertices())};
    std::iota(whole.ids.begin(), whole.ids.end(), Vertex{0});
    std::vector<Vertex> vertices = whole.ids;
    std::erase_if(vertices, [&](Vertex v) { return weight(v) == 0; });
    Sets sets = list(whole, vertices, maximum, 0);
    for (auto& set : sets) {
      std::sort(set.begin(), set.end());
    }
    std::sort(sets.begin(), sets.end());
    return sets;
  }

  bool stopped() const { return stopped_; }

 private:
  static constexpr std::size_t max_depth = 2000;

  /// A connected subgraph, with the ids of its vertices in the whole graph, in the order of a
  /// breadth-first search. Only the whole graph may have several components.
  struct Part {
    HostGraph graph;
    std::vector<Vertex> ids;
    Weight maximum = 0;  ///< the weight of its heaviest sets
  };

  /// Lists the sets of weight `maximum` of the subgraph of these vertices of a part. `depth`: the
  /// number of parts around it.
  Sets list(Part const& within, std::vector<Vertex> const& vertices, Weight maximum,
            std::size_t depth) {
    Sets sets;
    std::vector<Part> parts = components(within, vertices);
    Weight sum = 0;
    for (Part& part : parts) {
      part.maximum = maximum_of(part);
      sum += part.maximum;
    }
    if (stopped_ || depth > max_depth) {
      stopped_ = true;
      return sets;
    }
    if (sum < maximum) {
      return sets;
    }
    sets.emplace_back();
    for (Part const& part : parts) {
      sets = combine(std::move(sets), list_part(part, depth));
    }
    return sets;
  }

  /// The components of the subgraph of some vertices of a part.
  static std::vector<Part> components(Part const& within, std::vector<Vertex> const& vertices) {
    constexpr Vertex outside = std::numeric_limits<Vertex>::max();
    constexpr Vertex unseen = outside - 1;
    HostGraph const& graph = within.graph;
    std::vector<Vertex> number(graph.vertices(), outside);  // in its component
    for (Vertex const v : vertices) {
      number[v] = unseen;
    }
    std::vector<Part> parts;
    std::vector<Vertex> order;
    for (Vertex const start : vertices) {
      if (number[start] != unseen) {
        continue;
      }
      Part part;
      number[start] = 0;
      order.assign(1, start);
      for (std::size_t head = 0; head < order.size(); ++head) {
        for (Vertex const u : graph.neighbours(order[head])) {
          if (number[u] == unseen) {
            number[u] = static_cast<Vertex>(order.size());
            order.push_back(u);
          }
        }
      }
      for (Vertex const v : order) {
        auto const begin = static_cast<std::ptrdiff_t>(part.graph.entries.size());
        for (Vertex const u : graph.neighbours(v)) {
          if (number[u] != outside) {
            part.graph.entries.push_back(number[u]);
          }
        }
        std::sort(part.graph.entries.begin() + begin, part.graph.entries.end());
        part.graph.offsets.push_back(part.graph.entries.size());
        part.ids.push_back(within.ids[v]);
      }
      parts.push_back(std::move(part));
    }
    return parts;
  }

  Weight weight(Vertex id) const { return weights_.empty() ? 1 : weights_[id]; }

  std::vector<Weight> weights_of(Part const& part) const {
    std::vector<Weight> weights;
    for (Vertex const id : part.ids) {
      weights.push_back(weight(id));
    }
    return weights;
  }

  /// Solves a part. Returns the weight of its heaviest sets, or sets stopped_ if a limit ends that.
  Weight maximum_of(Part const& part) {
    if (part.ids.size() == 1) {
      return weight(part.ids[0]);
    }
    stopped_ = stopped_ || interrupt_.stopped_after(256 + part.graph.entries.size());
    if (stopped_) {
      return 0;
    }
    std::vector<std::uint8_t> marks(part.ids.size());
    auto const limits = remaining_limits(options_, interrupt_);
    if (weights_.empty()) {
      vertex_cover::Options options;
      options.time_limit_s = limits.time_limit_s;
      options.stop = limits.stop;
      auto const report = vertex_cover::branch_and_reduce::solve(part.graph, marks, options);
      stopped_ = report.status == Status::stopped;
      return static_cast<Weight>(part.ids.size() - report.cover_size);
    }
    Options options;
    options.time_limit_s = limits.time_limit_s;
    options.stop = limits.stop;
    auto const report = solve_on_host(fork_, part.graph, weights_of(part), marks, options);
    stopped_ = report.status == Status::stopped;
    return report.set_weight;
  }

  /// Lists the heaviest sets of a part.
  Sets list_part(Part const& part, std::size_t depth) {
    if (part.ids.size() == 1) {
      return {{part.ids[0]}};
    }
    return suits_complement(part.graph) ? list_by_complement(part) : list_by_vertex(part, depth);
  }

  /// True for tiny graphs, and for those that branch and reduce gives to its clique search.
  static bool suits_complement(HostGraph const& graph) {
    std::size_t const n = graph.vertices();
    std::size_t const entries = graph.entries.size();
    return n <= 48 || (n <= 256 && entries >= 5 * n) || (n <= 4000 && entries > n * n / 5);
  }

  Sets list_by_complement(Part const& part) {
    std::vector<Vertex> all_vertices(part.ids.size());
    std::iota(all_vertices.begin(), all_vertices.end(), Vertex{0});
    HostGraph const complement = Complement(part.graph, all_vertices).host_graph();
    auto all = clique::find_all_on_host(fork_, complement, weights_of(part), part.maximum, limit_,
                                        remaining_limits(options_, interrupt_));
    stopped_ = stopped_ || all.status == Status::stopped;
    for (auto& set : all.cliques) {
      for (Vertex& v : set) {
        v = part.ids[v];
      }
    }
    return std::move(all.cliques);
  }

  /// Splits a part by a vertex of greatest degree. Of several, it takes the one nearest to the
  /// middle of the breadth-first order: so a long path falls into halves.
  Sets list_by_vertex(Part const& part, std::size_t depth) {
    auto const n = static_cast<Vertex>(part.ids.size());
    Vertex split = 0;
    auto const off_middle = [&](Vertex v) { return v < n / 2 ? n / 2 - v : v - n / 2; };
    for (Vertex v = 1; v < n; ++v) {
      bool const nearer = off_middle(v) < off_middle(split);
      if (part.graph.degree(v) > part.graph.degree(split) ||
          (part.graph.degree(v) == part.graph.degree(split) && nearer)) {
        split = v;
      }
    }
    Sets sets;
    for (bool const with : {true, false}) {
      if (sets.size() == limit_) {
        break;
      }
      auto const row = part.graph.neighbours(split);
      std::vector<Vertex> rest;
      for (Vertex v = 0; v < n; ++v) {
        if (v != split && !(with && std::binary_search(row.begin(), row.end(), v))) {
          rest.push_back(v);
        }
      }
      Weight const taken = with ? weight(part.ids[split]) : 0;
      Sets more = list(part, rest, part.maximum - taken, depth + 1);
      for (auto& set : more) {
        if (sets.size() == limit_) {
          break;
        }
        if (with) {
          set.push_back(part.ids[split]);
        }
        sets.push_back(std::move(set));
      }
    }
    return sets;
  }

  /// Joins each set of `some` with each set of `others`, up to the limit.
  Sets combine(Sets some, Sets const& others) const {
    if (others.size() == 1 || (some.size() == limit_ && !others.empty())) {
      for (auto& set : some) {  // joining each with one is enough to reach the limit
        set.insert(set.end(), others[0].begin(), others[0].end());
      }
      return some;
    }
    Sets sets;
    for (auto const& first : some) {
      for (auto const& second : others) {
        if (sets.size() == limit_) {
          return sets;
        }
        sets.push_back(first);
        sets.back().insert(sets.back().end(), second.begin(), second.end());
      }
    }
    return sets;
  }

  Fork& fork_;
  std::span<Weight const> weights_;
  std::size_t limit_;
  Options const& options_;
  vertex_cover::Interrupt interrupt_;
  bool stopped_ = false;
};

/// Finds all independent sets of maximum weight. If there are more than `limit`, it finds `limit`
/// of them; which ones may depend on the number of threads.
///
/// `fork`: a taper::Fork inside fork_join(), or a clique::SerialFork.
/// `weights`: one per vertex; empty: all are 1. No set has vertices of weight 0, so sets that
///   differ only in such vertices count once.
/// `maximum`: the weight of the sets, which a solve has proved. Without weights: their size. The
///   other vertices of each set are then a minimum vertex cover, and each such cover is found so.
/// Equivalent to: trying all sets of vertices.
/// Requires: a simple graph with sorted rows; limit is 1 or more.
/// Cost: a solve per part. Parts are nested up to 2,000 levels. Memory: `limit` sets.
template <class Fork>
AllSets find_all_on_host(Fork& fork, HostGraph const& graph, std::span<Weight const> weights,
                         Weight maximum, std::size_t limit, Options const& options = {}) {
  SetLister<Fork> lister(fork, weights, limit, options);
  AllSets all;
  all.sets = lister.list(graph, maximum);
  all.status = lister.stopped() ? Status::stopped : Status::solved;
  return all;
}

}  // namespace taper::independent_set
