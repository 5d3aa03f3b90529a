// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/branch_and_reduce/bounds.hpp>
#include <taper/vertex_cover/branch_and_reduce/clique_propagation.hpp>
#include <taper/vertex_cover/branch_and_reduce/local_rules.hpp>
#include <taper/vertex_cover/branch_and_reduce/packing.hpp>
#include <taper/vertex_cover/branch_and_reduce/partners.hpp>
#include <taper/vertex_cover/branch_and_reduce/reduction_graph.hpp>
#include <taper/vertex_cover/branch_and_reduce/relaxation.hpp>
#include <taper/vertex_cover/branch_and_reduce/subproblem.hpp>
#include <taper/vertex_cover/interrupt.hpp>
#include <taper/vertex_cover/options.hpp>
#include <taper/vertex_cover/report.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace taper::vertex_cover::branch_and_reduce {

inline constexpr std::uint32_t no_cover = std::numeric_limits<std::uint32_t>::max();

/// A subproblem: its graph, and the smallest cover of it that was found.
///
/// The tables keep their memory: Search reuses the node of a depth for all subproblems there.
struct Node {
  ReductionGraph graph;
  Matching matching;
  std::vector<Vertex> clique_of;  ///< a partition into cliques, or empty; reductions keep it valid
  Packing packing;
  std::vector<Vertex> origin;  ///< the parent's number of each vertex
  /// What propagation last added to a bound, here or in an ancestor; none: it has not run.
  std::uint32_t contradictions = none;

  std::uint64_t bytes = 0;  ///< approximate memory, the maximum so far

  std::uint32_t best_size = no_cover;
  std::vector<std::uint8_t> best;  ///< by vertex: 1 in the cover; unset if best_size is no_cover

  /// Starts from the live vertices `origin` of the parent, a union of components. The last two
  /// arguments are scratch.
  void assign(Node& parent, std::vector<Vertex>& new_id, std::vector<Vertex>& new_clique) {
    graph.assign(parent.graph, origin, new_id);
    matching.assign(parent.matching, origin, new_id);
    packing.assign(parent.packing, origin, new_id);
    contradictions = parent.contradictions;
    // A clique is renumbered to its first vertex.
    clique_of.clear();
    if (!parent.clique_of.empty()) {
      std::vector<Vertex>& first = new_clique;
      first.assign(parent.graph.vertices(), none);
      for (Vertex v = 0; v < origin.size(); ++v) {
        Vertex& clique = first[parent.clique_of[origin[v]]];
        clique = clique == none ? v : clique;
        clique_of.push_back(clique);
      }
    }
    best_size = no_cover;
  }

  /// Copies the child's cover to the vertices that the child has.
  void adopt_cover(Node const& child) {
    for (std::size_t v = 0; v < child.origin.size(); ++v) {
      best[child.origin[v]] = child.best[v];
    }
  }
};

/// Branch and reduce: an exact search on one thread.
/// Used by: Solver.
/// Source: Akiba and Iwata 2016, section 3.
class Search {
 public:
  static constexpr std::uint64_t default_bytes = std::uint64_t{4} << 30;

  /// `max_bytes`: approximate limit of the memory of all open nodes. `packing`: see Options.
  Search(Interrupt& interrupt, Report& report, Progress* progress,
         std::uint64_t max_bytes = default_bytes, bool packing = true)
      : interrupt_(interrupt), report_(report), progress_(progress), max_bytes_(max_bytes),
        use_packing_(packing), relaxation_(interrupt), propagation_(interrupt) {}

