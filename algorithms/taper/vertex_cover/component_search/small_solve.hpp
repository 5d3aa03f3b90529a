// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/component_search/small_graph.hpp>
#include <taper/vertex_cover/component_search/small_reductions.hpp>
#include <taper/vertex_cover/component_search/small_search.hpp>
#include <taper/vertex_cover/component_search/team_graph.hpp>
#include <taper/vertex_cover/component_search/team_search.hpp>
#include <taper/warp.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

// Small graphs: TeamGraph extracts one as bit sets, TeamSearch has one warp search it and shares
// its branches.

namespace taper::vertex_cover::component_search {

/// A Kokkos reducer: the union of sets.
template <unsigned Words>
struct JoinSets {
  using reducer = JoinSets;
  using value_type = VertexSet<Words>;
  using result_view_type =
      Kokkos::View<value_type, Kokkos::AnonymousSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  value_type& result;

  KOKKOS_FUNCTION void join(value_type& into, value_type const& other) const { into |= other; }
  KOKKOS_FUNCTION void init(value_type& value) const { value = value_type::none(); }
  KOKKOS_FUNCTION value_type& reference() const { return result; }
  KOKKOS_FUNCTION result_view_type view() const { return result_view_type(&result); }
  KOKKOS_FUNCTION bool references_scalar() const { return true; }
};

/// Writes the subgraph of the `live` visited vertices to `small`. Vertex i of `small` is
/// `take_list[i]`, in ascending order. Requires: the visited vertices are whole components.
template <ExecutionSpace Exec, class Degree>
template <unsigned Words>
KOKKOS_INLINE_FUNCTION void TeamGraph<Exec, Degree>::extract(SmallGraph<Words>& small,
                                                             std::uint32_t live) const {
  std::uint32_t const first = workspace.low / 32;
  std::uint32_t const end = (workspace.high + 31) / 32;
  std::uint32_t* const before = marks;  // number of visited vertices before each word
  leader([&]() {
    std::uint32_t sum = 0;
    for (std::uint32_t i = first; i < end; ++i) {
      before[i] = sum;
      sum += static_cast<std::uint32_t>(Kokkos::Experimental::popcount_builtin(visited[i]));
    }
  });
  each(first, end, [&](std::uint32_t i) {
    std::uint32_t at = before[i];
    for (std::uint32_t bits = visited[i]; bits != 0; bits &= bits - 1) {
      take_list[at++] =
          i * 32 + static_cast<std::uint32_t>(Kokkos::Experimental::countr_zero_builtin(bits));
    }
  });
  if (rows.has_bits()) {
    extract_bits(small, live);
  } else {
    extract_entries(small, live);
  }
}

/// The number of a visited vertex in the small graph.
template <ExecutionSpace Exec, class Degree>
KOKKOS_INLINE_FUNCTION std::uint32_t TeamGraph<Exec, Degree>::rank(std::uint32_t v) const {
  std::uint32_t const below = visited[v / 32] & ((1u << v % 32) - 1);
  return marks[v / 32] + static_cast<std::uint32_t>(Kokkos::Experimental::popcount_builtin(below));
}

/// One lane per row.
template <ExecutionSpace Exec, class Degree>
template <unsigned Words>
KOKKOS_INLINE_FUNCTION void TeamGraph<Exec, Degree>::extract_bits(SmallGraph<Words>& small,
                                                                  std::uint32_t live) const {
  each(0, live, [&](std::uint32_t i) {
    auto row = VertexSet<Words>::none();
    along_bits(take_list[i], [&](std::uint32_t w, std::uint32_t neighbours) {
      for (std::uint32_t bits = neighbours & visited[w]; bits != 0; bits &= bits - 1) {
        row.insert(rank(
            w * 32 + static_cast<std::uint32_t>(Kokkos::Experimental::countr_zero_builtin(bits))));
      }
    });
    small.rows[i] = row;
  });
}

/// One thread per row: each vector lane collects a set, and a reduction joins them.
template <ExecutionSpace Exec, class Degree>
template <unsigned Words>
KOKKOS_INLINE_FUNCTION void TeamGraph<Exec, Degree>::extract_entries(SmallGraph<Words>& small,
                                                                     std::uint32_t live) const {
  each_by_thread(0, live, [&](std::uint32_t i) {
    auto row = VertexSet<Words>::none();
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, row_begin(take_list[i]), row_end(take_list[i])),
        [&](std::uint32_t e, VertexSet<Words>& sum) {
          std::uint32_t const w = rows.entries(e);
          if (is_live_here(w)) {
            sum.insert(rank(w));
          }
        },
        JoinSets<Words>{row});
    Kokkos::single(Kokkos::PerThread(team), [&]() { small.rows[i] = row; });
  });
}

/// Takes the cover of the small graph, and leaves out its other vertices.
template <ExecutionSpace Exec, class Degree>
template <unsigned Words>
KOKKOS_INLINE_FUNCTION void TeamGraph<Exec, Degree>::take_cover(SmallGraph<Words> const& small,
                                                                std::uint32_t live) const {
  each(0, live,
       [&](std::uint32_t i) { degrees[take_list[i]] = small.cover.has(i) ? taken : Degree{0}; });
  leader([&]() { workspace.node.cover += small.size; });
}

/// The peers of a small search: the other teams. See SmallSearch::run(). They may take over
/// branches only if the small graph is all that is left of the node.
///
/// Each call of Algorithm 2 counts once. The first node of a search of all that is left is the node
/// itself, which visit() has counted. The nodes of one component of several count when that is
/// solved: if its search is abandoned, they are visited again.
template <class Search>
struct TeamSearch<Search>::Peers {
  TeamSearch& self;
  std::uint32_t live;
  bool whole;  ///< the small graph is all that is left of the node

