// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/index_pool.hpp>
#include <taper/packed.hpp>
#include <taper/polling.hpp>

#include <Kokkos_Core.hpp>

#include <atomic>
#include <cstdint>
#include <string>

namespace taper::vertex_cover::paper {

/// The size of a cover and the row of Registry::covers that holds it, in one word, so that one
/// atomic operation changes both, and smaller words are smaller covers.
using SizedCover = Packed<AtomicWord, 32, 32>;
inline constexpr std::size_t cover_size_field = 0;
inline constexpr std::size_t cover_row_field = 1;

KOKKOS_INLINE_FUNCTION std::uint32_t size_of(AtomicWord cover) {
  return static_cast<std::uint32_t>(SizedCover::get<cover_size_field>(cover));
}
KOKKOS_INLINE_FUNCTION std::uint32_t row_of(AtomicWord cover) {
  return static_cast<std::uint32_t>(SizedCover::get<cover_row_field>(cover));
}

/// An entry of the component branch registry (Section III-C): a component that is being solved on
/// its own, or a branch, the node whose graph fell apart into components.
struct Entry {
  /// A component's Best, with the cover it is the size of; a branch's Sum, with the cover that its
  /// components have contributed so far.
  AtomicWord cover;
  /// A component's nodes still to be visited; a branch's components still to be solved, itself
  /// counted as long as it looks for more.
  std::uint32_t live;
  /// A component's branch, a branch's component; `nothing` above a root.
  std::uint32_t up;
  /// The vertices that its covers speak about, as words of 32: whole words, from first to end.
  std::uint32_t first_word;
  std::uint32_t end_word;
  /// A component's: the size of the cover that its row held at first, all its vertices but one; a
  /// branch's: `nothing`; 0: the entry is free.
  std::uint32_t all_but_one;
  /// A component's Best at first, which need not be the size of a cover.
  std::uint32_t bound;
};
static_assert(sizeof(Entry) == 32);

/// Every entry free, and with the row of its own number.
template <class MemorySpace>
struct ClearRegistry {
  Kokkos::View<Entry*, MemorySpace> entries;
  KOKKOS_FUNCTION void operator()(std::uint32_t i) const {
    entries(i) = {SizedCover::pack(0u, i), 0, nothing, 0, 0, 0, 0};
  }
};

/// The component branch registry, and the covers that belong to it.
///
/// Every entry, and every team, always has one row of `covers`. Whoever improves an entry writes the
/// better cover into his own row, and then changes rows with the entry by one atomic operation: size
/// and cover never disagree, nobody waits, and there is always a row to write to.
///
/// `Carries`: sizes are carried up, for a search that ends with an answer; any other one would be
/// a third slower by the code alone.
template <class MemorySpace, bool Carries>
struct Registry {
  static constexpr bool carries_up = Carries;

  Kokkos::View<Entry*, MemorySpace> entries;
  IndexPool<MemorySpace> free;
  Kokkos::View<std::uint32_t**, Kokkos::LayoutRight, MemorySpace> covers;
  /// Where covers are carried up, else empty: the size of a cover that each entry is good for by now,
  /// whatever its live ones find. A component's: the least one that has been known; a branch's: what it
  /// has taken, what its components are good for, and all vertices for which it has not yet opened one.
  Kokkos::View<std::uint32_t*, MemorySpace> known;

  /// Team `t` starts with row `entries + t`, entry `i` with row `i`. The first `roots` entries are
  /// the caller's to fill, as is what is known of them, and are never given back.
  template <ExecutionSpace Exec>
  Registry(Exec const& where, std::string const& label, std::uint64_t roots,
           std::uint64_t open_entries, std::uint64_t teams, std::uint64_t words)
      : entries(Kokkos::view_alloc(where, Kokkos::WithoutInitializing, label + "::entries"),
                roots + open_entries),
        free(where, label + "::free", open_entries, teams),
        covers(Kokkos::view_alloc(where, Kokkos::WithoutInitializing, label + "::covers"),
               roots + open_entries + teams, words),
        known(Kokkos::view_alloc(where, Kokkos::WithoutInitializing, label + "::known"),
              carries_up ? roots + open_entries : 0),
        roots_(static_cast<std::uint32_t>(roots)) {
    Kokkos::parallel_for(label + "::clear",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint32_t>>(
                             where, 0, static_cast<std::uint32_t>(entries.extent(0))),
                         ClearRegistry<MemorySpace>{entries});
  }

  KOKKOS_FUNCTION std::uint32_t take(std::uint32_t team) const {
    std::uint32_t const index = free.take(team);
    return index == nothing ? nothing : roots_ + index;
  }
  KOKKOS_FUNCTION void give(std::uint32_t team, std::uint32_t entry) const {
    entries(entry).all_but_one = 0;
    free.give(team, entry - roots_);
  }

  /// The row that an entry has, whatever it is used for.
  KOKKOS_FUNCTION std::uint32_t* cover_of(std::uint32_t entry) const {
    return &covers(row_of(relaxed_load(entries(entry).cover)), 0);
  }
  KOKKOS_FUNCTION std::uint32_t best(std::uint32_t entry) const {
    return size_of(relaxed_load(entries(entry).cover));
  }

