// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/paper/explorer.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::vertex_cover::paper {

/// The node has covered its graph: what it has taken is a cover of its component.
template <class Search>
KOKKOS_INLINE_FUNCTION void Explorer<Search>::record_cover() const {
  if (work.from_leader([&]() -> std::uint32_t {
        return node().cover < search.registry.best(node().entry);
      }) == 0) {
    return;
  }
  work.write_bits(&search.registry.covers(work.desk.row, 0), node().first / 32, node().end / 32,
                  [&](std::uint32_t v) { return work.degrees[v] == Work::gone; });
  work.leader([&]() { improve(node().entry, node().cover, work.desk.row); });
}

/// The leader's.
template <class Search>
KOKKOS_INLINE_FUNCTION void Explorer<Search>::improve(std::uint32_t component, std::uint32_t size,
                                                      std::uint32_t& row) const {
  auto const& registry = search.registry;
  std::uint32_t const gain = registry.improve(component, size, row);
  if (gain == 0) {
    return;
  }
  if constexpr (Search::answers) {
    lower_total(registry.carry_up(component, size));
  } else if (registry.entries(component).up == nothing) {
    lower_total(gain);
  }
}

/// The leader's. A root is good for so many vertices less.
template <class Search>
KOKKOS_INLINE_FUNCTION void Explorer<Search>::lower_total(std::uint32_t gain) const {
  // relaxed: the host reads the covers after the launch
  if (gain > 0 && Kokkos::atomic_fetch_sub(&control().total, gain) - gain <= search.enough) {
    stop(answered);
  }
}

/// Adds vertices to a branch's cover, to which others may be adding theirs.
template <class Search>
template <class Bits>
KOKKOS_INLINE_FUNCTION void Explorer<Search>::merge(std::uint32_t* into, Bits const& bits,
                                                    std::uint32_t first, std::uint32_t end) const {
  work.each(first, end, [&](std::uint32_t i) {
    std::uint32_t const more = bits(i);
    if (more != 0) {
      Kokkos::atomic_or(&into[i], more);  // relaxed: released by add()
    }
  });
}

/// All nodes of a component are done. The last descendant does what is to be done after a
/// component, and after a branch, and so on upwards (Section III-C).
template <class Search>
KOKKOS_INLINE_FUNCTION void Explorer<Search>::close_component(std::uint32_t component) {
  auto const& registry = search.registry;
  for (;;) {
    Entry const& solved = registry.entries(component);
    std::uint32_t const branch = solved.up;
    if (branch == nothing) {
      work.leader([&]() {
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
    work.leader([&]() {
      registry.add(branch, registry.best(component));
      registry.give(team, component);
    });
    component = leave_branch(branch, 1);
    if (component == nothing) {
      return;
    }
  }
}

/// `count` of a branch's live ones are done. If they were the last, so is the branch, one of the
/// nodes of its component; returns that component if this node was its last, else `nothing`.
template <class Search>
KOKKOS_INLINE_FUNCTION std::uint32_t Explorer<Search>::leave_branch(std::uint32_t branch,
                                                                    std::uint32_t count) {
  auto const& registry = search.registry;
  return work.from_leader([&]() {
    if (registry.leave(branch, count) != 0) {
      return nothing;
    }
    Entry& solved = registry.entries(branch);
    std::uint32_t const ancestor = solved.up;
    std::uint32_t row = row_of(solved.cover);
    improve(ancestor, size_of(solved.cover), row);
    solved.cover = SizedCover::pack(size_of(solved.cover), row);
    registry.give(team, branch);
    return registry.leave(ancestor) == 0 ? ancestor : nothing;
  });
}

}  // namespace taper::vertex_cover::paper
