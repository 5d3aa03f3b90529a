// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/clique/dense_search.hpp>
#include <taper/independent_set/clique_cover.hpp>
#include <taper/independent_set/weighted_graph.hpp>
#include <taper/independent_set/weighted_local_search.hpp>
#include <taper/independent_set/weighted_rules.hpp>
#include <taper/vertex_cover/interrupt.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

namespace taper::independent_set {

using vertex_cover::branch_and_reduce::Components;

/// The complement of a subgraph. Its vertex i is vertices[i] of the graph. `Graph`: a HostGraph, or
/// a WeightedGraph of which the vertices are live.
template <class Graph>
class Complement {
 public:
  Complement(Graph& graph, std::span<Vertex const> vertices)
      : graph_(graph), vertices_(vertices), is_adjacent_(graph.vertices(), 0) {}

  std::vector<Weight> weights() const {
    std::vector<Weight> weights;
    for (Vertex const v : vertices_) {
      weights.push_back(graph_.weight(v));
    }
    return weights;
  }

  /// Calls visit(j) for each neighbour j of vertex i of the complement, ascending.
  template <class Visit>
  void for_each_neighbour(Vertex i, Visit const& visit) {
    auto const row = graph_.neighbours(vertices_[i]);
    for (Vertex const u : row) {
      is_adjacent_[u] = 1;
    }
    for (Vertex j = 0; j < vertices_.size(); ++j) {
      if (j != i && is_adjacent_[vertices_[j]] == 0) {
        visit(j);
      }
    }
    for (Vertex const u : row) {
      is_adjacent_[u] = 0;
    }
  }

  HostGraph host_graph() {
    HostGraph complement;
    for (Vertex i = 0; i < vertices_.size(); ++i) {
      for_each_neighbour(i, [&](Vertex j) { complement.entries.push_back(j); });
      complement.offsets.push_back(complement.entries.size());
    }
    return complement;
  }

 private:
  Graph& graph_;
  std::span<Vertex const> vertices_;
  std::vector<std::uint8_t> is_adjacent_;  ///< by vertex of the graph
};

/// The options of a clique search within this run: its stop flag, and the time that is left.
inline clique::Options remaining_limits(Options const& options,
                                        vertex_cover::Interrupt const& interrupt) {
  clique::Options limits;
  limits.stop = options.stop;
  if (interrupt.has_deadline()) {
    constexpr double least = 1e-9;  // 0 means no limit
    std::chrono::duration<double> const left =
        interrupt.deadline() - std::chrono::steady_clock::now();
    limits.time_limit_s = std::max(left.count(), least);
  }
  return limits;
}

/// The weight of a set of a component, and a bound.
struct ComponentAnswer {
  Weight weight = 0;  ///< the weight of the set
  Weight bound = 0;   ///< no set is heavier
};

/// Branch and reduce in one component after another, on one thread.
///
/// A node reduces its graph, and ends if a clique cover shows that it has no heavier set. If its
/// graph falls into components, it solves them one by one. Else it branches at a vertex of greatest
/// degree: a child takes the vertex. Then the node itself drops the vertex, and repeats. So nodes
/// are nested only as deep as vertices are taken.
/// Used by: solve_on_host(), one per worker.
class Search {
 public:
  Search(vertex_cover::Interrupt const& interrupt, Options const& options)
      : interrupt_(interrupt), options_(options), progress_(options.progress) {}

  /// Solves the component `part` of a graph. Writes 1 to in_set for each of its vertices in the
  /// set, else 0.
  ///
  /// `bound`: no set of the component is heavier. `only_above`: only heavier sets are of interest,
  /// so the bound in the answer may be this weight. `patience`: see WeightedLocalSearch::run().
  ///
  /// Requires: Components::find(graph) since the last change of the graph, which is not changed.
  ComponentAnswer solve(WeightedGraph& graph, std::span<Vertex const> part, Weight bound,
                        Weight only_above, std::uint64_t patience, std::span<std::uint8_t> in_set) {
    if (interrupt_.stopped()) {
      return take_first(graph, part, bound, in_set);
    }
    Node& root = node_at(0);
    root.graph.assign(graph, part, new_id_);
    root.graph.touch_all();
    local_search_.begin(root.graph, start_of(part));
    local_search_.run(patience, bound, interrupt_);
    Weight weight = local_search_.weight();
    root.floor = std::max(weight, only_above);
    root.best.assign(local_search_.in_set().begin(), local_search_.in_set().end());
    published_weight_ = 0;
    publish_weight(weight);
    if (root.floor < bound && !interrupt_.stopped() && !options_.heuristic) {
      Weight const searched = search(0);
      bound = std::min(bound, std::max(root.floor, searched));
      weight = root.found ? root.floor : weight;
    }
    for (std::size_t i = 0; i < part.size(); ++i) {
      in_set[part[i]] = root.best[i];
    }
    publish_nodes();
    return {weight, std::max(weight, bound)};
  }

