// SPDX-License-Identifier: Apache-2.0
#pragma once

// The search of a small graph, in the order in which a node goes through it. The graph, and the lanes
// that search it together:
#include <taper/vertex_cover/paper/small_graph.hpp>
#include <taper/vertex_cover/paper/small_searcher.hpp>
// how they reduce it,
#include <taper/vertex_cover/paper/small_reductions.hpp>
// into what it may fall apart,
#include <taper/vertex_cover/paper/small_parts.hpp>
// and what waits while they branch.
#include <taper/vertex_cover/paper/small_branches.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::vertex_cover::paper {

template <ExecutionSpace Exec, unsigned Words>
template <class Others>
KOKKOS_INLINE_FUNCTION void SmallSearch<Exec, Words>::explore(Others const& others) {
  for (;;) {
    if (++nodes_ % nodes_a_look == 0 && look_around(others)) {
      return;
    }
    Survey survey;
    Verdict verdict = reduce(survey);
    if (verdict == Verdict::open && components_) {
      if (falls_apart()) {
        begin_parts();
        verdict = next_part(others);
        if (verdict == Verdict::open) {
          continue;
        }
      } else if (is_solved_at_once(survey.degrees, live_.size())) {
        solve_at_once(live_, survey.degrees);
        verdict = cover_ < best_ ? Verdict::covered : Verdict::hopeless;
      }
    }
    if (verdict == Verdict::open) {
      branch(survey.top_vertex());
      continue;
    }
    for (;;) {
      if (verdict == Verdict::covered) {
        best_ = cover_;
        best_cover_ = taken_ & own_;
        if (parted_ == 0) {
          others.found(lane_, best_cover_);
        }
      }
      if (branches_ > first_branch()) {
        second_branch();
        break;
      }
      if (parted_ == 0) {
        return;
      }
      verdict = end_part() ? next_part(others) : Verdict::hopeless;
      if (verdict == Verdict::open) {
        break;
      }
    }
  }
}

}  // namespace taper::vertex_cover::paper
