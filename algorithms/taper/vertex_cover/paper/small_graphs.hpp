// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/lanes.hpp>
#include <taper/vertex_cover/paper/explorer.hpp>
#include <taper/vertex_cover/paper/small_search.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::vertex_cover::paper {

/// The other teams, for a small search. They may get parts of it where it is all that is left of
/// the node.
template <class Search>
struct Explorer<Search>::Others {
  Explorer& self;
  std::uint32_t live;
  bool whole;  ///< what is searched is all that is left of the node

  KOKKOS_FUNCTION Wish visited(std::uint32_t more, std::uint32_t all) const {
    self.count_nodes(more);
    return !whole           ? (all < nodes_on_the_spot ? Wish::none : Wish::give_up)
           : self.stopped() ? Wish::leave
           : relaxed_load(self.control().idle) > few_idle() && self.search.balance.hungry(self.team)
               ? Wish::share
               : Wish::none;
  }
  /// What is shared costs more than the nodes of a part: a few that idle find work elsewhere.
  KOKKOS_FUNCTION std::uint32_t few_idle() const {
    return static_cast<std::uint32_t>(self.work.team.league_size()) / 16;
  }
  KOKKOS_FUNCTION void fell_apart(std::uint32_t parts) const { self.count_parts(parts); }
  KOKKOS_FUNCTION std::uint32_t best() const {
    std::uint32_t const best = self.search.registry.best(self.node().entry);
    return best - Kokkos::min(best, self.node().cover);
  }
  /// Where nothing is carried up, the search's best cover is soon enough.
  KOKKOS_FUNCTION void found(std::uint32_t lane, typename Small::Set const& cover) const {
    if constexpr (Search::answers) {
      if (whole) {
        self.tell(lane, live, cover);
      }
    }
  }
  KOKKOS_FUNCTION bool give(std::uint32_t lane, typename Small::Branch const& branch,
                            typename Small::Set const& taken) const {
    return self.share(lane, live, branch, taken);
  }
};

/// Searches the graph of the visited vertices for a cover of less than `best` to the end, and takes
/// the least one. False: there is none, or others have found one that is no larger; or it is but a
/// part, and has been given up because it takes long: others cannot help with it where it is.
template <class Search>
KOKKOS_INLINE_FUNCTION bool Explorer<Search>::solve_small(std::uint32_t live, std::uint32_t best,
                                                          bool whole) {
  enter(Activity::small);
  work.extract(small, live);
  work.each_warp_lane([&](std::uint32_t lane) {
    SmallSearch<Exec, small_words>::run(small, lane, live, best, search.components,
                                        Others{*this, live, whole});
  });
  work.leader([&]() { state.component_branches += small.splits; });
  bool const found = !small.cover.empty();
  if (found) {
    work.take_cover(small, live);
  }
  return found;
}

/// What record_cover() does, for a cover of the small graph and before its search has ended; by the
/// lanes of one warp.
template <class Search>
KOKKOS_FUNCTION void Explorer<Search>::tell(std::uint32_t lane, std::uint32_t live,
                                            typename Small::Set const& cover) const {
  using Warp = Lanes<Exec>;
  std::uint32_t* const row = &search.registry.covers(work.desk.row, 0);
  for (std::uint32_t i = node().first / 32 + lane; i < node().end / 32; i += Warp::count) {
    row[i] = Work::bits_of(i, [&](std::uint32_t v) { return work.degrees[v] == Work::gone; });
  }
  Warp::sync();
  for (std::uint32_t i = lane; i < live; i += Warp::count) {
    if (cover.has(i)) {
      std::uint32_t const v = work.takes[i];
      Kokkos::atomic_or(&row[v / 32], 1u << v % 32);  // relaxed: released by improve()
    }
  }
  Warp::sync();
  if (lane == 0) {
    improve(node().entry, node().cover + cover.size(), work.desk.row);
  }
  Warp::sync();
}

/// Makes a branch of a small search a node in storage; by the lanes of one warp. False: there is no
/// room for it.
template <class Search>
KOKKOS_INLINE_FUNCTION bool Explorer<Search>::share(std::uint32_t lane, std::uint32_t live,
                                                    typename Small::Branch const& branch,
                                                    typename Small::Set const& taken) {
  using Warp = Lanes<Exec>;
  std::uint32_t const slot = Warp::from(0, lane == 0 ? search.free_slots.take(team) : nothing);
  if (slot == nothing) {
    return false;
  }
  unsigned char* const to = &search.slots(slot, 0);
  Degree* const degrees = degrees_of(to);
  for (std::uint32_t v = node().first + lane; v < node().end; v += Warp::count) {
    degrees[v] = work.degrees[v];
  }
  Warp::sync();
  for (std::uint32_t i = lane; i < live; i += Warp::count) {
    degrees[work.takes[i]] = branch.live.has(i)
                                 ? static_cast<Degree>((small.rows[i] & branch.live).size())
                             : taken.has(i) ? Work::gone
                                            : Degree{0};
  }
  Warp::sync();
  bool is_put = false;
  if (lane == 0) {
    bool const is_branch = branch.vertex != nothing;
    head_of(to) = node();
    head_of(to).cover += taken.size();
    head_of(to).action = is_branch ? Action::take_vertex : Action::examine;
    head_of(to).vertex = is_branch ? work.takes[branch.vertex] : nothing;
    head_of(to).connected = 0;
    is_put = publish(slot, node().entry);
  }
  return Warp::flags(is_put) != 0;
}

}  // namespace taper::vertex_cover::paper
