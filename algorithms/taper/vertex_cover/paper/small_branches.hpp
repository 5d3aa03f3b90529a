// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/polling.hpp>
#include <taper/vertex_cover/paper/small_searcher.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::vertex_cover::paper {

template <ExecutionSpace Exec, unsigned Words>
KOKKOS_INLINE_FUNCTION std::uint32_t SmallSearch<Exec, Words>::first_branch() const {
  return parted_ == 0 ? given_ : graph_.parted[parted_ - 1].branches;
}

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

template <ExecutionSpace Exec, unsigned Words>
KOKKOS_INLINE_FUNCTION void SmallSearch<Exec, Words>::second_branch() {
  typename Graph::Branch const& waiting = graph_.branches[--branches_];
  live_ = waiting.live;
  cover_ = waiting.cover + 1;
  taken_ -= live_;  // nothing of it had been taken
  live_.remove(waiting.vertex);
  taken_.insert(waiting.vertex);
  touched_ = graph_.rows[waiting.vertex];
  shaken_ = touched_;
  Warp::sync();
}

/// Gives away of the whole graph's branches that wait the oldest, or all and the node itself, as they
/// wish, and prunes with what they have found. True: nothing is left, or what is left is given up. A
/// part is solved first, since what has been done for it would be lost.
template <ExecutionSpace Exec, unsigned Words>
template <class Others>
KOKKOS_INLINE_FUNCTION bool SmallSearch<Exec, Words>::look_around(Others const& others) {
  auto const wish = static_cast<Wish>(Warp::from(
      0, lane_ == 0 ? static_cast<std::uint32_t>(others.visited(nodes_a_look, nodes_)) : 0u));
  if (wish == Wish::none) {
    return false;
  }
  if (wish == Wish::give_up) {
    best_cover_ = Set::none();
    return true;
  }
  std::uint32_t const waiting = parted_ == 0 ? branches_ : graph_.parted[0].branches;
  while (given_ < waiting && give(others, graph_.branches[given_])) {
    ++given_;
    if (wish == Wish::share) {
      break;
    }
  }
  if (parted_ > 0) {
    return false;
  }
  std::uint32_t const best = Warp::from(0, lane_ == 0 ? others.best() : 0);
  if (best < best_) {
    best_ = best;
    best_cover_ = Set::none();
  }
  return wish == Wish::leave && given_ == waiting && give(others, {live_, nothing, cover_});
}

template <ExecutionSpace Exec, unsigned Words>
template <class Others>
KOKKOS_INLINE_FUNCTION bool
SmallSearch<Exec, Words>::give(Others const& others, typename Graph::Branch const& branch) const {
  return others.give(lane_, branch, taken_ - branch.live);  // nothing of it had been taken
}

}  // namespace taper::vertex_cover::paper