  /// Applies all reductions until none changes the graph, or `limit` vertices are in the cover, or
  /// the interrupt stops it. Changed vertices come first, then the neighbours of those to which no
  /// rule applied; packing and the relaxation last. False: no cover satisfies the packing
  /// constraints.
  bool reduce(Node& node, std::uint32_t limit) {
    ReductionGraph& graph = node.graph;
    std::vector<Vertex>& neighbours = neighbours_;
    for (;;) {
      neighbours.clear();
      in_neighbours_.reset(graph.vertices());
      for (std::size_t next = 0;;) {
        Vertex v = graph.next_touched();
        if (v != none) {
          if (!rules_.apply(graph, v)) {
            for (Vertex const u : graph.neighbours(v)) {
              if (in_neighbours_.insert(u)) {
                neighbours.push_back(u);
              }
            }
          }
        } else if (next < neighbours.size()) {
          v = neighbours[next++];
          in_neighbours_.erase(v);
          if (graph.alive(v)) {
            rules_.apply(graph, v);
          }
        } else {
          break;
        }
        if (graph.cover_size() >= limit) {
          return true;
        }
        std::uint64_t const work = rules_.work();
        if (interrupt_.stopped_after(16 + work - std::exchange(rules_work_, work))) {
          return true;
        }
      }
      if (graph.live_vertices() == 0) {
        return true;
      }
      auto const effect = packing_.apply(graph, node.packing);
      if (effect == PackingRule::Effect::infeasible) {
        return false;
      }
      if (effect == PackingRule::Effect::nothing && !relaxation_.reduce(graph, node.matching)) {
        return true;
      }
    }
  }

  /// A lower bound on the covers of the live graph: the linear relaxation (half the live vertices),
  /// the cycle cover, and the clique cover with propagation, until one is `enough`. If the bound is
  /// `enough` - 1, forced_ holds vertices that every cover smaller than `enough` contains.
  /// Propagation takes most of the time. It is left out where it cannot be expected to help.
  /// Requires: reduce() is complete.
  std::uint32_t lower_bound(Node& node, std::uint32_t enough) {
    forced_.clear();
    ReductionGraph& graph = node.graph;
    std::uint32_t bound = (graph.live_vertices() + 1) / 2;
    if (bound < enough) {
      bound = std::max(bound, bounds_.cycle_cover(graph, node.matching));
    }
    if (bound < enough) {
      std::uint32_t const rounds = clique_rounds(node);
      std::uint32_t cliques = bounds_.clique_cover(graph, node.clique_of, rounds, enough);
      if (cliques < enough && propagation_may_reach(node, enough - cliques)) {
        node.contradictions =
            propagation_.count_contradictions(graph, node.clique_of, enough - cliques);
        cliques += node.contradictions;
        if (cliques + 1 == enough) {
          forced_ = propagation_.failing_vertices(graph);
        }
      }
      bound = std::max(bound, cliques);
    }
    return bound;
  }

  /// A callback of run(). `call` is called after `after` units of work, as Interrupt counts them.
  /// It returns the work until its next call, or 0 to end the run.
  struct Pause {
    std::uint64_t after;
    std::function<std::uint64_t()> call;
  };

  /// Searches for a minimum cover of `root`'s graph with fewer than `limit` vertices, or for any
  /// cover of at most `enough` < limit. root.best and root.best_size are set if one is found.
  ///
  /// Returns a lower bound: `limit` if there is no such cover, or the minimum. It may return less
  /// if it ended at a cover of at most `enough` vertices, or early: at the interrupt, after
  /// `max_nodes` nodes, at a pause, or when the memory is used up.
  std::uint32_t run(Node& root, std::uint32_t limit, std::uint32_t enough,
                    std::uint64_t max_nodes = std::numeric_limits<std::uint64_t>::max(),
                    Pause pause = {}) {
    max_nodes_ = max_nodes;
    full_ = ended_at_pause_ = false;
    next_pause_ = interrupt_.work() + pause.after;
    pause_ = std::move(pause.call);
    path_.clear();
    if (partners_ != nullptr) {
      path_.push_back({.node = &root});
    }
    std::uint32_t const lower = visit(root, 0, limit, enough);
    path_.clear();
    pause_ = {};
    return lower;
  }

  /// From now on runs search for covers of fewer than partners->limit() vertices, tell the partners
  /// of covers, and leave out what give() returns. Null: no longer.
  void share_with(Partners* partners) { partners_ = partners; }

