// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/paper/explorer.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::vertex_cover::paper {

/// From the node on the board down to where nothing is left of it.
template <class Search>
KOKKOS_INLINE_FUNCTION void Explorer<Search>::visit() {
  bool connected = node().connected != 0;
  for (;;) {
    bool const stopping = work.from_leader([&]() -> std::uint32_t {
      count_nodes(1);
      return stopped();
    }) != 0;
    enter(Activity::reducing);
    Survey survey;
    Verdict verdict = reduce(survey);
    // A node that split() has left is connected until something is taken.
    connected = connected && node().cover == 0;
    bool const lean = state.lean != 0;
    work.barrier();
    if (verdict == Verdict::open && survey.live <= search.small) {
      std::uint32_t const best =
          work.from_leader([&]() { return search.registry.best(node().entry); });
      work.write_bits(work.visited, work.desk.low / 32, (work.desk.high + 31) / 32,
                      [&](std::uint32_t v) { return Work::is_live(work.degrees[v]); });
      bool const found = best > node().cover && solve_small(survey.live, best - node().cover, true);
      verdict = found ? Verdict::covered : Verdict::hopeless;
    }
    if (verdict == Verdict::open && search.components && !connected && !lean) {
      enter(Activity::components);
      Split const result = split(survey);
      if (result == Split::done) {
        return;
      }
      // What is left may be small by now.
      if (result == Split::part || (result == Split::whole && survey.live <= search.small)) {
        connected = true;
        continue;
      }
      verdict = result == Split::solved ? Verdict::covered : Verdict::open;
    }
    connected = false;
    if (verdict == Verdict::open) {
      if (lean && stopping) {
        work.leader([&]() { state.lean_paused = 1; });
        return;
      }
      if (stopping && hand_on(Action::none, nothing)) {
        complete_node();  // the stored one has taken its place
        return;
      }
      branch(survey.top_vertex(), lean);
      continue;
    }
    enter(Activity::covers);
    if (verdict == Verdict::covered) {
      record_cover();
    }
    if (lean && next_lean()) {
      continue;
    }
    if (lean && paused_lean()) {
      return;
    }
    complete_node();
    return;
  }
}

/// The reductions at a node, to their fixpoint, and the stopping conditions.
template <class Search>
KOKKOS_INLINE_FUNCTION typename Explorer<Search>::Verdict
Explorer<Search>::reduce(Survey& survey) const {
  for (;;) {
    work.reduce_candidates();
    std::uint32_t const best =
        work.from_leader([&]() { return search.registry.best(node().entry); });
    std::uint32_t const cover = node().cover;
    if (cover >= best) {
      return Verdict::hopeless;
    }
    survey = work.survey();
    if (search.bounds) {
      work.leader([&]() {
        work.desk.low = Kokkos::min(survey.low, survey.high);
        work.desk.high = survey.high;
      });
    }
    if (survey.degrees == 0) {
      return Verdict::covered;
    }
    // So many vertices may still be taken; each covers as many edges as it has, at most.
    std::uint32_t const budget = best - cover - 1;
    if (survey.degrees / 2 > std::uint64_t{budget} * survey.top_degree()) {
      return Verdict::hopeless;
    }
    if (survey.top_degree() <= budget) {
      return Verdict::open;
    }
    work.take_above(budget);
  }
}

/// Stores the branch with the vertex, and goes on with the branch with its neighbours: that one
/// shrinks faster, so that fewer nodes wait at a time, and the larger ones wait where others
/// take them.
template <class Search>
KOKKOS_INLINE_FUNCTION void Explorer<Search>::branch(std::uint32_t vertex, bool lean) {
  if (lean || !hand_on(Action::take_vertex, vertex)) {
    branch_lean(vertex, lean);
  }
  act(Action::take_neighbours, vertex);
}

}  // namespace taper::vertex_cover::paper
