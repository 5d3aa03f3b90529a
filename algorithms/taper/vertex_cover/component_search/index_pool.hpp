// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/polling.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace taper {

namespace detail {

struct PoolShared {
  AtomicWord head;   ///< changes so far, and the first bundle of free numbers
  AtomicWord fresh;  ///< numbers from here on were never handed out
};

/// Where a bundle begins: the first of the next one. In a bundle: the next number; `nothing`: the end.
struct PoolLink {
  std::uint32_t bundle;
  std::uint32_t number;
};

struct PoolKept {
  static constexpr std::uint32_t most = 30;
  std::uint32_t count;
  std::uint32_t index[most + 1];
};

}  // namespace detail

/// Hands out the numbers 0 .. capacity-1, each to one worker at a time, and takes them back from
/// whoever has them then: a fixed number of records that many workers share without a lock.
///
/// Each worker keeps a few numbers by him, and gets and returns them by the bundle, so that most calls
/// touch nobody else's memory: thousands of workers that all change the one head of a list get no
/// more than a million changes a second out of a GPU. Numbers that were never handed out are not
/// touched at all: on a host their records cost no pages.
/// What a worker has written to a record is visible to the next holder of its number.
///
/// Source: the list of free bundles is R. K. Treiber's stack ("Systems programming: coping with
///   parallelism", IBM RJ 5118, 1986), its head with a count of changes beside it against the
///   return of a bundle between two looks.
template <class MemorySpace>
class IndexPool {
 public:
  /// `workers` of them call take() and give(), each under a number of his own.
  template <ExecutionSpace Exec>
  IndexPool(Exec const& where, std::string const& label, std::uint64_t capacity,
            std::uint64_t workers)
      : capacity_(static_cast<std::uint32_t>(std::min<std::uint64_t>(capacity, nothing - 1))),
        shared_(Kokkos::view_alloc(where, label + "::shared")),
        next_(Kokkos::view_alloc(where, Kokkos::WithoutInitializing, label + "::next"), capacity_),
        // Where there are few numbers, few may lie idle in the workers' hands.
        room_(static_cast<std::uint32_t>(
            std::min<std::uint64_t>(capacity_ / (4 * workers), Kept::most))),
        kept_(Kokkos::view_alloc(where, label + "::kept"), workers) {
    Kokkos::deep_copy(where, shared_, Shared{AtomicWord{nothing}, 0});
  }

  std::uint64_t capacity() const { return capacity_; }

  /// How many numbers have ever been handed out: those below it.
  template <ExecutionSpace Exec>
  std::uint32_t used(Exec const& where) const {
    Shared now{};
    Kokkos::deep_copy(where, Kokkos::View<Shared, Kokkos::HostSpace, Unmanaged>(&now), shared_);
    where.fence("taper::IndexPool: how many have been handed out");
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(now.fresh, capacity_));
  }

  /// A number that nobody has; `nothing` if there is none.
  KOKKOS_FUNCTION std::uint32_t take(std::uint32_t worker) const {
    Kept& own = kept_(worker);
    if (own.count == 0 && !take_bundle(own)) {
      take_fresh(own);
    }
    return own.count == 0 ? nothing : own.index[--own.count];
  }

  KOKKOS_FUNCTION void give(std::uint32_t worker, std::uint32_t index) const {
    Kept& own = kept_(worker);
    own.index[own.count++] = index;
    if (own.count > room_) {
      give_bundle(own);
    }
  }

 private:
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  using Shared = detail::PoolShared;
  using Link = detail::PoolLink;
  using Kept = detail::PoolKept;

  KOKKOS_FUNCTION std::uint32_t bundle() const { return room_ / 2 + 1; }

  KOKKOS_FUNCTION bool take_bundle(Kept& own) const {
    Shared& shared = shared_();
    AtomicWord head = relaxed_load(shared.head);
    while (first_of(head) != nothing) {
      memory_fence();  // acquire: the first's link, written before the head
      std::uint32_t const second = relaxed_load(next_(first_of(head)).bundle);
      AtomicWord const seen =
          Kokkos::atomic_compare_exchange(&shared.head, head, changed(head, second));
      if (seen == head) {
        memory_fence();  // acquire: what their last holders wrote to their records
        for (std::uint32_t i = first_of(head); i != nothing; i = relaxed_load(next_(i).number)) {
          own.index[own.count++] = i;
        }
        return true;
      }
      head = seen;
    }
    return false;
  }

  KOKKOS_FUNCTION void take_fresh(Kept& own) const {
    Shared& shared = shared_();
    // Checked first, so that the count does not run on where all are out.
    if (relaxed_load(shared.fresh) < capacity_) {
      AtomicWord const fresh = Kokkos::atomic_fetch_add(&shared.fresh, AtomicWord{bundle()});
      AtomicWord const end = Kokkos::min(fresh + bundle(), AtomicWord{capacity_});
      for (AtomicWord i = end; i-- > fresh;) {
        own.index[own.count++] = static_cast<std::uint32_t>(i);
      }
    }
  }

  /// Those that the worker got last.
  KOKKOS_FUNCTION void give_bundle(Kept& own) const {
    std::uint32_t next = nothing;
    for (std::uint32_t i = 0; i < bundle(); ++i) {
      std::uint32_t const index = own.index[--own.count];
      relaxed_store(next_(index).number, next);
      next = index;
    }
    Shared& shared = shared_();
    AtomicWord head = relaxed_load(shared.head);
    for (;;) {
      relaxed_store(next_(next).bundle, first_of(head));
      memory_fence();  // release: links and records, before the head says that they are free
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
  KOKKOS_FUNCTION static AtomicWord changed(AtomicWord head, std::uint32_t first) {
    return ((head >> 32) + 1) << 32 | first;
  }

  std::uint32_t capacity_;
  Kokkos::View<Shared, MemorySpace> shared_;
  Kokkos::View<Link*, MemorySpace> next_;
  std::uint32_t room_;
  Kokkos::View<Kept*, MemorySpace> kept_;
};

}  // namespace taper
