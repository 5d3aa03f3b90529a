// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/component_search/team_search.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

// TeamSearch: branching on components, recording covers, and completing components (Section III-C).

namespace taper::vertex_cover::component_search {

/// Finds the components of the node's graph, and stores each as a node as soon as it is found.
/// Solves cliques, cycles, and small components that need few nodes, at once. Returns:
/// - `connected`: one component is left to search, or no room for a branch on components;
/// - `component`: the last component is now the current node, the others are stored;
/// - `solved`: all components are solved;
/// - `finished`: the last component is solved, and others are stored. Their last team completes the
///   node.
template <class Search>
KOKKOS_INLINE_FUNCTION typename TeamSearch<Search>::Split
TeamSearch<Search>::split_components(DegreeStats& left) {
  std::uint32_t const cover_before = node().cover;
  std::uint32_t branch = nothing;
  std::uint32_t last_entry = nothing;
  // The share of the branch's `attainable` that belongs to none of its components.
  std::uint32_t unopened = 0;
  std::uint32_t found = 0;
  for (;;) {
    graph.visit_component(left.low, left.live);
    ++found;
    bool const last = graph.workspace.reached == left.live;
    DegreeStats const component = last ? left : graph.degree_stats(true);
    if (solve_directly(component, found == 1 && last)) {
      if (last && branch != nothing) {
        return finish_branch(branch, last_entry, cover_before, unopened, found);
      }
      if (last) {
        count_if_split(found, 0);
        return Split::solved;
      }
    } else if (last && branch == nothing) {
      count_if_split(found, 1);
      return Split::connected;
    } else {
      if (branch == nothing) {
        unopened = node().cover + left.live;
        if (!open_branch(branch, last_entry, cover_before, unopened)) {
          return Split::connected;
        }
      }
      if (last || !store_component(branch, cover_before, component)) {
        continue_as_component(branch, last_entry, cover_before, left, unopened, found);
        return Split::component;
      }
      unopened -= component.live - 1;
    }
    left = graph.degree_stats();
  }
}

/// Solves the visited component if it is a clique, a cycle, or a small graph that needs few nodes.
/// Unless it is the `only` one, it is a call of Algorithm 2, and counts as a node.
template <class Search>
KOKKOS_INLINE_FUNCTION bool TeamSearch<Search>::solve_directly(DegreeStats const& component,
                                                               bool only) {
  bool const is_clique = component.is_clique();
  if (is_clique || component.is_cycle()) {
    if (is_clique) {
      graph.solve_clique(component);
    } else {
      graph.solve_cycle(component);
    }
    if (!only) {
      graph.leader([&]() { count_nodes(1); });
    }
    return true;
  }
  // All its vertices but one are a cover.
  bool const solved =
      component.live <= search.small && solve_small(component.live, component.live, false);
  enter(Activity::components);
  return solved;
}

/// Allocates two registry entries or none: one for the branch, one for the component that this team
/// keeps. `all`: the branch's first `attainable`. add_taken() later adds the vertices that have
/// been taken since `cover_before`. False: there is no room.
template <class Search>
KOKKOS_INLINE_FUNCTION bool
TeamSearch<Search>::open_branch(std::uint32_t& branch, std::uint32_t& last_entry,
                                std::uint32_t cover_before, std::uint32_t all) const {
  branch = graph.from_leader([&]() { return search.registry.allocate(team); });
  last_entry = branch == nothing
                   ? nothing
                   : graph.from_leader([&]() { return search.registry.allocate(team); });
  if (last_entry == nothing) {
    graph.leader([&]() {
      if (branch != nothing) {
        search.registry.release(team, branch);
      }
      ++state.registry_full;
    });
    branch = nothing;
    return false;
  }
  graph.leader([&]() {
    // 2 pending: the branch itself while it searches for components, and the last component.
    search.registry.open(branch, cover_before, 2, node().entry, node().first / 32, node().end / 32,
                         nothing, all);
  });
  write_taken(branch);
  return true;
}

/// Writes the node's cover to the branch's row.
template <class Search>
KOKKOS_INLINE_FUNCTION void TeamSearch<Search>::write_taken(std::uint32_t branch) const {
  graph.write_bits(search.registry.cover_of(branch), node().first / 32, node().end / 32,
                   [&](std::uint32_t v) { return graph.degrees[v] == NodeGraph::taken; });
}

/// A component's first Best (Algorithm 2, line 17): what the ancestor's Best leaves for it, or its
/// number of vertices minus one, if that is less. The entry's row holds a cover of the latter size.
template <class Search>
KOKKOS_INLINE_FUNCTION std::uint32_t TeamSearch<Search>::initial_best(std::uint32_t branch,
                                                                      std::uint32_t cover_before,
                                                                      std::uint32_t size) const {
  std::uint32_t const best = search.registry.best(search.registry.entries(branch).parent);
  std::uint32_t const sum = search.registry.best(branch) + (node().cover - cover_before);
  return Kokkos::min(best > sum ? best - sum : 0, size - 1);
}

/// Opens the entry of a component, the vertices for which is_in() holds, without pending nodes.
template <class Search>
template <class Predicate>
KOKKOS_INLINE_FUNCTION void
TeamSearch<Search>::open_component(std::uint32_t entry, std::uint32_t branch,
                                   std::uint32_t cover_before, DegreeStats const& component,
                                   Predicate const& is_in) const {
  graph.leader([&]() {
    search.registry.open(entry, initial_best(branch, cover_before, component.live), 0, branch,
                         first_of(component) / 32, end_of(component) / 32, component.live - 1,
                         component.live - 1);
  });
  graph.write_bits(search.registry.cover_of(entry), first_of(component) / 32,
                   end_of(component) / 32,
                   [&](std::uint32_t v) { return v != component.low && is_in(v); });
}

/// Stores the visited component as a node for any team. False: there is no room in registry or
/// storage.
template <class Search>
KOKKOS_INLINE_FUNCTION bool TeamSearch<Search>::store_component(std::uint32_t branch,
                                                                std::uint32_t cover_before,
                                                                DegreeStats const& component) {
  std::uint32_t const entry = graph.from_leader([&]() { return search.registry.allocate(team); });
  std::uint32_t const slot =
      entry == nothing ? nothing
                       : graph.from_leader([&]() { return search.free_slots.acquire(team); });
  if (slot == nothing) {
    graph.leader([&]() {
      if (entry != nothing) {
        search.registry.release(team, entry);
      }
      ++state.registry_full;
    });
    return false;
  }
  auto const is_in = [&](std::uint32_t v) { return NodeGraph::has(graph.visited, v); };
  open_component(entry, branch, cover_before, component, is_in);
  std::uint32_t const first = first_of(component);
  std::uint32_t const end = end_of(component);
  unsigned char* const to = &search.slots(slot, 0);
  graph.leader([&]() {
    head_of(to) = {entry, 0, node().base, first, end, Action::none, nothing, 1};
    search.registry.join(branch);
  });
  graph.each(first, end,
             [&](std::uint32_t v) { degrees_of(to)[v] = is_in(v) ? graph.degrees[v] : Degree{0}; });
  if (!enqueue(slot, entry)) {
    graph.leader([&]() {
      search.registry.leave(branch);
      search.registry.release(team, entry);
      ++state.registry_full;
    });
    return false;
  }
  graph.each(first, end, [&](std::uint32_t v) {
    if (is_in(v)) {
      graph.degrees[v] = 0;
    }
  });
  return true;
}

/// The vertices that are left become the branch's last component, and the current node.
template <class Search>
KOKKOS_INLINE_FUNCTION void
TeamSearch<Search>::continue_as_component(std::uint32_t branch, std::uint32_t last_entry,
                                          std::uint32_t cover_before, DegreeStats const& component,
                                          std::uint32_t unopened, std::uint32_t found) {
  open_component(last_entry, branch, cover_before, component,
                 [&](std::uint32_t v) { return NodeGraph::is_live(graph.degrees[v]); });
  graph.leader([&]() { search.registry.join(last_entry); });
  add_taken(branch, cover_before, unopened - (node().cover + component.live - 1));
  graph.leader([&]() { search.registry.leave(branch); });  // the last component is pending
  graph.each(node().first, node().end, [&](std::uint32_t v) {
    if (graph.degrees[v] == NodeGraph::taken) {
      graph.degrees[v] = 0;
    }
  });
  graph.leader([&]() {
    node().entry = last_entry;
    node().cover = 0;
    std::uint32_t const first = first_of(component);
    node().end = end_of(component);
    node().first = first;
    count_branch(found);
  });
}

/// The branch has found all components, and the last of them is solved already.
template <class Search>
KOKKOS_INLINE_FUNCTION typename TeamSearch<Search>::Split
TeamSearch<Search>::finish_branch(std::uint32_t branch, std::uint32_t last_entry,
                                  std::uint32_t cover_before, std::uint32_t unopened,
                                  std::uint32_t found) {
  add_taken(branch, cover_before, unopened - node().cover);
  graph.leader([&]() {
    search.registry.release(team, last_entry);
    count_branch(found);
  });
  std::uint32_t const component = leave_branch(branch, 2);  // itself, and the last component
  if (component != nothing) {
    complete_component(component);
  }
  return Split::finished;
}

/// Adds to the branch the vertices that it has taken since it was opened. All its components are
/// open now. `excess`: see Registry::settle().
template <class Search>
KOKKOS_INLINE_FUNCTION void TeamSearch<Search>::add_taken(std::uint32_t branch,
                                                          std::uint32_t cover_before,
                                                          std::uint32_t excess) const {
  merge(
      search.registry.cover_of(branch),
      [&](std::uint32_t i) {
        return NodeGraph::bits_of(
            i, [&](std::uint32_t v) { return graph.degrees[v] == NodeGraph::taken; });
      },
      node().first / 32, node().end / 32);
  graph.leader([&]() {
    search.registry.add_to_sum(branch, node().cover - cover_before);
    if constexpr (Search::parameterized) {
      reduce_best_sum(search.registry.settle(branch, excess));
    }
  });
}

/// The node has no edges left: its vertices in the cover are a cover of its component.
template <class Search>
KOKKOS_INLINE_FUNCTION void TeamSearch<Search>::record_cover() const {
  if (graph.from_leader([&]() -> std::uint32_t {
        return node().cover < search.registry.best(node().entry);
      }) == 0) {
    return;
  }
  graph.write_bits(&search.registry.covers(graph.workspace.cover_row, 0), node().first / 32,
                   node().end / 32,
                   [&](std::uint32_t v) { return graph.degrees[v] == NodeGraph::taken; });
  graph.leader([&]() { improve(node().entry, node().cover, graph.workspace.cover_row); });
}

/// Improves a component's Best, and the roots' sum of best sizes. Called by the leader.
template <class Search>
KOKKOS_INLINE_FUNCTION void TeamSearch<Search>::improve(std::uint32_t component, std::uint32_t size,
                                                        std::uint32_t& row) const {
  auto const& registry = search.registry;
  std::uint32_t const gain = registry.improve(component, size, row);
  if (gain == 0) {
    return;
  }
  if constexpr (Search::parameterized) {
    reduce_best_sum(registry.propagate(component, size));
  } else if (registry.entries(component).parent == nothing) {
    reduce_best_sum(gain);
  }
}

/// A root's best size has fallen by `gain`. Stops the search if the sum reaches the target. Called
/// by the leader.
template <class Search>
KOKKOS_INLINE_FUNCTION void TeamSearch<Search>::reduce_best_sum(std::uint32_t gain) const {
  // relaxed: the host reads the covers after the launch
  if (gain > 0 &&
      Kokkos::atomic_fetch_sub(&control().best_sum, gain) - gain <= search.target_size) {
    stop(answered);
  }
}

/// Adds the set bits(first .. end-1) to a branch's row. Other teams may be adding to it at the same
/// time.
template <class Search>
template <class Bits>
KOKKOS_INLINE_FUNCTION void TeamSearch<Search>::merge(std::uint32_t* into, Bits const& bits,
                                                      std::uint32_t first,
                                                      std::uint32_t end) const {
  graph.each(first, end, [&](std::uint32_t i) {
    std::uint32_t const more = bits(i);
    if (more != 0) {
      Kokkos::atomic_or(&into[i], more);  // relaxed: add_to_sum() releases
    }
  });
}

/// All nodes of a component are complete. As its last descendant, this team does the
/// post-processing: it adds the component's cover to its branch. If that was the branch's last
/// component, it goes on upwards.
template <class Search>
KOKKOS_INLINE_FUNCTION void TeamSearch<Search>::complete_component(std::uint32_t component) {
  auto const& registry = search.registry;
  for (;;) {
    Entry const& solved = registry.entries(component);
    std::uint32_t const branch = solved.parent;
    if (branch == nothing) {
      graph.leader([&]() {
        // relaxed: the host reads the covers after the launch
        if (Kokkos::atomic_fetch_sub(&control().open_roots, 1u) == 1) {
          stop(exhausted);
        }
      });
      return;
    }
    std::uint32_t const* const cover = registry.cover_of(component);
    merge(
        registry.cover_of(branch), [&](std::uint32_t i) { return cover[i]; }, solved.first_word,
        solved.end_word);
    graph.leader([&]() {
      registry.add_to_sum(branch, registry.best(component));
      registry.release(team, component);
    });
    component = leave_branch(branch, 1);
    if (component == nothing) {
      return;
    }
  }
}

/// Subtracts `count` from a branch's pending components. If none is left, the branch is a complete
/// node of its ancestor: its Sum may improve the ancestor's Best. Returns the ancestor if that was
/// its last node, else `nothing`.
template <class Search>
KOKKOS_INLINE_FUNCTION std::uint32_t TeamSearch<Search>::leave_branch(std::uint32_t branch,
                                                                      std::uint32_t count) {
  auto const& registry = search.registry;
  return graph.from_leader([&]() {
    if (registry.leave(branch, count) != 0) {
      return nothing;
    }
    Entry& solved = registry.entries(branch);
    std::uint32_t const ancestor = solved.parent;
    std::uint32_t row = row_of(solved.cover);  // improve() may exchange it for the ancestor's row
    improve(ancestor, size_of(solved.cover), row);
    solved.cover = SizedCover::pack(size_of(solved.cover), row);
    registry.release(team, branch);
    return registry.leave(ancestor) == 0 ? ancestor : nothing;
  });
}

}  // namespace taper::vertex_cover::component_search