  /// Takes the branch that waits longest out of the present run; nullopt: none waits. It is the
  /// largest, since it is the nearest to the root.
  ///
  /// A branch inside a component can wait only if its cover is all that the root's cover lacks: if
  /// the other components are searched, which the smaller ones are first.
  std::optional<Subproblem> give() {
    auto const level = std::find_if(path_.begin(), path_.end(),
                                    [](Level const& at) { return at.waiting != nullptr; });
    if (level == path_.end()) {
      return std::nullopt;
    }
    Subproblem part;
    // By vertex of the level: its number in the root's graph.
    std::vector<Vertex> number(path_[0].node->graph.vertices());
    std::iota(number.begin(), number.end(), Vertex{0});
    part.vertices = static_cast<std::uint32_t>(number.size());
    for (auto at = path_.begin(); at != level; ++at) {
      at->node->graph.append_decisions(number, part);
      std::vector<Vertex> const& below = (at + 1)->node->origin;
      if (at->solved != nullptr) {
        append_solved(*at, below, number, part);
      }
      std::vector<Vertex> next(below.size());
      std::transform(below.begin(), below.end(), next.begin(), [&](Vertex v) { return number[v]; });
      number = std::move(next);
    }
    append_node(*level->node, number, part);
    part.cover_size = level->base + level->node->graph.cover_size();
    part.mirrored = level->mirrored ? 1 : 0;
    for (Vertex const v : *level->waiting) {
      part.excluded.push_back(number[v]);
    }
    level->waiting = nullptr;
    return part;
  }

  /// Makes `node` from a subproblem, with its branch taken. False: it has no cover that satisfies
  /// the packing constraints.
  bool restore(Subproblem const& part, Node& node) {
    node.graph.assign(part);
    node.matching.assign(part.vertices);
    node.contradictions = part.contradictions;
    node.best_size = no_cover;
    node.clique_of.clear();
    if (!part.clique_of.empty()) {
      node.clique_of.assign(part.vertices, none);
      for (std::size_t i = 0; i < part.live.size(); ++i) {
        node.clique_of[part.live[i]] = part.clique_of[i];
      }
    }
    node.packing.clear();
    for (std::span<std::uint32_t const> rest(part.packing); !rest.empty();) {
      node.packing.add(rest.subspan(2, rest[1]), rest[0]);
      rest = rest.subspan(2 + rest[1]);
    }
    if (use_packing_ && !add_packing(node, false, part.mirrored != 0, part.excluded)) {
      return false;
    }
    for (Vertex const v : part.excluded) {
      node.graph.exclude(v);
    }
    return true;
  }

  /// Whether the last run() ended for lack of memory or depth.
  bool full() const { return full_; }

  /// The components of the node's live graph, the smallest first.
  std::vector<std::vector<Vertex>> components(Node& node) {
    components_.find(node.graph);
    return components_.smallest_first();
  }

  /// Makes `node` from live vertices of `parent`, a union of components.
  void make_node(Node& parent, std::vector<Vertex> const& component, Node& node) {
    node.origin = component;
    node.assign(parent, new_id_, new_clique_);
  }

 private:
  /// A node on the way from the root of the run to the present node. The way ends at a component
  /// that is not the last: a cover below does not yet make one of the root.
  struct Level {
    Node* node;
    std::uint32_t base = 0;  ///< what a cover of the node's graph lacks to the size of the root's
    /// A branch of branch() that comes later: what it excludes. Null: none, or it was given away.
    std::vector<Vertex> const* waiting = nullptr;
    bool mirrored = false;
    std::vector<std::uint8_t> const* solved = nullptr;  ///< the covers of the earlier components
  };

  /// Whether covers of the node make covers of the root at once.
  bool is_on_way(Node const& node) const { return !path_.empty() && path_.back().node == &node; }

  /// `limit`, or what the partners' limit leaves for this node if that is less.
  std::uint32_t capped(Node const& node, std::uint32_t limit) const {
    if (!is_on_way(node)) {
      return limit;
    }
    std::uint32_t const wanted = partners_->limit();
    std::uint32_t const base = path_.back().base;
    return std::min(limit, wanted > base ? wanted - base : 0);
  }

