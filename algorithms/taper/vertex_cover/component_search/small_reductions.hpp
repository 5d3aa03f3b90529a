// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/component_search/small_search.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

// SmallSearch: the reduction rules at a node, and components.

namespace taper::vertex_cover::component_search {

template <ExecutionSpace Exec, unsigned Words>
KOKKOS_INLINE_FUNCTION void SmallSearch<Exec, Words>::take(Set const& vertices) {
  taken_ |= vertices;
  live_ -= vertices;
  cover_ += vertices.size();
  Set const around = neighbours_of(vertices);
  touched_ |= around;
  disturbed_ |= around;
}

/// Applies the reduction rules until none applies, and tests the stopping conditions.
template <ExecutionSpace Exec, unsigned Words>
KOKKOS_INLINE_FUNCTION typename SmallSearch<Exec, Words>::Verdict
SmallSearch<Exec, Words>::reduce(DegreeStats& stats) {
  for (;;) {
    reduce_touched();
    if (cover_ >= best_) {
      return Verdict::pruned;
    }
    stats = drop_isolated();
    if (stats.degrees == 0) {
      return Verdict::covered;
    }
    std::uint32_t const budget = best_ - cover_ - 1;
    if (stats.degrees / 2 > budget * stats.top_degree()) {
      return Verdict::pruned;
    }
    if (stats.top_degree() <= budget) {
      return Verdict::open;
    }
    take(select(live_, [&](std::uint32_t v) { return neighbours(v).size() > budget; }));
  }
}

/// Applies the degree-one rule and the degree-two triangle rule until neither applies, or the cover
/// is too large. Only vertices that have lost an edge can be reducible anew.
template <ExecutionSpace Exec, unsigned Words>
KOKKOS_INLINE_FUNCTION void SmallSearch<Exec, Words>::reduce_touched() {
  while (cover_ < best_) {
    Set const simple =
        select(touched_ & live_, [&](std::uint32_t v) { return neighbours(v).size() - 1 < 2; });
    touched_ = Set::none();
    Set const around = simple.empty() ? simple : taken_by_rules(simple);
    if (around.empty()) {
      return;
    }
    take(around);
  }
}

/// Removes vertices without edges. Returns the statistics of the degrees.
template <ExecutionSpace Exec, unsigned Words>
KOKKOS_INLINE_FUNCTION typename SmallSearch<Exec, Words>::DegreeStats
SmallSearch<Exec, Words>::drop_isolated() {
  std::uint32_t top = 0;
  std::uint32_t degrees = 0;
  live_ = select(live_, [&](std::uint32_t v) {
    std::uint32_t const degree = neighbours(v).size();
    if (degree != 0) {
      top = Kokkos::max(top, degree << 8 | (~v & 0xFF));
    }
    degrees += degree;
    return degree != 0;
  });
  return {Warp::max_of(top), Warp::sum_of(degrees)};
}

/// The vertices that the two rules take. `simple`: all vertices of degree 1 or 2 to which they may
/// apply. See TeamGraph::reduce_candidates().
template <ExecutionSpace Exec, unsigned Words>
KOKKOS_INLINE_FUNCTION typename SmallSearch<Exec, Words>::Set
SmallSearch<Exec, Words>::taken_by_rules(Set const& simple) const {
  Set around = Set::none();
  if (simple.empty()) {
    return around;
  }
  each_of(simple, [&](std::uint32_t v) {
    Set const ends = neighbours(v);
    std::uint32_t const u = ends.first();
    std::uint32_t const w = ends.last();
    std::uint32_t const degree = u == w ? 1 : 2;
    auto const precedes = [&](std::uint32_t x) {
      return x < v && simple.has(x) && neighbours(x).size() == degree;
    };
    if ((degree == 1 || graph_.rows[u].has(w)) && !precedes(u) && !precedes(w)) {
      around |= ends;
    }
  });
  return union_over_lanes(around);
}

/// Whether the component is no longer connected. It still is, if all vertices that have lost an
/// edge since the last test are connected to each other.
template <ExecutionSpace Exec, unsigned Words>
KOKKOS_INLINE_FUNCTION bool SmallSearch<Exec, Words>::is_split() {
  Set const disturbed = disturbed_ & live_;
  disturbed_ = Set::none();
  return !disturbed.empty() && !(disturbed - reached_from(disturbed.first(), disturbed)).empty();
}

/// The live vertices that can be reached from `start`. Ends early when all of `goal` are reached.
template <ExecutionSpace Exec, unsigned Words>
KOKKOS_INLINE_FUNCTION typename SmallSearch<Exec, Words>::Set
SmallSearch<Exec, Words>::reached_from(std::uint32_t start, Set const& goal) const {
  Set reached = Set::none();
  reached.insert(start);
  Set fresh = neighbours(start);
  while (!fresh.empty()) {
    reached |= fresh;
    if ((goal - reached).empty()) {
      break;
    }
    fresh = (neighbours_of(fresh) & live_) - reached;
  }
  return reached;
}

/// The sum of the degrees.
template <ExecutionSpace Exec, unsigned Words>
KOKKOS_INLINE_FUNCTION std::uint32_t
SmallSearch<Exec, Words>::degrees_of(Set const& component) const {
  std::uint32_t sum = 0;
  each_of(component, [&](std::uint32_t v) { sum += neighbours(v).size(); });
  return Warp::sum_of(sum);
}

/// Whether a connected graph with all degrees at least 2 is a clique or a chordless cycle.
/// `degrees`: the sum of the degrees.
template <ExecutionSpace Exec, unsigned Words>
KOKKOS_INLINE_FUNCTION bool SmallSearch<Exec, Words>::is_clique_or_cycle(std::uint32_t degrees,
                                                                         std::uint32_t size) {
  return degrees == size * (size - 1) || degrees == size * 2;
}

template <ExecutionSpace Exec, unsigned Words>
KOKKOS_INLINE_FUNCTION void SmallSearch<Exec, Words>::solve_clique_or_cycle(Set component,
                                                                            std::uint32_t degrees) {
  if (degrees == 2 * component.size() && component.size() > 3) {
    Set const outside = live_ - component;
    Set start = Set::none();
    start.insert(component.first());
    live_ = component;
    take(start);
    reduce_touched();
    live_ = outside;
  } else {
    live_ -= component;
    component.remove(component.first());
    taken_ |= component;
    cover_ += component.size();
  }
}

/// Pushes a frame for the current component, which is not connected any more.
template <ExecutionSpace Exec, unsigned Words>
KOKKOS_INLINE_FUNCTION void SmallSearch<Exec, Words>::begin_split() {
  if (lane_ == 0) {
    graph_.split_frames[split_depth_] = {own_,   best_cover_, live_,     Set::none(),
                                         cover_, best_,       branches_, 0};
  }
  ++split_depth_;
  Warp::sync();
}

/// Pops a solved component. True: its cover is taken. False: it needs more vertices than are left
/// for it.
template <ExecutionSpace Exec, unsigned Words>
KOKKOS_INLINE_FUNCTION bool SmallSearch<Exec, Words>::end_component() {
  typename Graph::SplitFrame const& parent = graph_.split_frames[split_depth_ - 1];
  bool const found = !best_cover_.empty();
  taken_ -= own_;
  cover_ = parent.cover;
  if (found) {
    taken_ |= best_cover_;
    cover_ += best_;
  } else {
    --split_depth_;
  }
  own_ = parent.own;
  best_cover_ = parent.best_cover;
  best_ = parent.best;
  Warp::sync();
  return found;
}

/// Finds further components. Continues with the smaller one of two that need a search. The largest
/// comes last, as the rest of the node. `open`: the component to search is the current node.
template <ExecutionSpace Exec, unsigned Words>
template <class Peers>
KOKKOS_INLINE_FUNCTION typename SmallSearch<Exec, Words>::Verdict
SmallSearch<Exec, Words>::next_component(Peers const& peers) {
  typename Graph::SplitFrame& parent = graph_.split_frames[split_depth_ - 1];
  Set unseen = parent.unseen;
  Set largest = parent.largest;
  std::uint32_t component_count = parent.component_count;
  Set next = Set::none();
  while (!unseen.empty() && next.empty()) {
    live_ = unseen;
    Set component = reached_from(unseen.first(), unseen);
    unseen -= component;
    ++component_count;
    std::uint32_t const size = component.size();
    std::uint32_t const degrees = degrees_of(component);
    if (is_clique_or_cycle(degrees, size)) {
      live_ = component;
      solve_clique_or_cycle(component, degrees);
    } else if (size <= largest.size()) {
      next = component;
    } else {
      next = largest;
      largest = component;
    }
  }
  Warp::sync();
  if (next.empty() || cover_ >= best_) {
    --split_depth_;
    ++splits_;
    if (lane_ == 0) {
      peers.report_split(component_count);
    }
    live_ = largest;
    disturbed_ = Set::none();
    return cover_ >= best_ ? Verdict::pruned : largest.empty() ? Verdict::covered : Verdict::open;
  }
  if (lane_ == 0) {
    parent.unseen = unseen;
    parent.largest = largest;
    parent.cover = cover_;
    parent.component_count = component_count;
  }
  Warp::sync();
  // All vertices but one are a cover.
  std::uint32_t const left = best_ - cover_;
  std::uint32_t const trivial = next.size() - 1;
  live_ = next;
  own_ = next;
  cover_ = 0;
  best_cover_ = Set::none();
  best_ = left;
  if (trivial < left) {
    best_ = trivial;
    best_cover_ = next;
    best_cover_.remove(next.first());
  }
  touched_ = Set::none();
  disturbed_ = Set::none();
  return Verdict::open;
}

}  // namespace taper::vertex_cover::component_search