  std::uint64_t nodes() const { return nodes_; }

 private:
  struct Node {
    WeightedGraph graph;
    Weight floor = 0;  ///< only a heavier set is of interest; if found: the weight of `best`
    std::vector<std::uint8_t> best;  ///< the heaviest set so far, a mark per vertex
    bool found = false;              ///< `best` is heavier than the first floor
    std::vector<Vertex> live;
    Components components;
    std::vector<Weight> bounds;       ///< by component: no set of it is heavier
    std::vector<std::uint8_t> marks;  ///< the set so far, while the node solves its components
    std::size_t bytes = 0;            ///< of the graph, as counted in bytes_
  };

  static constexpr std::uint32_t max_dense = 512;
  // A node beyond these limits is not searched, and its bound stays open.
  static constexpr std::size_t max_depth = 3000;
  static constexpr std::size_t max_bytes = std::size_t{1} << 31;

  /// The marks of Options::start for the vertices of a component; empty if there is no start. Folds
  /// may have joined two of them by an edge; WeightedLocalSearch leaves one out.
  std::vector<std::uint8_t> start_of(std::span<Vertex const> part) const {
    std::vector<std::uint8_t> marks;
    for (std::size_t i = 0; i < part.size() && !options_.start.empty(); ++i) {
      marks.push_back(options_.start[part[i]]);
    }
    return marks;
  }

  /// After a limit: takes each vertex that has no neighbour in the set yet, in one pass over the
  /// component.
  ComponentAnswer take_first(WeightedGraph& graph, std::span<Vertex const> part, Weight bound,
                             std::span<std::uint8_t> in_set) {
    Weight weight = 0;
    for (Vertex const v : part) {
      auto const row = graph.neighbours(v);
      if (std::none_of(row.begin(), row.end(), [&](Vertex u) { return in_set[u] != 0; })) {
        in_set[v] = 1;
        weight += graph.weight(v);
      }
    }
    published_weight_ = 0;
    publish_weight(weight);
    return {weight, bound};
  }

  /// The node at this depth, whose memory is reused.
  Node& node_at(std::size_t depth) {
    while (nodes_by_depth_.size() <= depth) {
      nodes_by_depth_.emplace_back();
    }
    Node& node = nodes_by_depth_[depth];
    node.found = false;
    return node;
  }

  /// Searches the node at this depth for sets heavier than its floor. Returns a bound: no set is
  /// heavier than the bound and the floor.
  Weight search(std::size_t depth) {
    Node& node = nodes_by_depth_[depth];
    WeightedGraph& graph = node.graph;
    for (Weight searched = 0;;) {  // no set of a child so far is heavier
      count_node();
      rules_.reduce(graph, interrupt_);
      if (graph.live_vertices() == 0) {
        offer(node, graph.in_set(), graph.offset());
        return std::max(searched, graph.offset());
      }
      node.live.clear();
      graph.append_live(node.live);
      Weight const bound = graph.offset() + cover_.bound(graph, node.live, interrupt_);
      if (bound <= node.floor || interrupt_.stopped_after(0) || depth >= max_depth ||
          bytes_ > max_bytes) {
        return std::max(searched, bound);
      }
      node.components.find(graph);
      if (node.components.count() > 1) {
        return std::max(searched, search_components(depth));
      }
      if (suits_dense_search(graph)) {
        return std::max(searched, search_complement(node));
      }
      Vertex const v = branching_vertex(graph, node.live);
      searched = std::max(searched, graph.offset() + search_child(depth, v));
      if (interrupt_.stopped_after(0)) {
        return std::max(searched, bound);
      }
      graph.drop(v);
    }
  }

  /// Searches the sets with v. Returns their bound, without the offset of the node's graph.
  Weight search_child(std::size_t depth, Vertex v) {
    Node& node = nodes_by_depth_[depth];
    Node& child = begin_child(depth, node.live, node.floor - node.graph.offset());
    child.graph.take(new_id_[v]);
    Weight const bound = search(depth + 1);
    if (child.found) {
      node.marks = node.graph.in_set();
      copy_marks(child, node.live, node.marks);
      offer(node, node.marks, node.graph.offset() + child.floor);
    }
    return bound;
  }

  /// Solves the components of a node. A component is searched only for sets with which the node
  /// could still be heavier than its floor, if the others reach their bounds.
  Weight search_components(std::size_t depth) {
    Node& node = nodes_by_depth_[depth];
    std::size_t const count = node.components.count();
    node.bounds.clear();
    Weight bound = node.graph.offset();
    for (std::size_t i = 0; i < count; ++i) {
      node.bounds.push_back(cover_.bound(node.graph, node.components[i], interrupt_));
      bound += node.bounds.back();
    }
    node.marks = node.graph.in_set();
    Weight weight = node.graph.offset();
    for (std::size_t i = 0; i < count; ++i) {
      if (bound <= node.floor || interrupt_.stopped_after(0)) {
        return bound;
      }
      Weight const others = bound - node.bounds[i];
      auto const part = node.components[i];
      Node& child = begin_child(depth, part, node.floor - others);
      Weight const searched = search(depth + 1);
      bound = others + std::min(node.bounds[i], std::max(searched, child.floor));
      if (!child.found) {
        return bound;
      }
      copy_marks(child, part, node.marks);
      weight += child.floor;
    }
    offer(node, node.marks, weight);
    return bound;
  }

