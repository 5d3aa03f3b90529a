// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/backend.hpp>
#include <taper/vertex_cover/component_search/small_graph.hpp>
#include <taper/warp.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::vertex_cover::component_search {

/// The complete search of a SmallGraph, by the lanes of one warp, or by a host thread. Each lane
/// examines one vertex or a few. All lanes hold the same sets, in registers. The rules and their
/// order are those of TeamSearch for larger graphs.
///
/// When the graph splits, the components are solved one after another, so that each one's bound is
/// what the others have left. The largest comes last, and continues as the node itself. Every few
/// nodes the search asks its peers: it hands out its oldest branch if they request one, and reads
/// the best known size.
/// Equivalent to: Algorithm 2.
/// Defined in: this file, small_reductions.hpp. Used by: TeamSearch::solve_small().
template <ExecutionSpace Exec, unsigned Words>
class SmallSearch {
 public:
  using Graph = SmallGraph<Words>;
  using Set = typename Graph::Set;

  /// Searches for a minimum cover of less than `best` vertices, and writes the results to the
  /// graph, which lies in team scratch. Called by all lanes together. `peers` stands for the other
  /// teams:
  ///   report_nodes(more, all): `more` nodes were visited, `all` in total; returns a Request. One
  ///     lane.
  ///   report_split(count): a node split into `count` components. One lane.
  ///   report_cover(lane, cover): the graph has this cover. All lanes.
  ///   best(): only covers of less than this many vertices are of use now. One lane.
  ///   accept_branch(lane, branch, taken): offers a branch, whose cover contains `taken`. Without a
  ///     vertex it is a whole node. Returns whether the peers take it over. All lanes.
  template <class Peers>
  KOKKOS_FUNCTION TAPER_NOINLINE static void run(Graph& its_graph, std::uint32_t lane,
                                                 std::uint32_t vertices, std::uint32_t best,
                                                 bool components, Peers const& peers) {
    Graph& graph = in_scratch(its_graph);
    SmallSearch search{graph, lane, components, Set::first_n(vertices), best};
    search.visit_nodes(peers);
    if (lane == 0) {
      peers.report_nodes(search.nodes_ % nodes_per_check, search.nodes_);
      graph.cover = search.best_cover_;
      graph.size = search.best_;
      graph.nodes = search.nodes_;
      graph.splits = search.splits_;
    }
  }

 private:
  using Warp = taper::Warp<Exec>;
  enum class Verdict { pruned, covered, open };

  struct DegreeStats {
    std::uint32_t top;  ///< greatest degree << 8 | (~v & 0xFF), for the first such vertex v
    std::uint32_t degrees;
    KOKKOS_FUNCTION std::uint32_t top_degree() const { return top >> 8; }
    KOKKOS_FUNCTION std::uint32_t top_vertex() const { return ~top & 0xFF; }
  };
  static_assert(Set::capacity <= 256);
  static constexpr std::uint32_t nodes_per_check = 8;

  KOKKOS_FUNCTION SmallSearch(Graph& graph, std::uint32_t lane, bool components, Set const& all,
                              std::uint32_t best)
      : graph_(graph), lane_(lane), components_(components), live_(all), taken_(Set::none()),
        cover_(0), touched_(all), disturbed_(all), own_(all), best_cover_(Set::none()),
        best_(best) {}

  /// Calls body(v) for the vertices of a set that belong to this lane.
  template <class Do>
  KOKKOS_FUNCTION void each_of(Set const& set, Do const& body) const {
    if constexpr (Warp::count == 1) {
      for (unsigned i = 0; i < Words; ++i) {
        for (std::uint64_t left = set.word[i]; left != 0; left &= left - 1) {
          body(64 * i +
               static_cast<std::uint32_t>(Kokkos::Experimental::countr_zero_builtin(left)));
        }
      }
    } else {
      for (unsigned i = 0; i < Set::capacity / Warp::count; ++i) {
        if ((set.word[i / 2] >> (i % 2 * 32 + lane_) & 1) != 0) {
          body(i * Warp::count + lane_);
        }
      }
    }
  }