  /// Begins a branch of the last node of the way: caps `limit`, and lets the branch `later` wait.
  /// False: this branch was given away, or has no cover below `limit`.
  bool begin_branch(Node const& node, std::vector<Vertex> const* later, bool mirrored,
                    std::uint32_t& limit) {
    Level& level = path_.back();
    bool const was_given = later == nullptr && level.waiting == nullptr;
    level.waiting = later;
    level.mirrored = mirrored;
    limit = capped(node, limit);
    return !was_given && limit > node.graph.cover_size();
  }

  /// visit() for a child, whose cover makes one of `parent` with `base` more vertices.
  std::uint32_t visit_on_way(Node const& parent, Node& child, std::size_t depth,
                             std::uint32_t limit, std::uint32_t enough, std::uint32_t base) {
    if (!is_on_way(parent)) {
      return visit(child, depth, limit, enough);
    }
    path_.push_back({.node = &child, .base = path_.back().base + base});
    std::uint32_t const lower = visit(child, depth, limit, enough);
    path_.pop_back();
    return lower;
  }

  /// Tells the partners of the cover that the last node of the way has found.
  void tell_partners() {
    std::vector<std::uint8_t> cover = path_.back().node->best;
    for (std::size_t i = path_.size() - 1; i-- > 0;) {
      Level const& above = path_[i];
      std::vector<Vertex> const& origin = path_[i + 1].node->origin;
      std::vector<std::uint8_t> whole =
          above.solved != nullptr ? *above.solved : above.node->graph.in_cover();
      for (std::size_t v = 0; v < origin.size(); ++v) {
        whole[origin[v]] = cover[v];
      }
      above.node->graph.lift(whole);
      cover = std::move(whole);
    }
    partners_->found(path_.back().base + path_.back().node->best_size, std::move(cover));
  }

  /// The covers of the components of a level but the last, whose vertices are `last`.
  static void append_solved(Level const& level, std::vector<Vertex> const& last,
                            std::vector<Vertex> const& number, Subproblem& part) {
    VertexSet in_last;
    in_last.reset(number.size());
    for (Vertex const v : last) {
      in_last.insert(v);
    }
    for (Vertex v = 0; v < number.size(); ++v) {
      if (level.node->graph.alive(v) && !in_last.contains(v) && (*level.solved)[v] != 0) {
        part.included.push_back(number[v]);
      }
    }
  }

  /// What is left of a node's graph. A packing constraint with a decided vertex is left out.
  static void append_node(Node& node, std::vector<Vertex> const& number, Subproblem& part) {
    ReductionGraph& graph = node.graph;
    graph.append_decisions(number, part);
    graph.append_rows(number, part);
    part.contradictions = node.contradictions;
    for (Vertex v = 0; v < graph.vertices() && !node.clique_of.empty(); ++v) {
      if (graph.alive(v)) {
        part.clique_of.push_back(number[node.clique_of[v]]);
      }
    }
    for (auto const& constraint : node.packing.constraints) {
      std::span<Vertex const> const members(node.packing.members.data() + constraint.begin,
                                            constraint.size);
      if (std::all_of(members.begin(), members.end(), [&](Vertex v) { return graph.alive(v); })) {
        part.packing.push_back(constraint.max_in_cover);
        part.packing.push_back(constraint.size);
        for (Vertex const v : members) {
          part.packing.push_back(number[v]);
        }
      }
    }
  }

  /// The limit of the recursion: two megabytes of stack in a build without optimization.
  static constexpr std::size_t max_depth = 4096;

  /// The node of this depth, for live vertices of `parent`. Null: no memory or depth is left, which
  /// ends the run.
  Node* child(std::size_t depth, ReductionGraph const& parent) {
    if (pool_.size() <= depth) {
      pool_.push_back(std::make_unique<Node>());
    }
    Node& node = *pool_[depth];
    std::uint64_t const bytes =
        std::uint64_t{96} * parent.live_vertices() + 16 * parent.live_edges();
    if (bytes > node.bytes) {
      bytes_ += bytes - std::exchange(node.bytes, bytes);
    }
    full_ = full_ || bytes_ > max_bytes_ || depth == max_depth;
    return full_ ? nullptr : &node;
  }

