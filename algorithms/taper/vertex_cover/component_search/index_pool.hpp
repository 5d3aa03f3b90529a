// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/backend.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace taper::vertex_cover::component_search {

struct IndexPoolShared {
  AtomicWord head;   ///< upper half: the number of changes; lower half: the first free bundle
  AtomicWord fresh;  ///< indices from here on have never been handed out
};

/// Links of the lists of free indices; `nothing` ends a list.
struct IndexPoolLink {
  std::uint32_t bundle;  ///< at the first index of a bundle: the first index of the next bundle
  std::uint32_t index;   ///< the next index in the same bundle
};

/// The free indices that one worker keeps for itself.
struct IndexPoolCache {
  static constexpr std::uint32_t max_count = 30;
  std::uint32_t count;
  std::uint32_t index[max_count + 1];
};

/// Hands out the indices 0 .. capacity-1, each to one worker at a time: a lock-free allocator for a
/// fixed number of records.
///
/// Any worker may release an index, not only the one that acquired it. What a worker has written to
/// a record is visible to the next holder of its index.
///
/// Each worker caches a few indices and exchanges whole bundles with the shared list. So most calls
/// access no shared memory. If thousands of workers changed the list head in every call, a GPU
/// would reach at most a million calls per second.
/// Indices that were never handed out are not touched. On a host their records cost no pages.
///
/// Source: the list of free bundles is R. K. Treiber's stack ("Systems programming: coping with
///   parallelism", IBM RJ 5118, 1986). A count of changes beside its head solves the ABA problem:
///   a bundle may leave and return between two reads of the head.
/// Used by: Registry, for its entries; Search, for the storage of nodes.
template <class MemorySpace>
class IndexPool {
 public:
  /// `workers`: the number of workers that call acquire() and release(). Each passes its own number
  /// as `worker`. `available`: hands out indices less than this, until make_available().
  template <ExecutionSpace Exec>
  IndexPool(Exec const& where, std::string const& label, std::uint64_t capacity,
            std::uint64_t workers, std::uint64_t available = nothing - 1)
      : capacity_(static_cast<std::uint32_t>(std::min<std::uint64_t>(capacity, nothing - 1))),
        available_(static_cast<std::uint32_t>(std::min<std::uint64_t>(available, capacity_))),
        shared_(Kokkos::view_alloc(where, label + "::shared")),
        next_(Kokkos::view_alloc(where, Kokkos::WithoutInitializing, label + "::next"), capacity_),
        // All caches together hold at most a quarter of the indices.
        max_cached_(static_cast<std::uint32_t>(
            std::min<std::uint64_t>(capacity_ / (4 * workers), Cache::max_count))),
        caches_(Kokkos::view_alloc(where, label + "::caches"), workers) {
    Kokkos::deep_copy(where, shared_, Shared{AtomicWord{nothing}, 0});
  }

  std::uint64_t capacity() const { return capacity_; }