  /// The vertices of a set that fulfil a condition.
  template <class Condition>
  KOKKOS_FUNCTION Set select(Set const& set, Condition const& holds) const {
    Set found = Set::none();
    if constexpr (Warp::count == 1) {
      each_of(set, [&](std::uint32_t v) {
        if (holds(v)) {
          found.insert(v);
        }
      });
    } else {
      for (unsigned i = 0; i < Set::capacity / Warp::count; ++i) {
        bool const in = (set.word[i / 2] >> (i % 2 * 32 + lane_) & 1) != 0;
        std::uint64_t const bits = Warp::ballot(in && holds(i * Warp::count + lane_));
        found.word[i / 2] |= bits << i % 2 * 32;
      }
    }
    return found;
  }

  /// The union of all lanes' sets.
  KOKKOS_FUNCTION static Set union_over_lanes(Set set) {
    if constexpr (Warp::count > 1) {
      for (std::uint64_t& word : set.word) {
        std::uint64_t const low = Warp::or_of(static_cast<std::uint32_t>(word));
        std::uint64_t const high = Warp::or_of(static_cast<std::uint32_t>(word >> 32));
        word = high << 32 | low;
      }
    }
    return set;
  }

  KOKKOS_FUNCTION Set neighbours(std::uint32_t v) const { return graph_.rows[v] & live_; }

  /// The vertices that are adjacent to one of `vertices`, live or not.
  KOKKOS_FUNCTION Set neighbours_of(Set const& vertices) const {
    Set found = Set::none();
    each_of(vertices, [&](std::uint32_t v) { found |= graph_.rows[v]; });
    return union_over_lanes(found);
  }

  // The main loop: this file
  template <class Peers>
  KOKKOS_FUNCTION void visit_nodes(Peers const& peers);

  // The reduction rules: small_reductions.hpp
  KOKKOS_FUNCTION void take(Set const& vertices);
  KOKKOS_FUNCTION Verdict reduce(DegreeStats& stats);
  KOKKOS_FUNCTION void reduce_touched();
  KOKKOS_FUNCTION DegreeStats drop_isolated();
  KOKKOS_FUNCTION Set taken_by_rules(Set const& simple) const;

  // Branches, and the exchange with the peers: this file
  KOKKOS_FUNCTION std::uint32_t first_own_branch() const;
  KOKKOS_FUNCTION void branch(std::uint32_t vertex);
  KOKKOS_FUNCTION void backtrack();
  template <class Peers>
  KOKKOS_FUNCTION bool serve_requests(Peers const& peers);
  template <class Peers>
  KOKKOS_FUNCTION bool share_branch(Peers const& peers, typename Graph::Branch const& branch) const;

  // Components: small_reductions.hpp
  KOKKOS_FUNCTION bool is_split();
  KOKKOS_FUNCTION Set reached_from(std::uint32_t start, Set const& goal) const;
  KOKKOS_FUNCTION std::uint32_t degrees_of(Set const& component) const;
  KOKKOS_FUNCTION static bool is_clique_or_cycle(std::uint32_t degrees, std::uint32_t size);
  KOKKOS_FUNCTION void solve_clique_or_cycle(Set component, std::uint32_t degrees);
  KOKKOS_FUNCTION void begin_split();
  KOKKOS_FUNCTION bool end_component();
  template <class Peers>
  KOKKOS_FUNCTION Verdict next_component(Peers const& peers);

  Graph& graph_;
  std::uint32_t const lane_;
  bool const components_;
  // The current node.
  Set live_;
  Set taken_;            ///< the cover: the node's, and in other components its ancestors'
  std::uint32_t cover_;  ///< the number of these in the node's component
  Set touched_;          ///< a superset of the vertices that lost an edge since reduce_touched()
  Set disturbed_;        ///< a superset of the vertices that lost an edge since is_split()
  // The component that the node belongs to.
  Set own_;                     ///< its vertices
  Set best_cover_;              ///< of size `best_`; empty: none has been found
  std::uint32_t best_;          ///< the search looks for covers with fewer vertices
  std::uint32_t branches_ = 0;  ///< on the stack of the graph, shared ones included
  std::uint32_t shared_ = 0;    ///< branches, the oldest ones, that peers have taken over
  std::uint32_t split_depth_ = 0;
  std::uint32_t nodes_ = 0;
  std::uint32_t splits_ = 0;
};

