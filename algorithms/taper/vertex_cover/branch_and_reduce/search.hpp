// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/interrupt.hpp>
#include <taper/vertex_cover/options.hpp>
#include <taper/vertex_cover/report.hpp>
#include <taper/vertex_cover/standard/bounds.hpp>
#include <taper/vertex_cover/standard/local_rules.hpp>
#include <taper/vertex_cover/standard/packing.hpp>
#include <taper/vertex_cover/standard/propagation.hpp>
#include <taper/vertex_cover/standard/reduction_graph.hpp>
#include <taper/vertex_cover/standard/relaxation.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace taper::vertex_cover::standard {

inline constexpr std::uint32_t no_cover = std::numeric_limits<std::uint32_t>::max();

/// A subproblem: the graph, and the smallest cover of it that was found.
struct Node {
  ReductionGraph graph;
  Matching matching;
  std::vector<Vertex> clique_of;  ///< a partition into cliques, or empty; reductions keep it one
  Packing packing;
  std::vector<Vertex> origin;  ///< the parent's number of each vertex

  std::uint64_t bytes = 0;  ///< about what it takes up, at most so far

  std::uint32_t best_size = no_cover;
  std::vector<std::uint8_t> best;  ///< by vertex, where best_size is one

  /// Starts from live vertices of the parent, a union of components.
  void assign(Node& parent, std::vector<Vertex>& new_id, std::vector<Vertex>& new_clique) {
    graph.assign(parent.graph, origin, new_id);
    matching.assign(parent.matching, origin, new_id);
    packing.assign(parent.packing, origin, new_id);
    // A clique's new number is that of its first vertex.
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

  /// Takes the child's cover over for the vertices that the child has.
  void adopt(Node const& child) {
    for (std::size_t v = 0; v < child.origin.size(); ++v) {
      best[child.origin[v]] = child.best[v];
    }
  }
};

/// Connected components of a live graph.
class Components {
 public:
  std::size_t find(ReductionGraph& graph) {
    seen_.reset(graph.vertices());
    order_.clear();
    ends_.clear();
    for (Vertex start = 0; start < graph.vertices(); ++start) {
      if (!graph.alive(start) || !seen_.insert(start)) {
        continue;
      }
      std::size_t head = order_.size();
      for (order_.push_back(start); head < order_.size(); ++head) {
        for (Vertex const u : graph.neighbours(order_[head])) {
          if (seen_.insert(u)) {
            order_.push_back(u);
          }
        }
      }
      ends_.push_back(order_.size());
    }
    return ends_.size();
  }

  /// Copies of all, the smallest first; each in ascending order, since the caller's numbering often
  /// keeps together what belongs together, and greedy bounds gain from that.
  std::vector<std::vector<Vertex>> parts() const {
    std::vector<std::vector<Vertex>> result;
    std::size_t begin = 0;
    for (std::size_t const end : ends_) {
      result.emplace_back(order_.begin() + static_cast<std::ptrdiff_t>(begin),
                          order_.begin() + static_cast<std::ptrdiff_t>(end));
      std::sort(result.back().begin(), result.back().end());
      begin = end;
    }
    std::stable_sort(result.begin(), result.end(),
                     [](auto const& a, auto const& b) { return a.size() < b.size(); });
    return result;
  }

 private:
  VertexSet seen_;
  std::vector<Vertex> order_;
  std::vector<std::size_t> ends_;
};

/// Branch and reduce.
/// Source: Akiba and Iwata 2016, section 3.
class Search {
 public:
  static constexpr std::uint64_t default_bytes = std::uint64_t{4} << 30;

  /// `most_bytes`: about what the open nodes together may take up. `packing`: see Options.
  Search(Interrupt& interrupt, Report& report, Progress* progress,
         std::uint64_t most_bytes = default_bytes, bool packing = true)
      : interrupt_(interrupt), report_(report), progress_(progress), most_bytes_(most_bytes),
        packs_(packing), relaxation_(interrupt), propagation_(interrupt) {}

