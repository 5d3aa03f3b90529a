// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/backend.hpp>
#include <taper/bit_fields.hpp>
#include <taper/vertex_cover/component_search/index_pool.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace taper::vertex_cover::component_search {

/// The size of a cover, and the row of Registry::covers that holds it, in one word. One atomic
/// operation changes both. A smaller word is a smaller cover.
using SizedCover = BitFields<AtomicWord, 32, 32>;
inline constexpr std::size_t cover_size_field = 0;
inline constexpr std::size_t cover_row_field = 1;

KOKKOS_INLINE_FUNCTION std::uint32_t size_of(AtomicWord cover) {
  return static_cast<std::uint32_t>(SizedCover::get<cover_size_field>(cover));
}
KOKKOS_INLINE_FUNCTION std::uint32_t row_of(AtomicWord cover) {
  return static_cast<std::uint32_t>(SizedCover::get<cover_row_field>(cover));
}

/// An entry of the component branch registry (Section III-C): a component, or a branch on
/// components. A branch here is the node whose graph has split.
struct Entry {
  /// A component's Best, and the cover of that size. A branch's Sum, and the cover that it and its
  /// components have contributed so far.
  AtomicWord cover;
  /// A component's LiveNodes: nodes that are not complete. A branch's LiveComps: components that
  /// are not solved, plus 1 while the branch searches for components.
  std::uint32_t pending;
  /// ParentIdx of a component, AncestorIdx of a branch; `nothing` for a root.
  std::uint32_t parent;
  /// The range of its vertices in words of 32: first_word .. end_word-1.
  std::uint32_t first_word;
  std::uint32_t end_word;
  /// A component: its number of vertices minus one, the size of the cover that its row holds at
  /// first. A branch: `nothing`. 0: the entry is free.
  std::uint32_t all_but_one;
  /// A component's Best at first. It need not be the size of a cover.
  std::uint32_t bound;
};
static_assert(sizeof(Entry) == 32);

/// Makes every entry free, and gives entry i the row i.
template <class MemorySpace>
struct ClearRegistry {
  Kokkos::View<Entry*, MemorySpace> entries;
  KOKKOS_FUNCTION void operator()(std::uint32_t i) const {
    entries(i) = {SizedCover::pack(0u, i), 0, nothing, 0, 0, 0, 0};
  }
};

/// The component branch registry (Section III-C), and the covers of its entries.
///
/// Every entry and every team always owns one row of `covers`, a set of vertices as bits. To
/// improve an entry, a team writes the better cover into its own row. Then it exchanges rows with
/// the entry by one atomic operation. So size and cover always agree, no team waits, and there is
/// always a row to write to.
///
/// `Propagates`: improvements go up to the root at once, for the parameterized problem (Section
/// III-E). Otherwise that code is left out: its mere presence makes the search a third slower.
template <class MemorySpace, bool Propagates>
struct Registry {
  static constexpr bool propagates = Propagates;

  Kokkos::View<Entry*, MemorySpace> entries;
  IndexPool<MemorySpace> free_entries;
  Kokkos::View<std::uint32_t**, Kokkos::LayoutRight, MemorySpace> covers;
  /// Empty unless `propagates`. Per entry: the size of a cover that exists, whatever the pending
  /// nodes and components will find. A component: the least such size so far. A branch: its own
  /// cover, plus the sizes of its components, plus all vertices for which it has not opened a
  /// component yet.
  Kokkos::View<std::uint32_t*, MemorySpace> attainable;

  /// Entry i starts with row i, team t with row `roots + open_entries + t`. The first `roots`
  /// entries are roots: the caller fills them and their `attainable`, and never releases them.
  template <ExecutionSpace Exec>
  Registry(Exec const& where, std::string const& label, std::uint64_t roots,
           std::uint64_t open_entries, std::uint64_t teams, std::uint64_t words)
      : entries(Kokkos::view_alloc(where, Kokkos::WithoutInitializing, label + "::entries"),
                roots + open_entries),
        free_entries(where, label + "::free", open_entries, teams),
        covers(Kokkos::view_alloc(where, Kokkos::WithoutInitializing, label + "::covers"),
               roots + open_entries + teams, words),
        attainable(Kokkos::view_alloc(where, Kokkos::WithoutInitializing, label + "::attainable"),
                   propagates ? roots + open_entries : 0),
        roots_(static_cast<std::uint32_t>(roots)) {
    Kokkos::parallel_for(label + "::clear",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint32_t>>(
                             where, 0, static_cast<std::uint32_t>(entries.extent(0))),
                         ClearRegistry<MemorySpace>{entries});
  }