  /// True for small graphs with a mean degree of 4 or more. Sparser graphs soon fall into
  /// components.
  static bool suits_dense_search(WeightedGraph const& graph) {
    return graph.live_vertices() <= max_dense && graph.live_edges() >= 2 * graph.live_vertices();
  }

  /// Searches the complement of the node's live graph for a clique. Returns a bound, as search().
  Weight search_complement(Node& node) {
    WeightedGraph& graph = node.graph;
    Weight const offset = graph.offset();
    Complement complement(graph, node.live);
    clique::DenseGraph<clique::IntegerWeights> const dense_graph(
        node.live, {complement.weights()},
        [&](Vertex i, auto const& visit) { complement.for_each_neighbour(i, visit); });
    clique::Incumbent incumbent(nullptr);
    incumbent.offer(node.floor - offset, {});
    clique::Options const limits = remaining_limits(options_, interrupt_);
    clique::DenseSearch<clique::IntegerWeights> dense(incumbent, limits);
    clique::Prefix root;
    root.bound = clique::max_weight_sum;
    dense.run(dense_graph, root);
    interrupt_.stopped();  // that search took its time without a check of this one
    nodes_ += dense.nodes();
    if (!incumbent.clique().empty()) {
      node.marks = graph.in_set();
      for (Vertex const v : incumbent.clique()) {
        node.marks[v] = 1;
      }
      offer(node, node.marks, offset + incumbent.weight());
    }
    return offset + std::max(incumbent.weight(), incumbent.open());
  }

  /// Begins the node below `depth`, for the live vertices `part`. new_id_ then has their ids there.
  Node& begin_child(std::size_t depth, std::span<Vertex const> part, Weight floor) {
    Node& child = node_at(depth + 1);
    child.graph.assign(nodes_by_depth_[depth].graph, part, new_id_);
    child.floor = floor;
    bytes_ += child.graph.bytes() - child.bytes;
    child.bytes = child.graph.bytes();
    return child;
  }

  /// Copies the best set of a child to the marks of its parent.
  static void copy_marks(Node const& child, std::span<Vertex const> part,
                         std::vector<std::uint8_t>& marks) {
    for (std::size_t i = 0; i < part.size(); ++i) {
      marks[part[i]] = child.best[i];
    }
  }

  /// Makes a set the best one of the node if it is heavier than the floor. `marks`: of live
  /// vertices, and the node's decisions.
  void offer(Node& node, std::vector<std::uint8_t> const& marks, Weight weight) {
    if (weight <= node.floor) {
      return;
    }
    node.best = marks;
    node.graph.lift(node.best);
    node.floor = weight;
    node.found = true;
    if (&node == &nodes_by_depth_.front()) {
      publish_weight(weight);
    }
  }

  static Vertex branching_vertex(WeightedGraph const& graph, std::span<Vertex const> live) {
    return *std::max_element(live.begin(), live.end(), [&](Vertex x, Vertex y) {
      return std::pair(graph.degree(x), graph.weight(x)) <
             std::pair(graph.degree(y), graph.weight(y));
    });
  }

  /// Adds the gain of this component's set to the weight that others see.
  void publish_weight(Weight weight) {
    if (progress_ != nullptr) {
      progress_->best.fetch_add(weight - published_weight_, std::memory_order_relaxed);
    }
    published_weight_ = weight;
  }

  void count_node() {
    constexpr std::uint64_t nodes_between = 1024;
    ++nodes_;
    if (nodes_ - published_nodes_ >= nodes_between) {
      publish_nodes();
    }
  }

  void publish_nodes() {
    if (progress_ != nullptr) {
      progress_->nodes.fetch_add(nodes_ - published_nodes_, std::memory_order_relaxed);
    }
    published_nodes_ = nodes_;
  }

  vertex_cover::Interrupt interrupt_;
  Options const& options_;
  Progress* progress_;
  WeightedRules rules_;
  CliqueCover cover_;
  WeightedLocalSearch local_search_;
  std::deque<Node> nodes_by_depth_;
  std::vector<Vertex> new_id_;
  std::size_t bytes_ = 0;  ///< of all nodes' graphs
  std::uint64_t nodes_ = 0;
  std::uint64_t published_nodes_ = 0;
  Weight published_weight_ = 0;
};

}  // namespace taper::independent_set
