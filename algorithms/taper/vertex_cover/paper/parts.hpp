// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/paper/explorer.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::vertex_cover::paper {

/// Looks for components, and hands on each as soon as it is found, but for the last, which stays
/// on the board: then `part`, a node of its own. Cliques and cycles are solved at once, and so are small
/// ones that need few nodes. `whole`: there is but one. `solved`: nothing is left. `done`: nothing is
/// left here, the node's end depends on components that others have.
template <class Search>
KOKKOS_INLINE_FUNCTION typename Explorer<Search>::Split Explorer<Search>::split(Survey& left) {
  std::uint32_t const before = node().cover;
  std::uint32_t branch = nothing;
  std::uint32_t rest = nothing;
  std::uint32_t unopened = 0;  // of what the branch is good for, what is in none of its components
  std::uint32_t found = 0;
  for (;;) {
    work.visit_from(left.low, left.live);
    ++found;
    bool const last = work.desk.reached == left.live;
    Survey const part = last ? left : work.survey(true);
    if (solve_at_once(part)) {
      if (last) {
        return branch == nothing ? Split::solved
                                 : close_branch(branch, rest, before, unopened, found);
      }
    } else if (last && branch == nothing) {
      return Split::whole;
    } else {
      if (branch == nothing) {
        unopened = node().cover + left.live;
        if (!open_branch(branch, rest, before, unopened)) {
          return Split::whole;
        }
      }
      if (last || !hand_on_part(branch, before, part)) {
        become_part(branch, rest, before, left, unopened, found);
        return Split::part;
      }
      unopened -= part.live - 1;
    }
    left = work.survey();
  }
}

/// The component that has been visited. False: it takes more than that.
template <class Search>
KOKKOS_INLINE_FUNCTION bool Explorer<Search>::solve_at_once(Survey const& part) {
  if (part.is_clique()) {
    work.solve_clique(part);
    return true;
  }
  if (part.is_cycle()) {
    work.solve_cycle(part);
    return true;
  }
  // All its vertices but one are a cover.
  bool const solved = part.live <= search.small && solve_small(part.live, part.live, false);
  enter(Activity::components);
  return solved;
}

/// Two entries or none: the branch, and a component for what is not handed on. What has been taken
/// since `before` is counted by contribute_taken().
template <class Search>
KOKKOS_INLINE_FUNCTION bool Explorer<Search>::open_branch(std::uint32_t& branch,
                                                          std::uint32_t& rest, std::uint32_t before,
                                                          std::uint32_t all) const {
  branch = work.from_leader([&]() { return search.registry.take(team); });
  rest =
      branch == nothing ? nothing : work.from_leader([&]() { return search.registry.take(team); });
  if (rest == nothing) {
    work.leader([&]() {
      if (branch != nothing) {
        search.registry.give(team, branch);
      }
      ++state.unsplit;
    });
    branch = nothing;
    return false;
  }
  work.leader([&]() {
    // Itself, as long as it looks for components, and the rest.
    search.registry.open(branch, before, 2, node().entry, node().first / 32, node().end / 32,
                         nothing, all);
  });
  write_taken(branch);
  return true;
}

template <class Search>
KOKKOS_INLINE_FUNCTION void Explorer<Search>::write_taken(std::uint32_t branch) const {
  work.write_bits(search.registry.cover_of(branch), node().first / 32, node().end / 32,
                  [&](std::uint32_t v) { return work.degrees[v] == Work::gone; });
}

/// A component's Best to begin with (Algorithm 2, line 17): what the ancestor has left for it, or
/// all its vertices but one. The latter is a cover, and stands in the entry's row.
template <class Search>
KOKKOS_INLINE_FUNCTION std::uint32_t
Explorer<Search>::first_best(std::uint32_t branch, std::uint32_t before, std::uint32_t size) const {
  std::uint32_t const best = search.registry.best(search.registry.entries(branch).up);
  std::uint32_t const sum = search.registry.best(branch) + (node().cover - before);
  return Kokkos::min(best > sum ? best - sum : 0, size - 1);
}