  /// Searches one node; returns a lower bound as run() does. Forced vertices are in every cover
  /// smaller than `limit`. Once they are included, all bounds hold for such covers only; hence the
  /// returned bound is at most `limit`.
  std::uint32_t visit(Node& node, std::size_t depth, std::uint32_t limit, std::uint32_t enough) {
    ++report_.nodes;
    max_nodes_ -= max_nodes_ > 0 ? 1 : 0;
    if (progress_ != nullptr) {  // relaxed: a counter for display; it orders no other data
      progress_->nodes.store(report_.nodes, std::memory_order_relaxed);
    }
    if (pause_ && !ended_at_pause_ && interrupt_.work() >= next_pause_) {
      std::uint64_t const more_work = pause_();
      ended_at_pause_ = more_work == 0;
      next_pause_ = interrupt_.work() + more_work;
    }
    ReductionGraph& graph = node.graph;
    limit = capped(node, limit);
    std::uint32_t lower = 0;
    do {
      if (!reduce(node, limit) || graph.cover_size() >= limit) {
        return limit;
      }
      if (stopped()) {
        return graph.cover_size();
      }
      if (graph.live_vertices() == 0) {
        node.best = graph.in_cover();
        finish(node, graph.cover_size());
        return node.best_size;
      }
      lower = graph.cover_size() + lower_bound(node, limit - graph.cover_size());
      if (lower >= limit) {
        return limit;
      }
      for (Vertex const v : forced_) {
        graph.include(v);
      }
    } while (!forced_.empty());
    return std::min(limit, components_.find(graph) > 1
                               ? visit_components(node, depth, limit, enough)
                               : branch(node, depth, limit, std::max(enough, lower), lower));
  }

  /// Whether propagation may add `wanted` to the bound of a node. A child hardly has more
  /// contradictions than its ancestor.
  static bool propagation_may_reach(Node const& node, std::uint32_t wanted) {
    constexpr std::uint32_t more = 16;
    return node.contradictions == none ||
           wanted <= std::uint64_t{node.contradictions} + node.contradictions / 8 + more;
  }

  /// Rounds of iterated greedy: many for the first partition of a small graph; two for a child,
  /// which starts from its parent's partition.
  static std::uint32_t clique_rounds(Node const& node) {
    constexpr std::uint64_t max_rounds = 100;
    constexpr std::uint64_t max_entries = 20'000'000;
    constexpr std::uint32_t child_rounds = 2;
    std::uint64_t const size = node.graph.live_vertices() + node.graph.live_edges();
    return node.clique_of.empty()
               ? static_cast<std::uint32_t>(std::min(max_rounds, max_entries / size))
               : child_rounds;
  }

  bool stopped() { return max_nodes_ == 0 || full_ || ended_at_pause_ || interrupt_.stopped(); }

  /// Lifts node.best to a cover of the node's whole graph, of `size` vertices.
  void finish(Node& node, std::uint32_t size) {
    node.graph.lift(node.best);
    node.best_size = size;
    if (is_on_way(node) && size < capped(node, no_cover)) {
      tell_partners();
    }
  }

  /// Searches the components one after the other; their covers add up.
  std::uint32_t visit_components(Node& node, std::size_t depth, std::uint32_t limit,
                                 std::uint32_t enough) {
    ++report_.component_branches;
    auto const components = components_.smallest_first();
    // The bound of the linear relaxation: all vertices are half in the cover.
    auto const half_size = [](std::vector<Vertex> const& component) {
      return static_cast<std::uint32_t>((component.size() + 1) / 2);
    };
    std::uint32_t rest = 0;  // a lower bound of the components that are not searched yet
    for (auto const& component : components) {
      rest += half_size(component);
    }
    std::uint32_t size = node.graph.cover_size();   // of the components solved so far
    std::uint32_t lower = node.graph.cover_size();  // less than size if a search ended early
    std::vector<std::uint8_t> best = node.graph.in_cover();
    for (auto const& component : components) {
      rest -= half_size(component);
      std::uint32_t const others = size + rest;
      if (others >= limit) {
        return lower + rest + half_size(component);
      }
      // Only the last component may end at `enough`: the sum needs the minimum of all earlier ones.
      bool const last = &component == &components.back();
      Node* const allocated = child(depth, node.graph);
      if (allocated == nullptr) {
        return lower + rest + half_size(component);
      }
      Node& next = *allocated;
      next.origin = component;
      next.assign(node, new_id_, new_clique_);
      if (last) {
        if (is_on_way(node)) {
          path_.back().solved = &best;
        }
        lower += visit_on_way(node, next, depth + 1, limit - others,
                              enough > others ? enough - others : 0, others);
      } else {
        lower += visit(next, depth + 1, limit - others, 0);
      }
      if (next.best_size == no_cover) {
        return lower + rest;
      }
      size += next.best_size;
      for (std::size_t v = 0; v < component.size(); ++v) {
        best[component[v]] = next.best[v];
      }
    }
    node.best = std::move(best);
    finish(node, size);
    return lower;
  }

