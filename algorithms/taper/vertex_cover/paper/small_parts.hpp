// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/paper/small_searcher.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::vertex_cover::paper {

/// What was connected still is, if there are paths between those who have lost an edge since.
template <ExecutionSpace Exec, unsigned Words>
KOKKOS_INLINE_FUNCTION bool SmallSearch<Exec, Words>::falls_apart() {
  Set const shaken = shaken_ & live_;
  shaken_ = Set::none();
  return !shaken.empty() && !(shaken - reached_from(shaken.first(), shaken)).empty();
}

/// From one of them along edges to all that can be reached, or until all of `enough` are.
template <ExecutionSpace Exec, unsigned Words>
KOKKOS_INLINE_FUNCTION typename SmallSearch<Exec, Words>::Set
SmallSearch<Exec, Words>::reached_from(std::uint32_t start, Set const& enough) const {
  Set reached = Set::none();
  reached.insert(start);
  Set fresh = neighbours(start);
  while (!fresh.empty()) {
    reached |= fresh;
    if ((enough - reached).empty()) {
      break;
    }
    fresh = (beside(fresh) & live_) - reached;
  }
  return reached;
}

template <ExecutionSpace Exec, unsigned Words>
KOKKOS_INLINE_FUNCTION std::uint32_t SmallSearch<Exec, Words>::degrees_of(Set const& part) const {
  std::uint32_t sum = 0;
  each_of(part, [&](std::uint32_t v) { sum += neighbours(v).size(); });
  return Warp::sum_of(sum);
}

/// Connected graphs whose degrees are 2 and more: cliques and chordless cycles.
template <ExecutionSpace Exec, unsigned Words>
KOKKOS_INLINE_FUNCTION bool SmallSearch<Exec, Words>::is_solved_at_once(std::uint32_t degrees,
                                                                        std::uint32_t size) {
  return degrees == size * (size - 1) || degrees == size * 2;
}

template <ExecutionSpace Exec, unsigned Words>
KOKKOS_INLINE_FUNCTION void SmallSearch<Exec, Words>::solve_at_once(Set part,
                                                                    std::uint32_t degrees) {
  if (degrees == 2 * part.size() && part.size() > 3) {
    Set const others = live_ - part;
    Set start = Set::none();
    start.insert(part.first());
    live_ = part;
    take(start);
    reduce_touched();
    live_ = others;
  } else {
    live_ -= part;
    part.remove(part.first());
    taken_ |= part;
    cover_ += part.size();
  }
}

/// The node falls apart.
template <ExecutionSpace Exec, unsigned Words>
KOKKOS_INLINE_FUNCTION void SmallSearch<Exec, Words>::begin_parts() {
  if (lane_ == 0) {
    graph_.parted[parted_] = {own_, best_cover_, live_, Set::none(), cover_, best_, branches_, 0};
  }
  ++parted_;
  Warp::sync();
}

/// The part is solved: `true` and its cover is taken; or it needs more than the others have left.
template <ExecutionSpace Exec, unsigned Words>
KOKKOS_INLINE_FUNCTION bool SmallSearch<Exec, Words>::end_part() {
  typename Graph::Parted const& parent = graph_.parted[parted_ - 1];
  bool const found = !best_cover_.empty();
  taken_ -= own_;
  cover_ = parent.cover;
  if (found) {
    taken_ |= best_cover_;
    cover_ += best_;
  } else {
    --parted_;
  }
  own_ = parent.own;
  best_cover_ = parent.best_cover;
  best_ = parent.best;
  Warp::sync();
  return found;
}

/// Looks for further parts, and goes on to the smaller one of two that have to be searched, or at last
/// to the largest as what is left of the node. open: that is on hand now.
template <ExecutionSpace Exec, unsigned Words>
template <class Others>
KOKKOS_INLINE_FUNCTION typename SmallSearch<Exec, Words>::Verdict
SmallSearch<Exec, Words>::next_part(Others const& others) {
  typename Graph::Parted& parent = graph_.parted[parted_ - 1];
  Set unseen = parent.unseen;
  Set largest = parent.largest;
  std::uint32_t parts = parent.parts;
  Set next = Set::none();
  while (!unseen.empty() && next.empty()) {
    live_ = unseen;
    Set part = reached_from(unseen.first(), unseen);
    unseen -= part;
    ++parts;
    std::uint32_t const size = part.size();
    std::uint32_t const degrees = degrees_of(part);
    if (is_solved_at_once(degrees, size)) {
      live_ = part;
      solve_at_once(part, degrees);
    } else if (size <= largest.size()) {
      next = part;
    } else {
      next = largest;
      largest = part;
    }
  }
  Warp::sync();
  if (next.empty() || cover_ >= best_) {
    --parted_;
    ++splits_;
    if (lane_ == 0) {
      others.fell_apart(parts);
    }
    live_ = largest;
    shaken_ = Set::none();
    return cover_ >= best_ ? Verdict::hopeless : largest.empty() ? Verdict::covered : Verdict::open;
  }
  if (lane_ == 0) {
    parent.unseen = unseen;
    parent.largest = largest;
    parent.cover = cover_;
    parent.parts = parts;
  }
  Warp::sync();
  // All its vertices but one are a cover.
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
  shaken_ = Set::none();
  return Verdict::open;
}

}  // namespace taper::vertex_cover::paper