  /// An upper bound: every index that was ever handed out is less.
  template <ExecutionSpace Exec>
  std::uint32_t used(Exec const& where) const {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(shared(where).fresh, available_));
  }

  /// Hands out indices less than `count` from now on, of those less than capacity(). Requires: no
  /// worker uses the pool. Copies that workers use later must be made after this call.
  template <ExecutionSpace Exec>
  void make_available(Exec const& where, std::uint64_t count) {
    Shared now = shared(where);
    now.fresh = std::min<AtomicWord>(now.fresh, available_);  // workers count beyond the last index
    Kokkos::deep_copy(where, shared_, now);
    available_ =
        static_cast<std::uint32_t>(std::clamp<std::uint64_t>(count, available_, capacity_));
  }

  /// A free index, or `nothing` if there is none.
  KOKKOS_FUNCTION std::uint32_t acquire(std::uint32_t worker) const {
    Cache& own = caches_(worker);
    if (own.count == 0 && !fetch_bundle(own)) {
      fetch_fresh(own);
    }
    return own.count == 0 ? nothing : own.index[--own.count];
  }

  KOKKOS_FUNCTION void release(std::uint32_t worker, std::uint32_t index) const {
    Cache& own = caches_(worker);
    own.index[own.count++] = index;
    if (own.count > max_cached_) {
      return_bundle(own);
    }
  }

 private:
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  using Shared = IndexPoolShared;
  using Link = IndexPoolLink;
  using Cache = IndexPoolCache;

  template <ExecutionSpace Exec>
  Shared shared(Exec const& where) const {
    Shared now{};
    Kokkos::deep_copy(where, Kokkos::View<Shared, Kokkos::HostSpace, Unmanaged>(&now), shared_);
    where.fence("taper::vertex_cover::component_search: wait for the number of used indices");
    return now;
  }

  KOKKOS_FUNCTION std::uint32_t bundle_size() const { return max_cached_ / 2 + 1; }

  /// Pops a bundle from the shared list. False: the list is empty.
  KOKKOS_FUNCTION bool fetch_bundle(Cache& own) const {
    Shared& shared = shared_();
    AtomicWord head = relaxed_load(shared.head);
    while (first_of(head) != nothing) {
      memory_fence();  // acquire: the link at the first index was written before the head
      // Another worker may pop this bundle and overwrite the link. Then the head has changed, and
      // the compare-exchange fails.
      std::uint32_t const second = relaxed_load(next_(first_of(head)).bundle);
      AtomicWord const seen =
          Kokkos::atomic_compare_exchange(&shared.head, head, changed(head, second));
      if (seen == head) {
        memory_fence();  // acquire: what the last holders wrote to their records
        for (std::uint32_t i = first_of(head); i != nothing; i = relaxed_load(next_(i).index)) {
          own.index[own.count++] = i;
        }
        return true;
      }
      head = seen;
    }
    return false;
  }

  /// Takes indices that were never handed out, if there are any.
  KOKKOS_FUNCTION void fetch_fresh(Cache& own) const {
    Shared& shared = shared_();
    // The check keeps the count from growing without limit once all indices are out.
    if (relaxed_load(shared.fresh) < available_) {
      AtomicWord const fresh = Kokkos::atomic_fetch_add(&shared.fresh, AtomicWord{bundle_size()});
      AtomicWord const end = Kokkos::min(fresh + bundle_size(), AtomicWord{available_});
      for (AtomicWord i = end; i-- > fresh;) {
        own.index[own.count++] = static_cast<std::uint32_t>(i);
      }
    }
  }

  /// Pushes a bundle of the most recently released indices to the shared list.
  KOKKOS_FUNCTION void return_bundle(Cache& own) const {
    std::uint32_t next = nothing;
    for (std::uint32_t i = 0; i < bundle_size(); ++i) {
      std::uint32_t const index = own.index[--own.count];
      relaxed_store(next_(index).index, next);
      next = index;
    }
    Shared& shared = shared_();
    AtomicWord head = relaxed_load(shared.head);  // relaxed: the exchange decides
    for (;;) {
      relaxed_store(next_(next).bundle, first_of(head));
      memory_fence();  // release: links and records, before the head that makes them available
      AtomicWord const seen =
          Kokkos::atomic_compare_exchange(&shared.head, head, changed(head, next));
      if (seen == head) {
        return;
      }
      head = seen;
    }
  }

  KOKKOS_FUNCTION static std::uint32_t first_of(AtomicWord head) {
    return static_cast<std::uint32_t>(head);
  }
  /// The head with one more change and a new first bundle.
  KOKKOS_FUNCTION static AtomicWord changed(AtomicWord head, std::uint32_t first) {
    return ((head >> 32) + 1) << 32 | first;
  }

  std::uint32_t capacity_;
  std::uint32_t available_;  ///< at most capacity_
  Kokkos::View<Shared, MemorySpace> shared_;
  Kokkos::View<Link*, MemorySpace> next_;
  std::uint32_t max_cached_;
  Kokkos::View<Cache*, MemorySpace> caches_;
};

}  // namespace taper::vertex_cover::component_search