  /// `all_but_one` is `nothing` for a branch. `all` is the size of the cover that it has in any case.
  KOKKOS_FUNCTION void open(std::uint32_t entry, std::uint32_t size, std::uint32_t live,
                            std::uint32_t up, std::uint32_t first_word, std::uint32_t end_word,
                            std::uint32_t all_but_one, std::uint32_t all) const {
    Entry& opened = entries(entry);
    AtomicWord const cover = SizedCover::pack(size, row_of(opened.cover));
    opened = {cover, live, up, first_word, end_word, all_but_one, size};
    if constexpr (carries_up) {
      known(entry) = all;
    }
  }

  /// Makes a cover of `size`, in `row`, the component's best, if it is better. Then `row` becomes
  /// the one that the component had. Returns by how much it is better.
  KOKKOS_FUNCTION std::uint32_t improve(std::uint32_t component, std::uint32_t size,
                                        std::uint32_t& row) const {
    AtomicWord& best = entries(component).cover;
    AtomicWord held = relaxed_load(best);
    if (size >= size_of(held)) {
      return 0;
    }
    memory_fence();  // release: the cover before its row can be read
    while (size < size_of(held)) {
      AtomicWord const seen =
          Kokkos::atomic_compare_exchange(&best, held, SizedCover::pack(size, row));
      if (seen == held) {
        row = row_of(held);
        memory_fence();  // release: the best before the caller leaves
        return size_of(held) - size;
      }
      held = seen;
    }
    return 0;
  }

  /// So many vertices more in a branch's sum. What they are has been written to its row before.
  KOKKOS_FUNCTION void add(std::uint32_t branch, std::uint32_t size) const {
    Kokkos::atomic_add(&entries(branch).cover, SizedCover::pack(size, 0u));
    memory_fence();  // release: the row and the sum before the caller leaves
  }

  /// `count` of an entry's live ones are done. Returns how many are left; 0: the caller was the last,
  /// and sees what all the others have written. Who has written something releases it himself: most
  /// nodes have nothing to say.
  ///
  /// What he has read of the entry is read before he leaves, after which the last may give the entry
  /// away and open() write it anew. A host's atomic says so. On a GPU, where it would cost a fence a node,
  /// it does not: by the order of instructions, not by that of memory, each value read has been used by
  /// then, for a branch, an address or a store, so it has come, and what is written later cannot change it.
  KOKKOS_FUNCTION std::uint32_t leave(std::uint32_t entry, std::uint32_t count = 1) const {
    std::uint32_t const left = lower(entries(entry).live, count);
    if (left == 0) {
      memory_fence();  // acquire: what the others have released
    }
    return left;
  }

  // Section III-E. By whatever a component's `known` falls, one caller alone made it fall, and takes that off
  // what is above: these sums are never too small, and right when all callers are done. He works at a node
  // of the component, or below: none of the entries on his way can be given back meanwhile.
  // A branch of which a component keeps its bound, which is no cover, takes along what it was good for when
  // it is closed. But that was no less than the Best above, and what rests on it no less than those further
  // up, to the root's, which counts anyhow. So what is enough once stays enough.

  /// A component has a cover of `size`: carries up to its root what that is worth. Returns how many
  /// vertices less the root is good for.
  KOKKOS_FUNCTION TAPER_NOINLINE std::uint32_t carry_up(std::uint32_t component,
                                                        std::uint32_t size) const {
    std::uint32_t gain = learn(component, size);
    std::uint32_t branch = entries(component).up;
    while (gain > 0 && branch != nothing) {
      // relaxed: what is taken off matters, not in which order
      size = Kokkos::atomic_fetch_sub(&known(branch), gain) - gain;
      component = entries(branch).up;
      gain = learn(component, size);
      branch = entries(component).up;
    }
    memory_fence();  // release: before the caller leaves, and the entries may be given back
    return gain;
  }

  /// The branch has opened all its components, and is good for `excess` vertices less than for as long
  /// as it had not. Returns as carry_up() does.
  KOKKOS_FUNCTION std::uint32_t settle(std::uint32_t branch, std::uint32_t excess) const {
    std::uint32_t const size = Kokkos::atomic_fetch_sub(&known(branch), excess) - excess;
    return carry_up(entries(branch).up, size);
  }

  /// The caller is one of the live ones himself, so that it cannot be over yet.
  KOKKOS_FUNCTION void join(std::uint32_t entry) const {
    Kokkos::atomic_add(&entries(entry).live,
                       1u);  // relaxed: what comes after is published by put()
  }

 private:
  KOKKOS_FUNCTION static std::uint32_t lower(std::uint32_t& live, std::uint32_t count) {
    KOKKOS_IF_ON_HOST(
        (return std::atomic_ref<std::uint32_t>(live).fetch_sub(count, std::memory_order_acq_rel) -
                    count;))
    KOKKOS_IF_ON_DEVICE((return Kokkos::atomic_fetch_sub(&live, count) - count;))
  }
  KOKKOS_FUNCTION std::uint32_t learn(std::uint32_t component, std::uint32_t size) const {
    if (relaxed_load(known(component)) <= size) {
      return 0;
    }
    std::uint32_t const old = Kokkos::atomic_fetch_min(&known(component), size);  // relaxed
    return old > size ? old - size : 0;
  }

  std::uint32_t roots_;
};

}  // namespace taper::vertex_cover::paper