template <class Search>
template <class Predicate>
KOKKOS_INLINE_FUNCTION void Explorer<Search>::open_part(std::uint32_t entry, std::uint32_t branch,
                                                        std::uint32_t before, Survey const& part,
                                                        Predicate const& is_in) const {
  work.leader([&]() {
    search.registry.open(entry, first_best(branch, before, part.live), 0, branch,
                         first_of(part) / 32, end_of(part) / 32, part.live - 1, part.live - 1);
  });
  work.write_bits(search.registry.cover_of(entry), first_of(part) / 32, end_of(part) / 32,
                  [&](std::uint32_t v) { return v != part.low && is_in(v); });
}

/// Hands on the component that has been visited. False: there is no entry or no slot left.
template <class Search>
KOKKOS_INLINE_FUNCTION bool
Explorer<Search>::hand_on_part(std::uint32_t branch, std::uint32_t before, Survey const& part) {
  std::uint32_t const entry = work.from_leader([&]() { return search.registry.take(team); });
  std::uint32_t const slot =
      entry == nothing ? nothing : work.from_leader([&]() { return search.free_slots.take(team); });
  if (slot == nothing) {
    work.leader([&]() {
      if (entry != nothing) {
        search.registry.give(team, entry);
      }
      ++state.unsplit;
    });
    return false;
  }
  auto const is_in = [&](std::uint32_t v) { return Work::has(work.visited, v); };
  open_part(entry, branch, before, part, is_in);
  std::uint32_t const first = first_of(part);
  std::uint32_t const end = end_of(part);
  unsigned char* const to = &search.slots(slot, 0);
  work.leader([&]() {
    head_of(to) = {entry, 0, node().base, first, end, Action::none, nothing, 1};
    search.registry.join(branch);
  });
  work.each(first, end,
            [&](std::uint32_t v) { degrees_of(to)[v] = is_in(v) ? work.degrees[v] : Degree{0}; });
  if (!put(slot, entry)) {
    work.leader([&]() {
      search.registry.leave(branch);
      search.registry.give(team, entry);
      ++state.unsplit;
    });
    return false;
  }
  work.each(first, end, [&](std::uint32_t v) {
    if (is_in(v)) {
      work.degrees[v] = 0;
    }
  });
  return true;
}

/// What is left on the board becomes a node of its own, and the branch's last component.
template <class Search>
KOKKOS_INLINE_FUNCTION void
Explorer<Search>::become_part(std::uint32_t branch, std::uint32_t rest, std::uint32_t before,
                              Survey const& part, std::uint32_t unopened, std::uint32_t found) {
  open_part(rest, branch, before, part,
            [&](std::uint32_t v) { return Work::is_live(work.degrees[v]); });
  work.leader([&]() { search.registry.join(rest); });
  contribute_taken(branch, before, unopened - (node().cover + part.live - 1));
  work.leader([&]() { search.registry.leave(branch); });  // not the last: the rest is live
  work.each(node().first, node().end, [&](std::uint32_t v) {
    if (work.degrees[v] == Work::gone) {
      work.degrees[v] = 0;
    }
  });
  work.leader([&]() {
    node().entry = rest;
    node().cover = 0;
    std::uint32_t const first = first_of(part);
    node().end = end_of(part);
    node().first = first;
    count_branch(found);
  });
}

/// The branch has found all components, and the last of them needed no search.
template <class Search>
KOKKOS_INLINE_FUNCTION typename Explorer<Search>::Split
Explorer<Search>::close_branch(std::uint32_t branch, std::uint32_t rest, std::uint32_t before,
                               std::uint32_t unopened, std::uint32_t found) {
  contribute_taken(branch, before, unopened - node().cover);
  work.leader([&]() {
    search.registry.give(team, rest);
    count_branch(found);
  });
  std::uint32_t const component = leave_branch(branch, 2);  // itself, and the rest
  if (component != nothing) {
    close_component(component);
  }
  return Split::done;
}

/// What the branch itself has taken since it was opened; and all its components are open now.
template <class Search>
KOKKOS_INLINE_FUNCTION void Explorer<Search>::contribute_taken(std::uint32_t branch,
                                                               std::uint32_t before,
                                                               std::uint32_t excess) const {
  merge(
      search.registry.cover_of(branch),
      [&](std::uint32_t i) {
        return Work::bits_of(i, [&](std::uint32_t v) { return work.degrees[v] == Work::gone; });
      },
      node().first / 32, node().end / 32);
  work.leader([&]() {
    search.registry.add(branch, node().cover - before);
    if constexpr (Search::answers) {
      lower_total(search.registry.settle(branch, excess));
    }
  });
}

}  // namespace taper::vertex_cover::paper