  /// Applies all reductions until none does anything, or `limit` vertices are in the cover.
  /// Touched vertices first; those beside them when nothing else is left. False: no cover that is
  /// looked for is left.
  bool reduce(Node& node, std::uint32_t limit) {
    ReductionGraph& graph = node.graph;
    std::vector<Vertex>& beside = beside_;
    for (;;) {
      beside.clear();
      in_beside_.reset(graph.vertices());
      for (std::size_t next = 0;;) {
        Vertex v = graph.next_touched();
        if (v != none) {
          if (!rules_.apply(graph, v)) {
            for (Vertex const u : graph.neighbours(v)) {
              if (in_beside_.insert(u)) {
                beside.push_back(u);
              }
            }
          }
        } else if (next < beside.size()) {
          v = beside[next++];
          in_beside_.erase(v);
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
        if (interrupt_.over_after(16 + work - std::exchange(work_, work))) {
          return true;
        }
      }
      if (graph.live_vertices() == 0) {
        return true;
      }
      auto const packed = packing_.apply(graph, node.packing);
      if (packed == PackingRule::Effect::hopeless) {
        return false;
      }
      if (packed == PackingRule::Effect::nothing && !relaxation_.reduce(graph, node.matching)) {
        return true;
      }
    }
  }

  /// A lower bound on covers of the live graph, once reduce() has gone through. Stops looking at
  /// `enough`. Where it is only one short of that, forced_ are vertices that every cover smaller
  /// than `enough` has.
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
      if (cliques < enough) {
        cliques += propagation_.contradictions(graph, node.clique_of, enough - cliques);
        if (cliques + 1 == enough) {
          forced_ = propagation_.failing(graph);
        }
      }
      bound = std::max(bound, cliques);
    }
    return bound;
  }

  /// What else is to be done now and then: called `after` so much work, in Interrupt's units. Returns after
  /// how much more it is to be called again; 0 ends the run.
  struct Pause {
    std::uint64_t after;
    std::function<std::uint64_t()> call;
  };

  /// Finds the smallest cover of `root`'s graph if it has fewer than `limit` vertices, or any of at
  /// most `enough` < limit. Returns a size that none is below: `limit`, or the smallest, or less
  /// where it was content with `enough` or ended early: for the caller's limits, after
  /// `most_nodes`, at a pause, or where the memory is used up.
  std::uint32_t run(Node& root, std::uint32_t limit, std::uint32_t enough,
                    std::uint64_t most_nodes = std::numeric_limits<std::uint64_t>::max(),
                    Pause pause = {}) {
    most_nodes_ = most_nodes;
    full_ = ended_ = false;
    next_pause_ = interrupt_.work() + pause.after;
    pause_ = std::move(pause.call);
    std::uint32_t const lower = visit(root, 0, limit, enough);
    pause_ = {};
    return lower;
  }

  /// Whether the last run() ended for lack of room.
  bool full() const { return full_; }

  std::vector<std::vector<Vertex>> parts(Node& node) {
    components_.find(node.graph);
    return components_.parts();
  }

  /// Makes `node` of live vertices of `parent`, a union of components.
  void take(Node& parent, std::vector<Vertex> const& part, Node& node) {
    node.origin = part;
    node.assign(parent, new_id_, new_clique_);
  }

 private:
  /// Of the recursion: two megabytes of stack where nothing is optimized.
  static constexpr std::size_t most_depth = 4096;

