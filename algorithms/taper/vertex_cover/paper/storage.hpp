// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/paper/explorer.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::vertex_cover::paper {

template <class Search>
KOKKOS_INLINE_FUNCTION void Explorer<Search>::load(std::uint32_t item) {
  if (item >= slots()) {
    load_root(item - slots());
  } else {
    load_slot(&search.slots(item, 0));
    work.leader([&]() { search.free_slots.give(team, item); });
  }
  if (work.from_leader([&]() -> std::uint32_t { return creditor != node().entry; }) != 0) {
    repay();
  }
  act(node().action, node().vertex);
}

template <class Search>
KOKKOS_INLINE_FUNCTION void Explorer<Search>::load_root(std::uint32_t index) {
  Root const& root = search.roots(index);
  std::uint32_t const end = (root.size + 31) / 32 * 32;
  work.leader([&]() {
    node() = {index, 0, root.base, 0, end, root.action, nothing, 0};
    work.desk.low = 0;
    work.desk.high = end;
  });
  work.each(0, end, [&](std::uint32_t v) {
    work.degrees[v] =
        v < root.size ? static_cast<Degree>(work.row_end(v) - work.row_begin(v)) : Degree{0};
  });
}

template <class Search>
KOKKOS_INLINE_FUNCTION void Explorer<Search>::load_slot(unsigned char* slot) const {
  work.leader([&]() {
    node() = head_of(slot);
    work.desk.low = node().first;
    work.desk.high = node().end;
  });
  work.copy(work.degrees, degrees_of(slot), node().first, node().end);
}

template <class Search>
KOKKOS_INLINE_FUNCTION void Explorer<Search>::store_slot(unsigned char* slot, Action action,
                                                         std::uint32_t vertex) const {
  work.leader([&]() {
    NodeHead head = node();
    head.action = action;
    head.vertex = vertex;
    head.connected = 0;
    head_of(slot) = head;
  });
  work.copy(degrees_of(slot), work.degrees, node().first, node().end);
}

template <class Search>
KOKKOS_INLINE_FUNCTION void Explorer<Search>::act(Action action, std::uint32_t vertex) {
  enter(Activity::branching);
  switch (action) {
  case Action::none:
    break;
  case Action::examine:
    work.examine_all();
    break;
  case Action::take_vertex:
    work.take_vertex(vertex);
    break;
  case Action::take_neighbours:
    work.take_neighbours(vertex);
    break;
  }
}

/// Hands the node on with an action to be done first. False: there is no room for it.
template <class Search>
KOKKOS_INLINE_FUNCTION bool Explorer<Search>::hand_on(Action action, std::uint32_t vertex) {
  enter(Activity::storage);
  std::uint32_t const slot = work.from_leader([&]() { return search.free_slots.take(team); });
  if (slot == nothing) {
    return false;
  }
  store_slot(&search.slots(slot, 0), action, vertex);
  return put(slot, node().entry);
}

/// The slot's node is now one of `entry`'s live ones, and anybody's.
template <class Search>
KOKKOS_INLINE_FUNCTION bool Explorer<Search>::put(std::uint32_t slot, std::uint32_t entry) {
  return work.from_leader([&]() -> std::uint32_t { return publish(slot, entry); }) != 0;
}

/// The leader's part of that.
template <class Search>
KOKKOS_INLINE_FUNCTION bool Explorer<Search>::publish(std::uint32_t slot, std::uint32_t entry) {
  bool const on_credit = credit > 0 && creditor == entry;
  if (on_credit) {
    --credit;
  } else {
    search.registry.join(entry);
  }
  if (search.balance.put(team, slot)) {
    return true;
  }
  if (on_credit) {
    ++credit;
  } else {
    search.registry.leave(entry);
  }
  search.free_slots.give(team, slot);
  return false;
}

// A node that is done and one that is new mostly follow one another, and are of one component.
// So a team keeps to itself that nodes are done, and gives their places among the live ones to
// new nodes, until it turns to another component or to none. A component that has more live
// nodes than it knows is not taken for solved too early; nor too late, since whoever holds back
// is working at a node of it.

template <class Search>
KOKKOS_INLINE_FUNCTION void Explorer<Search>::complete_node() {
  std::uint32_t const entry = node().entry;
  if (work.from_leader([&]() -> std::uint32_t { return credit > 0 && creditor != entry; }) != 0) {
    repay();
  }
  work.leader([&]() {
    creditor = entry;
    ++credit;
  });
}

template <class Search>
KOKKOS_INLINE_FUNCTION void Explorer<Search>::repay() {
  std::uint32_t const count = work.from_leader([&]() {
    std::uint32_t const owed = credit;
    credit = 0;
    return owed;
  });
  if (count != 0) {
    std::uint32_t const component = work.from_leader([&]() { return creditor; });
    if (work.from_leader([&]() { return search.registry.leave(component, count); }) == 0) {
      close_component(component);
    }
  }
}

}  // namespace taper::vertex_cover::paper