  /// Searches two children: with v and its mirrors in the cover, and with v outside it.
  std::uint32_t branch(Node& node, std::size_t depth, std::uint32_t limit, std::uint32_t enough,
                       std::uint32_t lower) {
    ReductionGraph& graph = node.graph;
    Vertex const v = branch_vertex(graph);
    if (rules_.unconfined(graph, v)) {
      return std::max(lower, visit(node, depth, limit, enough));
    }
    // One of the two branches may assume that the other has no cover as small. With mirrors the
    // first one does. Without, the second one does, and therefore excludes the whole confining set.
    std::vector<Vertex> included = mirrors(graph, v);
    std::vector<Vertex> excluded{v};
    bool const mirrored = included.size() > 1;
    if (!mirrored) {
      excluded.assign(rules_.confining_set().begin(), rules_.confining_set().end());
    }
    std::uint32_t const base = graph.cover_size();
    bool const on_way = is_on_way(node);
    std::uint32_t lowest = no_cover;
    for (bool const in : {true, false}) {
      if (on_way && !begin_branch(node, in ? &excluded : nullptr, mirrored, limit)) {
        return std::max(lower, std::min(lowest, limit));
      }
      Node* const allocated = child(depth, graph);
      if (allocated == nullptr) {
        return lower;
      }
      Node& next = *allocated;
      next.origin.clear();
      graph.append_live(next.origin);
      next.assign(node, new_id_, new_clique_);
      std::vector<Vertex>& decided = in ? included : excluded;
      for (Vertex& u : decided) {
        u = new_id_[u];
      }
      std::uint32_t found = limit;
      if (!use_packing_ || add_packing(next, in, mirrored, decided)) {
        for (Vertex const u : decided) {
          in ? next.graph.include(u) : next.graph.exclude(u);
        }
        found = base + visit_on_way(node, next, depth + 1, limit - base,
                                    enough > base ? enough - base : 0, base);
      }
      lowest = std::min(lowest, found);
      if (next.best_size != no_cover) {
        node.best = graph.in_cover();
        node.adopt_cover(next);
        finish(node, base + next.best_size);
        limit = node.best_size;
      }
      // The rest of the search is skipped, so only the bound from before the branch is valid.
      if (stopped() || (in && limit <= enough)) {
        return lower;
      }
    }
    return std::max(lower, lowest);
  }

  /// Adds the packing constraints of a child of branch(), before `decided` are decided. False: the
  /// child has no cover that satisfies them.
  ///
  /// v in the cover: its neighbours are not all in the cover, since then v would not be needed.
  /// With mirrors, not all but one either: that one could be exchanged for v, and the branch with
  /// mirrors assumes that no minimum cover excludes v. v outside, no mirrors: this branch assumes
  /// that no minimum cover includes v.
  bool add_packing(Node& child, bool in, bool mirrored, std::span<Vertex const> decided) {
    if (in) {
      auto const row = child.graph.neighbours(decided[0]);
      child.packing.add(row, static_cast<std::uint32_t>(row.size()) - (mirrored ? 2 : 1));
      return true;
    }
    return mirrored || packing_.add_for_excluded(child.graph, decided, child.packing);
  }