  /// A free entry; `nothing` if there is none.
  KOKKOS_FUNCTION std::uint32_t allocate(std::uint32_t team) const {
    std::uint32_t const index = free_entries.acquire(team);
    return index == nothing ? nothing : roots_ + index;
  }
  KOKKOS_FUNCTION void release(std::uint32_t team, std::uint32_t entry) const {
    entries(entry).all_but_one = 0;
    free_entries.release(team, entry - roots_);
  }

  /// The row that an entry owns.
  KOKKOS_FUNCTION std::uint32_t* cover_of(std::uint32_t entry) const {
    return &covers(row_of(relaxed_load(entries(entry).cover)), 0);
  }
  /// Best of a component, Sum of a branch.
  KOKKOS_FUNCTION std::uint32_t best(std::uint32_t entry) const {
    return size_of(relaxed_load(entries(entry).cover));
  }

  /// Fills a new entry. `all_but_one`: see Entry. `all`: the entry's first `attainable`.
  KOKKOS_FUNCTION void open(std::uint32_t entry, std::uint32_t size, std::uint32_t pending,
                            std::uint32_t parent, std::uint32_t first_word, std::uint32_t end_word,
                            std::uint32_t all_but_one, std::uint32_t all) const {
    Entry& opened = entries(entry);
    AtomicWord const cover = SizedCover::pack(size, row_of(opened.cover));
    opened = {cover, pending, parent, first_word, end_word, all_but_one, size};
    if constexpr (propagates) {
      attainable(entry) = all;
    }
  }

  /// Makes the cover in `row`, of `size`, the component's best, if it is smaller. Then `row`
  /// becomes the row that the component owned. Returns the difference of the sizes, 0 if it is not
  /// smaller.
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
        memory_fence();  // release: the best before the caller's leave()
        return size_of(held) - size;
      }
      held = seen;
    }
    return 0;
  }

  /// Adds `size` vertices to a branch's Sum. The caller has added them to its row before.
  KOKKOS_FUNCTION void add_to_sum(std::uint32_t branch, std::uint32_t size) const {
    Kokkos::atomic_add(&entries(branch).cover, SizedCover::pack(size, 0u));
    memory_fence();  // release: the row and the sum before the caller's leave()
  }

  /// Subtracts `count` from an entry's pending nodes or components. Returns the number left. 0: the
  /// caller was the last, and sees all that the others have written. A caller that has written data
  /// has released them itself, since most nodes write none.
  ///
  /// A caller's reads of the entry must come before its leave(). After that, the last one may
  /// release the entry, and open() may overwrite it. On a host the atomic orders the reads
  /// (acq_rel). On a GPU that order would cost one fence per node, and the atomic is relaxed. There
  /// the race is benign: each value read has been used before, for a branch, an address or a store.
  /// So it has arrived in a register, and a later write cannot change it.
  KOKKOS_FUNCTION std::uint32_t leave(std::uint32_t entry, std::uint32_t count = 1) const {
    std::uint32_t const left = subtract(entries(entry).pending, count);
    if (left == 0) {
      memory_fence();  // acquire: what the others have released
    }
    return left;
  }

  // Propagation to the root (Section III-E). Each decrease of a component's `attainable` is due to
  // exactly one caller. That caller subtracts it from the branch above. So these sums are never too
  // small, and exact when all callers are done. The caller works on a node of the component or
  // below. So no entry on its way can be released meanwhile.
  //
  // A component may end with its bound, which is not the size of a cover. Then its branch, when
  // complete, loses its `attainable`. That was no less than the Best above, and so on up to the
  // root, whose Best counts anyhow. So a target that is reached once stays reached.

  /// A component has a cover of `size`. Propagates the improvement up to the root. Returns the
  /// decrease of the root's `attainable`.
  KOKKOS_FUNCTION TAPER_NOINLINE std::uint32_t propagate(std::uint32_t component,
                                                         std::uint32_t size) const {
    std::uint32_t gain = lower_attainable(component, size);
    std::uint32_t branch = entries(component).parent;
    while (gain > 0 && branch != nothing) {
      // relaxed: subtractions commute
      size = Kokkos::atomic_fetch_sub(&attainable(branch), gain) - gain;
      component = entries(branch).parent;
      gain = lower_attainable(component, size);
      branch = entries(component).parent;
    }
    memory_fence();  // release: before the caller's leave(), after which entries may be released
    return gain;
  }

  /// The branch has opened all its components. Its `attainable` falls by `excess`, the overestimate
  /// for the vertices without a component. Returns as propagate() does.
  KOKKOS_FUNCTION std::uint32_t settle(std::uint32_t branch, std::uint32_t excess) const {
    std::uint32_t const size = Kokkos::atomic_fetch_sub(&attainable(branch), excess) - excess;
    return propagate(entries(branch).parent, size);
  }

  /// Adds one pending node or component. The caller holds another one, so that the entry stays in
  /// use.
  KOKKOS_FUNCTION void join(std::uint32_t entry) const {
    Kokkos::atomic_add(&entries(entry).pending,
                       1u);  // relaxed: put() publishes what follows
  }

 private:
  // acq_rel: the last to leave sees what the others have written before they left. On a GPU the
  // callers' fences do that.
  KOKKOS_FUNCTION static std::uint32_t subtract(std::uint32_t& pending, std::uint32_t count) {
    KOKKOS_IF_ON_HOST((
        return std::atomic_ref<std::uint32_t>(pending).fetch_sub(count, std::memory_order_acq_rel) -
                   count;))
    KOKKOS_IF_ON_DEVICE((return Kokkos::atomic_fetch_sub(&pending, count) - count;))
  }
  KOKKOS_FUNCTION std::uint32_t lower_attainable(std::uint32_t component,
                                                 std::uint32_t size) const {
    // relaxed: it only falls, so what an old value rejects is rejected; else the minimum decides.
    if (relaxed_load(attainable(component)) <= size) {
      return 0;
    }
    std::uint32_t const old = Kokkos::atomic_fetch_min(&attainable(component), size);  // relaxed
    return old > size ? old - size : 0;
  }

  std::uint32_t roots_;
};