/// Visits nodes depth first, until no branch is left.
template <ExecutionSpace Exec, unsigned Words>
template <class Peers>
KOKKOS_INLINE_FUNCTION void SmallSearch<Exec, Words>::visit_nodes(Peers const& peers) {
  for (;;) {
    if (++nodes_ % nodes_per_check == 0 && serve_requests(peers)) {
      return;
    }
    DegreeStats stats;
    Verdict verdict = reduce(stats);
    if (verdict == Verdict::open && components_) {
      if (is_split()) {
        begin_split();
        verdict = next_component(peers);
        if (verdict == Verdict::open) {
          continue;
        }
      } else if (is_clique_or_cycle(stats.degrees, live_.size())) {
        solve_clique_or_cycle(live_, stats.degrees);
        verdict = cover_ < best_ ? Verdict::covered : Verdict::pruned;
      }
    }
    if (verdict == Verdict::open) {
      branch(stats.top_vertex());
      continue;
    }
    for (;;) {
      if (verdict == Verdict::covered) {
        best_ = cover_;
        best_cover_ = taken_ & own_;
        if (split_depth_ == 0) {
          peers.report_cover(lane_, best_cover_);
        }
      }
      if (branches_ > first_own_branch()) {
        backtrack();
        break;
      }
      if (split_depth_ == 0) {
        return;
      }
      verdict = end_component() ? next_component(peers) : Verdict::pruned;
      if (verdict == Verdict::open) {
        break;
      }
    }
  }
}

/// The index of the oldest waiting branch of the current component.
template <ExecutionSpace Exec, unsigned Words>
KOKKOS_INLINE_FUNCTION std::uint32_t SmallSearch<Exec, Words>::first_own_branch() const {
  return split_depth_ == 0 ? shared_ : graph_.split_frames[split_depth_ - 1].branches;
}

/// Continues with the branch that takes the neighbours of `vertex`. The one that takes it waits.
template <ExecutionSpace Exec, unsigned Words>
KOKKOS_INLINE_FUNCTION void SmallSearch<Exec, Words>::branch(std::uint32_t vertex) {
  if (lane_ == 0) {
    graph_.branches[branches_] = {live_, vertex, cover_};
  }
  ++branches_;
  Warp::sync();
  Set const around = neighbours(vertex);
  live_.remove(vertex);
  take(around);
}

/// Continues with the branch that has waited for the shortest time.
template <ExecutionSpace Exec, unsigned Words>
KOKKOS_INLINE_FUNCTION void SmallSearch<Exec, Words>::backtrack() {
  typename Graph::Branch const& waiting = graph_.branches[--branches_];
  live_ = waiting.live;
  cover_ = waiting.cover + 1;
  taken_ -= live_;  // nothing of `live` had been taken
  live_.remove(waiting.vertex);
  taken_.insert(waiting.vertex);
  touched_ = graph_.rows[waiting.vertex];
  disturbed_ = touched_;
  Warp::sync();
}

/// Serves the peers' request: hands out the oldest waiting branch of the whole graph, or all
/// branches and the node itself. Then reads the best size that peers know, for pruning. True: the
/// search ends, because nothing is left, or because it is abandoned. While a component is solved,
/// the node stays: the work on the component would be lost.
template <ExecutionSpace Exec, unsigned Words>
template <class Peers>
KOKKOS_INLINE_FUNCTION bool SmallSearch<Exec, Words>::serve_requests(Peers const& peers) {
  auto const request = static_cast<Request>(Warp::shuffle(
      0,
      lane_ == 0 ? static_cast<std::uint32_t>(peers.report_nodes(nodes_per_check, nodes_)) : 0u));
  if (request == Request::none) {
    return false;
  }
  if (request == Request::abandon) {
    best_cover_ = Set::none();
    return true;
  }
  std::uint32_t const waiting = split_depth_ == 0 ? branches_ : graph_.split_frames[0].branches;
  while (shared_ < waiting && share_branch(peers, graph_.branches[shared_])) {
    ++shared_;
    if (request == Request::share_oldest) {
      break;
    }
  }
  if (split_depth_ > 0) {
    return false;
  }
  std::uint32_t const best = Warp::shuffle(0, lane_ == 0 ? peers.best() : 0);
  if (best < best_) {
    best_ = best;
    best_cover_ = Set::none();
  }
  return request == Request::share_all && shared_ == waiting &&
         share_branch(peers, {live_, nothing, cover_});
}

template <ExecutionSpace Exec, unsigned Words>
template <class Peers>
KOKKOS_INLINE_FUNCTION bool
SmallSearch<Exec, Words>::share_branch(Peers const& peers,
                                       typename Graph::Branch const& branch) const {
  return peers.accept_branch(lane_, branch, taken_ - branch.live);  // nothing of `live` was taken
}

}  // namespace taper::vertex_cover::component_search
