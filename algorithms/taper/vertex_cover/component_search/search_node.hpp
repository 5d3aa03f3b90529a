// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/component_search/team_search.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

// TeamSearch: visiting a node, storing and loading nodes, and branching without storage.

namespace taper::vertex_cover::component_search {

/// Visits the current node and those below it, until nothing of it is left with this team.
template <class Search>
KOKKOS_INLINE_FUNCTION void TeamSearch<Search>::visit() {
  bool connected = node().connected != 0;
  bool is_counted = false;
  for (;;) {
    bool const stopping = graph.from_leader([&]() -> std::uint32_t {
      count_nodes(is_counted ? 0 : 1);
      return stopped();
    }) != 0;
    is_counted = false;
    enter(Activity::reducing);
    DegreeStats stats;
    Verdict verdict = reduce(stats);
    // A component of split_components() stays connected until a vertex is taken.
    connected = connected && node().cover == 0;
    bool const replaying = state.path_length != 0;
    graph.barrier();
    if (verdict == Verdict::open && stats.live <= search.small) {
      std::uint32_t const best =
          graph.from_leader([&]() { return search.registry.best(node().entry); });
      graph.write_bits(graph.visited, graph.workspace.low / 32, (graph.workspace.high + 31) / 32,
                       [&](std::uint32_t v) { return NodeGraph::is_live(graph.degrees[v]); });
      bool const found = best > node().cover && solve_small(stats.live, best - node().cover, true);
      verdict = found ? Verdict::covered : Verdict::pruned;
    }
    if (verdict == Verdict::open && search.components && !connected && !replaying) {
      enter(Activity::components);
      Split const result = split_components(stats);
      if (result == Split::finished) {
        return;
      }
      // The remaining graph may be small by now.
      if (result == Split::component ||
          (result == Split::connected && stats.live <= search.small)) {
        connected = true;
        is_counted = result == Split::connected;  // by count_if_split(), if it is another node
        continue;
      }
      verdict = result == Split::solved ? Verdict::covered : Verdict::open;
    }
    connected = false;
    if (verdict == Verdict::open) {
      if (replaying && stopping) {
        graph.leader([&]() { state.path_paused = 1; });
        return;
      }
      if (stopping && store_node(Action::none, nothing)) {
        finish_node();  // the stored node replaces it
        return;
      }
      branch(stats.top_vertex(), replaying);
      continue;
    }
    enter(Activity::covers);
    if (verdict == Verdict::covered) {
      record_cover();
    }
    if (replaying && replay_next()) {
      continue;
    }
    if (replaying && has_path()) {
      return;
    }
    finish_node();
    return;
  }
}

/// Applies the reduction rules until none applies, and tests the stopping conditions.
template <class Search>
KOKKOS_INLINE_FUNCTION typename TeamSearch<Search>::Verdict
TeamSearch<Search>::reduce(DegreeStats& stats) const {
  for (;;) {
    graph.reduce_candidates();
    std::uint32_t const best =
        graph.from_leader([&]() { return search.registry.best(node().entry); });
    std::uint32_t const cover = node().cover;
    if (cover >= best) {
      return Verdict::pruned;
    }
    stats = graph.degree_stats();
    if (search.bounds) {
      graph.leader([&]() {
        graph.workspace.low = Kokkos::min(stats.low, stats.high);
        graph.workspace.high = stats.high;
      });
    }
    if (stats.degrees == 0) {
      return Verdict::covered;
    }
    // The cover may grow by `budget` vertices. Each covers at most `top` edges.
    std::uint64_t const budget = best - cover - 1;
    std::uint64_t const top = stats.top_degree();
    std::uint64_t const edges = stats.degrees / 2;
    if (search.degree_bound && edges > budget * top) {
      return Verdict::pruned;
    }
    if (top <= budget) {
      return edges > budget * budget ? Verdict::pruned : Verdict::open;  // Algorithm 2, line 3
    }
    graph.take_high_degrees(static_cast<std::uint32_t>(budget));
  }
}

/// Stores one branch, and continues with the other. If that is the one that takes the neighbours of
/// `vertex`, it shrinks faster. So fewer nodes wait at a time, and the larger ones wait where other
/// teams can take them.
template <class Search>
KOKKOS_INLINE_FUNCTION void TeamSearch<Search>::branch(std::uint32_t vertex, bool replaying) {
  if (replaying || !store_node(branch_action(false), vertex)) {
    branch_on_path(vertex, replaying);
  }
  apply(branch_action(true), vertex);
}

/// Loads the node of next_item(), and applies its action.
template <class Search>
KOKKOS_INLINE_FUNCTION void TeamSearch<Search>::load(std::uint32_t item) {
  if (item >= slots()) {
    load_root(item - slots());
  } else {
    load_slot(&search.slots(item, 0));
    graph.leader([&]() { search.free_slots.release(team, item); });
  }
  if (graph.from_leader([&]() -> std::uint32_t { return unreported_component != node().entry; }) !=
      0) {
    report_finished();
  }
  apply(node().action, node().vertex);
}

template <class Search>
KOKKOS_INLINE_FUNCTION void TeamSearch<Search>::load_root(std::uint32_t index) {
  RootComponent const& root = search.roots(index);
  std::uint32_t const end = (root.size + 31) / 32 * 32;
  graph.leader([&]() {
    node() = {index, 0, root.base, 0, end, root.action, nothing, 0};
    graph.workspace.low = 0;
    graph.workspace.high = end;
  });
  graph.each(0, end, [&](std::uint32_t v) {
    graph.degrees[v] =
        v < root.size ? static_cast<Degree>(graph.row_end(v) - graph.row_begin(v)) : Degree{0};
  });
}

template <class Search>
KOKKOS_INLINE_FUNCTION void TeamSearch<Search>::load_slot(unsigned char* slot) const {
  graph.leader([&]() {
    node() = head_of(slot);
    graph.workspace.low = node().first;
    graph.workspace.high = node().end;
  });
  graph.copy(graph.degrees, degrees_of(slot), node().first, node().end);
}

template <class Search>
KOKKOS_INLINE_FUNCTION void TeamSearch<Search>::store_slot(unsigned char* slot, Action action,
                                                           std::uint32_t vertex) const {
  graph.leader([&]() {
    NodeHead head = node();
    head.action = action;
    head.vertex = vertex;
    head.connected = 0;
    head_of(slot) = head;
  });
  graph.copy(degrees_of(slot), graph.degrees, node().first, node().end);
}

template <class Search>
KOKKOS_INLINE_FUNCTION void TeamSearch<Search>::apply(Action action, std::uint32_t vertex) {
  enter(Activity::branching);
  switch (action) {
  case Action::none:
    break;
  case Action::examine:
    graph.make_all_candidates();
    break;
  case Action::take_vertex:
    graph.take_vertex(vertex);
    break;
  case Action::take_neighbours:
    graph.take_neighbours(vertex);
    break;
  }
}

/// Stores the current node for any team, with the action to apply first. False: there is no room.
template <class Search>
KOKKOS_INLINE_FUNCTION bool TeamSearch<Search>::store_node(Action action, std::uint32_t vertex) {
  enter(Activity::storage);
  std::uint32_t const slot = graph.from_leader([&]() { return search.free_slots.acquire(team); });
  if (slot == nothing) {
    return false;
  }
  store_slot(&search.slots(slot, 0), action, vertex);
  return enqueue(slot, node().entry);
}

/// Offers the node in `slot` to all teams, as a pending node of `entry`. False: there is no room.
template <class Search>
KOKKOS_INLINE_FUNCTION bool TeamSearch<Search>::enqueue(std::uint32_t slot, std::uint32_t entry) {
  return graph.from_leader([&]() -> std::uint32_t { return enqueue_as_leader(slot, entry); }) != 0;
}

/// The same, called by the leader alone.
template <class Search>
KOKKOS_INLINE_FUNCTION bool TeamSearch<Search>::enqueue_as_leader(std::uint32_t slot,
                                                                  std::uint32_t entry) {
  bool const reuses_unreported = unreported > 0 && unreported_component == entry;
  if (reuses_unreported) {
    --unreported;
  } else {
    search.registry.join(entry);
  }
  if (search.balance.put(team, slot)) {
    return true;
  }
  if (reuses_unreported) {
    ++unreported;
  } else {
    search.registry.leave(entry);
  }
  search.free_slots.release(team, slot);
  return false;
}

/// The current node is complete. Does not report that to the registry at once, but counts it in
/// `unreported`.
///
/// A complete node and a new node of the same component mostly follow one another. A new node then
/// takes the place of an unreported one, and saves two atomic operations. The team reports before
/// it turns to another component, or becomes idle. The registry never counts too few pending nodes,
/// so that no component is completed too early. Nor too late: a team with unreported nodes still
/// works on the component.
template <class Search>
KOKKOS_INLINE_FUNCTION void TeamSearch<Search>::finish_node() {
  std::uint32_t const entry = node().entry;
  if (graph.from_leader([&]() -> std::uint32_t {
        return unreported > 0 && unreported_component != entry;
      }) != 0) {
    report_finished();
  }
  graph.leader([&]() {
    unreported_component = entry;
    ++unreported;
  });
}

/// Reports the unreported nodes to the registry. Completes the component if they were its last.
template <class Search>
KOKKOS_INLINE_FUNCTION void TeamSearch<Search>::report_finished() {
  std::uint32_t const count = graph.from_leader([&]() {
    std::uint32_t const finished = unreported;
    unreported = 0;
    return finished;
  });
  if (count != 0) {
    std::uint32_t const component = graph.from_leader([&]() { return unreported_component; });
    if (graph.from_leader([&]() { return search.registry.leave(component, count); }) == 0) {
      complete_component(component);
    }
  }
}

// Branching by replay, if there is no room to store a node. The team saves the node at which that
// happens, the replay start, and from there on only the decisions. It rebuilds a later node from
// the replay start by repeating the decisions, without the reductions. Vertices that the reductions
// took are then undecided again. So no cover that the node stands for is lost. Every cover that is
// found covers the graph of the replay start: a vertex's neighbours in the less reduced graph are
// its neighbours in the reduced one, and vertices that reductions had taken.

/// Appends a decision to the path. `replaying`: there is a replay start already.
template <class Search>
KOKKOS_INLINE_FUNCTION void TeamSearch<Search>::branch_on_path(std::uint32_t vertex,
                                                               bool replaying) {
  if (!replaying) {
    store_slot(&search.replay_start(team, 0), Action::none, nothing);
  }
  graph.leader([&]() {
    search.path(team, state.path_length++) = vertex | first_branch_bit;
    ++state.storage_full;
  });
}

/// Rebuilds the next node of the path. False: there is none, or the launch ends.
template <class Search>
KOKKOS_INLINE_FUNCTION bool TeamSearch<Search>::replay_next() {
  enter(Activity::storage);
  bool const any = graph.from_leader([&]() -> std::uint32_t {
    while (state.path_length > 0 && state.path_paused == 0 &&
           (search.path(team, state.path_length - 1) & first_branch_bit) == 0) {
      --state.path_length;
    }
    return state.path_length > 0 && !stopped();
  }) != 0;
  if (!any) {
    return false;
  }
  std::uint32_t const depth = graph.from_leader([&]() {
    if (state.path_paused == 0) {
      search.path(team, state.path_length - 1) &= ~first_branch_bit;
    }
    state.path_paused = 0;
    return state.path_length;
  });
  load_slot(&search.replay_start(team, 0));
  for (std::uint32_t i = 0; i < depth; ++i) {
    std::uint32_t const decision = search.path(team, i);
    apply(branch_action((decision & first_branch_bit) != 0), decision & ~first_branch_bit);
  }
  return true;
}

/// Whether nodes of the path are left, for the next launch.
template <class Search>
KOKKOS_INLINE_FUNCTION bool TeamSearch<Search>::has_path() const {
  return graph.from_leader([&]() -> std::uint32_t { return state.path_length > 0; }) != 0;
}

}  // namespace taper::vertex_cover::component_search