/// A copy of the registry in host memory, between launches. Computes the best cover of each root.
///
/// A branch with unsolved components has a cover too: its own vertices, and the best cover so far
/// of each component. During a parameterized search, Registry propagates the sizes of these covers.
/// The covers themselves are found here, in one pass over the entries.
class RegistrySnapshot {
 public:
  /// The first `roots` entries are roots.
  RegistrySnapshot(std::vector<Entry> entries, std::size_t roots)
      : entries_(std::move(entries)), roots_(roots), first_child_(entries_.size(), nothing),
        next_sibling_(entries_.size(), nothing), best_(entries_.size(), 0),
        chosen_branch_(entries_.size(), nothing) {
    for (std::size_t i = roots; i < entries_.size(); ++i) {
      if (entries_[i].all_but_one != 0) {
        next_sibling_[i] = first_child_[entries_[i].parent];
        first_child_[entries_[i].parent] = static_cast<std::uint32_t>(i);
      }
    }
    // Components, each after the one above it.
    std::vector<std::uint32_t> order(roots);
    std::iota(order.begin(), order.end(), 0u);
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (std::uint32_t b = first_child_[order[i]]; b != nothing; b = next_sibling_[b]) {
        for (std::uint32_t component = first_child_[b]; component != nothing;
             component = next_sibling_[component]) {
          order.push_back(component);
        }
      }
    }
    std::for_each(order.rbegin(), order.rend(), [&](std::uint32_t i) { evaluate(i); });
  }

  /// The size of a root's best cover, or its bound.
  std::uint32_t size(std::size_t root) const { return best_[root]; }

  /// Calls write(row, first_word, end_word) for each row of Registry::covers that is a part of the
  /// root's best cover. Requires: size(root) is less than the root's bound.
  template <class Write>
  void for_each_row(std::uint32_t root, Write const& write) const {
    std::vector<std::uint32_t> components{root};
    while (!components.empty()) {
      std::uint32_t const component = components.back();
      components.pop_back();
      std::uint32_t const branch = chosen_branch_[component];
      Entry const& source = entries_[branch == nothing ? component : branch];
      write(row_of(source.cover), source.first_word, source.end_word);
      if (branch != nothing) {
        for (std::uint32_t i = first_child_[branch]; i != nothing; i = next_sibling_[i]) {
          components.push_back(i);
        }
      }
    }
  }

 private:
  /// A component that has not improved on its bound still has its first cover, all vertices but
  /// one.
  std::uint32_t own_size(std::uint32_t component) const {
    Entry const& entry = entries_[component];
    std::uint32_t const best = size_of(entry.cover);
    return best < entry.bound || component < roots_ ? best : entry.all_but_one;
  }

  /// Computes a component's best size and branch. Requires: the components below are evaluated. The
  /// children of a component are branches, those of a branch are components.
  void evaluate(std::uint32_t component) {
    best_[component] = own_size(component);
    for (std::uint32_t branch = first_child_[component]; branch != nothing;
         branch = next_sibling_[branch]) {
      std::uint32_t sum = size_of(entries_[branch].cover);
      for (std::uint32_t i = first_child_[branch]; i != nothing; i = next_sibling_[i]) {
        sum += best_[i];
      }
      if (sum < best_[component]) {
        best_[component] = sum;
        chosen_branch_[component] = branch;
      }
    }
  }

  std::vector<Entry> entries_;
  std::size_t roots_;
  std::vector<std::uint32_t> first_child_;
  std::vector<std::uint32_t> next_sibling_;
  std::vector<std::uint32_t> best_;
  std::vector<std::uint32_t> chosen_branch_;
};

}  // namespace taper::vertex_cover::component_search