  /// Relaxed: an old number of idle teams costs a branch that is shared later, or for nothing.
  KOKKOS_FUNCTION Request report_nodes(std::uint32_t more, std::uint32_t all) const {
    if (!whole) {
      return all < inline_node_limit ? Request::none : Request::abandon;
    }
    self.count_nodes(all == more ? more - 1 : more);
    return self.stopped() ? Request::share_all
           : relaxed_load(self.control().idle) > idle_threshold() &&
                   self.search.balance.queue_empty(self.team)
               ? Request::share_oldest
               : Request::none;
  }
  /// Sharing a branch costs more than some nodes of a small search. A few idle teams find work
  /// elsewhere.
  KOKKOS_FUNCTION std::uint32_t idle_threshold() const {
    return static_cast<std::uint32_t>(self.graph.team.league_size()) / 16;
  }
  KOKKOS_FUNCTION void report_split(std::uint32_t component_count) const {
    self.count_components(component_count);
  }
  KOKKOS_FUNCTION std::uint32_t best() const {
    std::uint32_t const best = self.search.registry.best(self.node().entry);
    return best - Kokkos::min(best, self.node().cover);
  }
  /// Unless the search is parameterized, it suffices to record the best cover at the end.
  KOKKOS_FUNCTION void report_cover(std::uint32_t lane, typename Small::Set const& cover) const {
    if constexpr (Search::parameterized) {
      if (whole) {
        self.publish_cover(lane, live, cover);
      }
    }
  }
  KOKKOS_FUNCTION bool accept_branch(std::uint32_t lane, typename Small::Branch const& branch,
                                     typename Small::Set const& taken) const {
    return self.store_branch(lane, live, branch, taken);
  }
};

/// Searches the visited subgraph completely for a minimum cover of less than `best` vertices, and
/// takes that. `whole`: the subgraph is all that is left of the node. False: there is none, or
/// other teams have found one that is no larger. Or the subgraph is one component of several, and
/// the search exceeded inline_node_limit: no team can help with it.
template <class Search>
KOKKOS_INLINE_FUNCTION bool TeamSearch<Search>::solve_small(std::uint32_t live, std::uint32_t best,
                                                            bool whole) {
  enter(Activity::small);
  graph.extract(small, live);
  graph.each_warp_lane([&](std::uint32_t lane) {
    SmallSearch<Exec, small_words>::run(small, lane, live, best, search.components,
                                        Peers{*this, live, whole});
  });
  bool const found = !small.cover.empty();
  graph.leader([&]() {
    state.component_branches += small.splits;
    if (found && !whole) {
      count_nodes(small.nodes);
    }
  });
  if (found) {
    graph.take_cover(small, live);
  }
  return found;
}

/// Like record_cover(), for a cover of the small graph before its search has ended. Called by the
/// lanes of one warp.
template <class Search>
KOKKOS_FUNCTION void TeamSearch<Search>::publish_cover(std::uint32_t lane, std::uint32_t live,
                                                       typename Small::Set const& cover) const {
  using Warp = taper::Warp<Exec>;
  std::uint32_t* const row = &search.registry.covers(graph.workspace.cover_row, 0);
  for (std::uint32_t i = node().first / 32 + lane; i < node().end / 32; i += Warp::count) {
    row[i] = NodeGraph::bits_of(
        i, [&](std::uint32_t v) { return graph.degrees[v] == NodeGraph::taken; });
  }
  Warp::sync();
  for (std::uint32_t i = lane; i < live; i += Warp::count) {
    if (cover.has(i)) {
      std::uint32_t const v = graph.take_list[i];
      Kokkos::atomic_or(&row[v / 32], 1u << v % 32);  // relaxed: improve() releases
    }
  }
  Warp::sync();
  if (lane == 0) {
    improve(node().entry, node().cover + cover.size(), graph.workspace.cover_row);
  }
  Warp::sync();
}

/// Stores a branch of a small search as a node for any team. Called by the lanes of one warp.
/// False: there is no room.
template <class Search>
KOKKOS_INLINE_FUNCTION bool TeamSearch<Search>::store_branch(std::uint32_t lane, std::uint32_t live,
                                                             typename Small::Branch const& branch,
                                                             typename Small::Set const& taken) {
  using Warp = taper::Warp<Exec>;
  std::uint32_t const slot =
      Warp::shuffle(0, lane == 0 ? search.free_slots.acquire(team) : nothing);
  if (slot == nothing) {
    return false;
  }
  unsigned char* const to = &search.slots(slot, 0);
  Degree* const degrees = degrees_of(to);
  for (std::uint32_t v = node().first + lane; v < node().end; v += Warp::count) {
    degrees[v] = graph.degrees[v];
  }
  Warp::sync();
  for (std::uint32_t i = lane; i < live; i += Warp::count) {
    degrees[graph.take_list[i]] = branch.live.has(i)
                                      ? static_cast<Degree>((small.rows[i] & branch.live).size())
                                  : taken.has(i) ? NodeGraph::taken
                                                 : Degree{0};
  }
  Warp::sync();
  bool is_put = false;
  if (lane == 0) {
    bool const is_branch = branch.vertex != nothing;
    head_of(to) = node();
    head_of(to).cover += taken.size();
    head_of(to).action = is_branch ? Action::take_vertex : Action::examine;
    head_of(to).vertex = is_branch ? graph.take_list[branch.vertex] : nothing;
    head_of(to).connected = 0;
    is_put = enqueue_as_leader(slot, node().entry);
  }
  return Warp::ballot(is_put) != 0;
}

}  // namespace taper::vertex_cover::component_search