  /// The vertex to branch on: of maximum degree, with the fewest edges among its neighbours. It
  /// stops comparing after max_read row entries.
  Vertex branch_vertex(ReductionGraph& graph) {
    std::uint32_t max_degree = 0;
    for (Vertex v = 0; v < graph.vertices(); ++v) {
      max_degree = graph.alive(v) ? std::max(max_degree, graph.degree(v)) : max_degree;
    }
    Vertex best = none;
    std::uint64_t read = 0;
    std::uint64_t fewest = std::numeric_limits<std::uint64_t>::max();
    for (Vertex v = 0; v < graph.vertices(); ++v) {
      if (!graph.alive(v) || graph.degree(v) != max_degree) {
        continue;
      }
      set_.reset(graph.vertices());
      for (Vertex const u : graph.neighbours(v)) {
        set_.insert(u);
      }
      std::uint64_t inner = 0;
      for (Vertex const u : graph.neighbours(v)) {
        read += graph.degree(u);
        for (Vertex const w : graph.neighbours(u)) {
          inner += set_.contains(w) ? 1u : 0u;
        }
      }
      if (inner < fewest) {
        fewest = inner;
        best = v;
      }
      if (read > max_read) {
        break;
      }
    }
    return best;
  }

  /// v and its mirrors: each u at distance two such that the neighbours of v that are not
  /// neighbours of u are a clique. If no maximum independent set contains v, each contains at least
  /// two neighbours of v, so one that is a neighbour of u; hence none contains u.
  /// Source: Fomin, Grandoni and Kratsch 2009.
  std::vector<Vertex> mirrors(ReductionGraph& graph, Vertex v) {
    std::vector<Vertex> result{v};
    if (graph.degree(v) > max_mirrored_degree) {
      return result;
    }
    std::vector<Vertex> const row(graph.neighbours(v).begin(), graph.neighbours(v).end());
    set_.reset(graph.vertices());
    set_.insert(v);
    for (Vertex const u : row) {
      set_.insert(u);
    }
    std::vector<Vertex> second;
    for (Vertex const u : row) {
      for (Vertex const w : graph.neighbours(u)) {
        if (set_.insert(w)) {
          second.push_back(w);
        }
      }
    }
    std::vector<Vertex> rest;
    for (Vertex const u : second) {
      set_.reset(graph.vertices());
      for (Vertex const w : graph.neighbours(u)) {
        set_.insert(w);
      }
      rest.clear();
      std::copy_if(row.begin(), row.end(), std::back_inserter(rest),
                   [&](Vertex w) { return !set_.contains(w); });
      bool clique = true;
      for (std::size_t i = 0; i < rest.size() && clique; ++i) {
        for (std::size_t j = i + 1; j < rest.size() && clique; ++j) {
          clique = graph.adjacent(rest[i], rest[j]);
        }
      }
      if (clique) {
        result.push_back(u);
      }
    }
    return result;
  }

  static constexpr std::uint32_t max_mirrored_degree = 64;
  static constexpr std::uint64_t max_read = 1 << 24;

  Interrupt& interrupt_;
  Report& report_;
  Progress* progress_;
  Partners* partners_ = nullptr;
  std::vector<Level> path_;  ///< empty without partners
  std::uint64_t max_bytes_;
  bool use_packing_;
  LocalRules rules_;
  PackingRule packing_;
  Relaxation relaxation_;
  Bounds bounds_;
  CliquePropagation propagation_;
  Components components_;
  std::vector<std::unique_ptr<Node>> pool_;  ///< by depth
  std::vector<Vertex> new_id_, new_clique_, neighbours_;
  std::vector<Vertex> forced_;  ///< set by lower_bound()
  VertexSet set_, in_neighbours_;
  std::uint64_t rules_work_ = 0;  ///< rules_.work() when the interrupt was last asked
  std::uint64_t max_nodes_ = 0;
  std::uint64_t bytes_ = 0;  ///< approximate memory of pool_
  std::function<std::uint64_t()> pause_;
  std::uint64_t next_pause_ = 0;  ///< the work at which pause_ is called
  bool ended_at_pause_ = false;   ///< pause_ returned 0
  bool full_ = false;             ///< no memory or depth was left
};

}  // namespace taper::vertex_cover::branch_and_reduce