  /// A node for live vertices of `parent`; null if there is no room for one, which ends the run.
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
    full_ = full_ || bytes_ > most_bytes_ || depth == most_depth;
    return full_ ? nullptr : &node;
  }

  /// Once vertices are forced, what follows is known of covers smaller than `limit` alone: so is
  /// every bound that leaves here.
  std::uint32_t visit(Node& node, std::size_t depth, std::uint32_t limit, std::uint32_t enough) {
    ++report_.nodes;
    most_nodes_ -= most_nodes_ > 0 ? 1 : 0;
    if (progress_ != nullptr) {
      progress_->nodes.store(report_.nodes, std::memory_order_relaxed);
    }
    if (pause_ && !ended_ && interrupt_.work() >= next_pause_) {
      std::uint64_t const later = pause_();
      ended_ = later == 0;
      next_pause_ = interrupt_.work() + later;
    }
    ReductionGraph& graph = node.graph;
    std::uint32_t lower = 0;
    do {
      if (!reduce(node, limit) || graph.cover_size() >= limit) {
        return limit;
      }
      if (over()) {
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
                               ? visit_parts(node, depth, limit, enough)
                               : branch(node, depth, limit, std::max(enough, lower), lower));
  }

  /// Many for the first partition, unless the graph is large; children begin with their parent's.
  static std::uint32_t clique_rounds(Node const& node) {
    constexpr std::uint64_t most = 100;
    constexpr std::uint64_t entries = 20'000'000;
    constexpr std::uint32_t of_child = 2;
    std::uint64_t const size = node.graph.live_vertices() + node.graph.live_edges();
    return node.clique_of.empty() ? static_cast<std::uint32_t>(std::min(most, entries / size))
                                  : of_child;
  }

  bool over() { return most_nodes_ == 0 || full_ || ended_ || interrupt_.over(); }

  void finish(Node& node, std::uint32_t size) {
    node.graph.lift(node.best);
    node.best_size = size;
  }

  std::uint32_t visit_parts(Node& node, std::size_t depth, std::uint32_t limit,
                            std::uint32_t enough) {
    ++report_.component_branches;
    auto const parts = components_.parts();
    auto const half = [](std::vector<Vertex> const& part) {
      return static_cast<std::uint32_t>((part.size() + 1) / 2);
    };
    std::uint32_t rest = 0;
    for (auto const& part : parts) {
      rest += half(part);
    }
    std::uint32_t size = node.graph.cover_size();   // of the parts solved so far
    std::uint32_t lower = node.graph.cover_size();  // smaller where the run was interrupted
    std::vector<std::uint8_t> best = node.graph.in_cover();
    for (auto const& part : parts) {
      rest -= half(part);
      std::uint32_t const others = size + rest;
      if (others >= limit) {
        return lower + rest + half(part);
      }
      // Only the last part may be left once it is small enough: the parts before it are summed.
      bool const last = &part == &parts.back();
      Node* const room = child(depth, node.graph);
      if (room == nullptr) {
        return lower + rest + half(part);
      }
      Node& next = *room;
      next.origin = part;
      next.assign(node, new_id_, new_clique_);
      lower +=
          visit(next, depth + 1, limit - others, last && enough > others ? enough - others : 0);
      if (next.best_size == no_cover) {
        return lower + rest;
      }
      size += next.best_size;
      for (std::size_t v = 0; v < part.size(); ++v) {
        best[part[v]] = next.best[v];
      }
    }
    node.best = std::move(best);
    finish(node, size);
    return lower;
  }

  /// Two children: v and its mirrors in the cover, or v outside it.
  std::uint32_t branch(Node& node, std::size_t depth, std::uint32_t limit, std::uint32_t enough,
                       std::uint32_t lower) {
    ReductionGraph& graph = node.graph;
    Vertex const v = branch_vertex(graph);
    if (rules_.unconfined(graph, v)) {
      return std::max(lower, visit(node, depth, limit, enough));
    }
    // Each branch may suppose that the other is no better, but not both at a time.
    std::vector<Vertex> with = mirrors(graph, v);
    std::vector<Vertex> without{v};
    bool const mirrored = with.size() > 1;
    if (!mirrored) {
      without.assign(rules_.confining_set().begin(), rules_.confining_set().end());
    }
    std::uint32_t lowest = no_cover;
    for (bool const in : {true, false}) {
      Node* const room = child(depth, graph);
      if (room == nullptr) {
        return lower;
      }
      Node& next = *room;
      next.origin.clear();
      graph.append_live(next.origin);
      next.assign(node, new_id_, new_clique_);
      std::vector<Vertex>& decided = in ? with : without;
      for (Vertex& u : decided) {
        u = new_id_[u];
      }
      std::uint32_t const taken = graph.cover_size();
      std::uint32_t found = limit;
      if (!packs_ || constrain(next, in, mirrored, decided)) {
        for (Vertex const u : decided) {
          in ? next.graph.include(u) : next.graph.exclude(u);
        }
        found = taken + visit(next, depth + 1, limit - taken, enough > taken ? enough - taken : 0);
      }
      lowest = std::min(lowest, found);
      if (next.best_size != no_cover) {
        node.best = graph.in_cover();
        node.adopt(next);
        finish(node, taken + next.best_size);
        limit = node.best_size;
      }
      // The other branch may have a smaller cover.
      if (over() || (in && limit <= enough)) {
        return lower;
      }
    }
    return std::max(lower, lowest);
  }

  /// What a child of branch() may suppose beside the vertices that are decided, which it still has.
  /// Without v, where v has no mirrors: that v is in no smallest cover. With v: that its neighbours
  /// are not all in the cover, since then v need not be; and not all but one, which could be
  /// exchanged for v, if no smallest cover is without v, which who takes mirrors supposes. False: no
  /// cover that is looked for is there.
  bool constrain(Node& child, bool in, bool mirrored, std::span<Vertex const> decided) {
    if (in) {
      auto const row = child.graph.neighbours(decided[0]);
      child.packing.add(row, static_cast<std::uint32_t>(row.size()) - (mirrored ? 2 : 1));
      return true;
    }
    return mirrored || packing_.leave_out(child.graph, decided, child.packing);
  }

  /// Of the vertices of maximum degree, the one with the fewest edges among its neighbours; of the
  /// first of them where there is too much to read.
  Vertex branch_vertex(ReductionGraph& graph) {
    std::uint32_t most = 0;
    for (Vertex v = 0; v < graph.vertices(); ++v) {
      most = graph.alive(v) ? std::max(most, graph.degree(v)) : most;
    }
    Vertex best = none;
    std::uint64_t read = 0;
    std::uint64_t fewest = std::numeric_limits<std::uint64_t>::max();
    for (Vertex v = 0; v < graph.vertices(); ++v) {
      if (!graph.alive(v) || graph.degree(v) != most) {
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
      if (read > most_read) {
        break;
      }
    }
    return best;
  }

  /// v, and each u at distance two such that v's neighbours but u's are a clique: where no maximum
  /// independent set has v, none has u, since it has at least two of v's neighbours.
  /// Source: Fomin, Grandoni and Kratsch 2009.
  std::vector<Vertex> mirrors(ReductionGraph& graph, Vertex v) {
    std::vector<Vertex> result{v};
    if (graph.degree(v) > most_mirrored_degree) {
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

  static constexpr std::uint32_t most_mirrored_degree = 64;
  static constexpr std::uint64_t most_read = 1 << 24;

  Interrupt& interrupt_;
  Report& report_;
  Progress* progress_;
  std::uint64_t most_bytes_;
  bool packs_;
  LocalRules rules_;
  PackingRule packing_;
  Relaxation relaxation_;
  Bounds bounds_;
  CliquePropagation propagation_;
  Components components_;
  std::vector<std::unique_ptr<Node>> pool_;
  std::vector<Vertex> new_id_, new_clique_, beside_, forced_;
  VertexSet set_, in_beside_;
  std::uint64_t work_ = 0;  ///< of the rules, when they were last asked
  std::uint64_t most_nodes_ = 0;
  std::uint64_t bytes_ = 0;
  std::function<std::uint64_t()> pause_;
  std::uint64_t next_pause_ = 0;  ///< when so much work is done
  bool ended_ = false;            ///< at a pause
  bool full_ = false;
};

}  // namespace taper::vertex_cover::standard
