// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/backend.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

namespace taper {

namespace detail {

/// The positions of a deque's oldest item and of the entry after its newest.
struct alignas(64) DequeEnds {
  AtomicWord top;
  AtomicWord bottom;
};

}  // namespace detail

/// One work-stealing deque of items per worker, for kernels. The owner puts and takes the newest
/// item at one end; thieves steal the oldest item at the other end. A worker that gets an item sees
/// what was written before put().
///
/// No call waits. A thief that meets another thief, or the owner at the last item, returns without
/// an item. The capacity is fixed, and put() on a full deque fails.
///
/// Source: Chase and Lev, "Dynamic circular work-stealing deque", SPAA 2005, with the fences of Lê,
///   Pop, Cohen and Zappa Nardelli, "Correct and efficient work-stealing for weak memory models",
///   PPoPP 2013. ChaseLev has memory orders instead of fences: device code has only fences.
/// Used by: StealingDeques (work_queues.hpp), in tree search and vertex cover.
template <class MemorySpace>
class DeviceDeques {
 public:
  /// `workers` deques, each with room for `capacity` items, rounded up to a power of two.
  template <ExecutionSpace Exec>
  DeviceDeques(Exec const& where, std::string const& label, std::uint64_t workers,
               std::uint64_t capacity)
      : mask_(std::bit_ceil(std::max<std::uint64_t>(capacity, 1)) - 1),
        ends_(Kokkos::view_alloc(where, label + "::ends"), workers),
        items_(Kokkos::view_alloc(where, Kokkos::WithoutInitializing, label + "::items"), workers,
               mask_ + 1) {}

  std::uint64_t capacity() const { return mask_ + 1; }

  /// Called by the owner. False: the deque is full.
  KOKKOS_FUNCTION bool put(std::uint32_t owner, std::uint32_t item) const {
    Ends& ends = ends_(owner);
    AtomicWord const bottom = ends.bottom;  // written only by the owner
    if (bottom - relaxed_load(ends.top) > mask_) {
      return false;  // relaxed: an outdated top only makes the deque appear fuller
    }
    // The item is overwritten after the top was read, since the store depends on the branch: no
    // processor makes a store before it knows that it has to.
    relaxed_store(items_(owner, bottom & mask_), item);
    memory_fence();  // release: the item and its data, before the new bottom
    relaxed_store(ends.bottom, bottom + 1);
    return true;
  }

  /// Called by the owner. The newest item, or `nothing` if the deque is empty.
  KOKKOS_FUNCTION std::uint32_t take(std::uint32_t owner) const {
    Ends& ends = ends_(owner);
    AtomicWord const end = ends.bottom;
    if (relaxed_load(ends.top) == end) {
      return nothing;  // the top never passes the bottom, and only the owner moves the bottom
    }
    AtomicWord const bottom = end - 1;
    relaxed_store(ends.bottom, bottom);
    memory_fence();  // seq_cst: thieves read the new bottom, or this worker reads their top
    AtomicWord const top = relaxed_load(ends.top);
    if (top < bottom) {
      return relaxed_load(items_(owner, bottom & mask_));
    }
    std::uint32_t item = nothing;
    if (top == bottom) {  // the last item goes to the worker that moves the top
      item = relaxed_load(items_(owner, bottom & mask_));
      if (Kokkos::atomic_compare_exchange(&ends.top, top, top + 1) != top) {
        item = nothing;
      }
    }
    relaxed_store(ends.bottom, end);
    return item;
  }

  /// Called by workers other than the owner. The oldest item of `victim`, or `nothing` if its deque
  /// is empty or another worker has taken the item first.
  KOKKOS_FUNCTION std::uint32_t steal(std::uint32_t victim) const {
    Ends& ends = ends_(victim);
    AtomicWord const top = relaxed_load(ends.top);
    memory_fence();  // seq_cst: the top before the bottom, see take()
    AtomicWord const bottom = relaxed_load(ends.bottom);
    if (top >= bottom) {
      return nothing;
    }
    memory_fence();  // acquire: what was written before the bottom
    std::uint32_t const item = relaxed_load(items_(victim, top & mask_));
    // release: the item is read before the top moves; then the owner may overwrite it. Kokkos'
    // exchange is relaxed, so that a processor such as AArch64 may read the item after it.
    memory_fence();
    // The top never decreases. While it is unchanged, the owner has not overwritten the item.
    if (Kokkos::atomic_compare_exchange(&ends.top, top, top + 1) != top) {
      return nothing;
    }
    memory_fence();  // acquire: the caller's reads of the item's data come after the exchange
    return item;
  }

  /// False if steal() from this worker is worth a call.
  KOKKOS_FUNCTION bool seems_empty(std::uint32_t victim) const {
    Ends const& ends = ends_(victim);
    // relaxed: a hint; steal() decides.
    return relaxed_load(ends.top) >= relaxed_load(ends.bottom);
  }

 private:
  using Ends = detail::DequeEnds;

  std::uint64_t mask_;
  Kokkos::View<Ends*, MemorySpace> ends_;
  Kokkos::View<std::uint32_t**, Kokkos::LayoutRight, MemorySpace> items_;
};

}  // namespace taper
