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
  AtomicWord head;   ///< changes so far, and the first free number
  AtomicWord fresh;  ///< numbers from here on were never handed out
};

struct PoolKept {
  static constexpr std::uint32_t most = 15;
  std::uint32_t count;
  std::uint32_t index[most];
};

}  // namespace detail

/// Hands out the numbers 0 .. capacity-1, each to one worker at a time, and takes them back from
/// whoever has them then: a fixed number of records that many workers share without a lock.
///
/// Each worker keeps a few numbers by him, so that most calls touch nobody else's memory. Numbers
/// that were never handed out are not touched at all: on a host their records cost no pages.
/// What a worker has written to a record is visible to the next holder of its number.
///
/// Source: the list of free numbers is R. K. Treiber's stack ("Systems programming: coping with
///   parallelism", IBM RJ 5118, 1986), its head with a count of changes beside it against the
///   return of a number between two looks.
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
        // Where there are few numbers, none may lie idle in a worker's hands.
        room_(capacity_ >= 64 * workers ? Kept::most : 0),
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
    if (own.count > 0) {
      return own.index[--own.count];
    }
    Shared& shared = shared_();
    AtomicWord head = relaxed_load(shared.head);
    while (first_of(head) != nothing) {
      Kokkos::memory_fence();  // acquire: the link of the first, written before the head
      std::uint32_t const second = relaxed_load(next_(first_of(head)));
      AtomicWord const seen =
          Kokkos::atomic_compare_exchange(&shared.head, head, changed(head, second));
      if (seen == head) {
        Kokkos::memory_fence();  // acquire: what its last holder wrote to its record
        return first_of(head);
      }
      head = seen;
    }
    // Checked first, so that the count does not run on where all are out.
    if (relaxed_load(shared.fresh) < capacity_) {
      AtomicWord const fresh = Kokkos::atomic_fetch_add(&shared.fresh, AtomicWord{1});
      if (fresh < capacity_) {
        return static_cast<std::uint32_t>(fresh);
      }
    }
    return nothing;
  }

  KOKKOS_FUNCTION void give(std::uint32_t worker, std::uint32_t index) const {
    Kept& own = kept_(worker);
    if (own.count < room_) {
      own.index[own.count++] = index;
      return;
    }
    Shared& shared = shared_();
    AtomicWord head = relaxed_load(shared.head);
    for (;;) {
      relaxed_store(next_(index), first_of(head));
      Kokkos::
          memory_fence();  // release: the link and the record, before the head says that it is free
      AtomicWord const seen =
          Kokkos::atomic_compare_exchange(&shared.head, head, changed(head, index));
      if (seen == head) {
        return;
      }
      head = seen;
    }
  }

 private:
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  using Shared = detail::PoolShared;
  using Kept = detail::PoolKept;

  KOKKOS_FUNCTION static std::uint32_t first_of(AtomicWord head) {
    return static_cast<std::uint32_t>(head);
  }
  KOKKOS_FUNCTION static AtomicWord changed(AtomicWord head, std::uint32_t first) {
    return ((head >> 32) + 1) << 32 | first;
  }

  std::uint32_t capacity_;
  Kokkos::View<Shared, MemorySpace> shared_;
  Kokkos::View<std::uint32_t*, MemorySpace> next_;
  std::uint32_t room_;
  Kokkos::View<Kept*, MemorySpace> kept_;
};

}  // namespace taper
