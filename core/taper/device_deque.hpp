// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/polling.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

namespace taper {

namespace detail {

struct alignas(64) DequeEnds {
  AtomicWord top;
  AtomicWord bottom;
};

}  // namespace detail

/// A deque of items a worker: its owner puts and takes at one end, newest first; others steal from
/// the other end, oldest first. What was written before put() is visible to whoever gets the item.
///
/// Nobody waits for anybody; a thief who meets another, or the owner at his last item, goes away
/// with nothing.
/// Source: Chase and Lev, "Dynamic circular work-stealing deque", SPAA 2005, with the fences of Lê,
///   Pop, Cohen and Zappa Nardelli, "Correct and efficient work-stealing for weak memory models",
///   PPoPP 2013; here of a fixed capacity, and a full deque refuses.
template <class MemorySpace>
class WorkStealing {
 public:
  /// A deque each for `workers`, with room for `capacity` items, rounded up to a power of two.
  template <ExecutionSpace Exec>
  WorkStealing(Exec const& where, std::string const& label, std::uint64_t workers,
               std::uint64_t capacity)
      : mask_(std::bit_ceil(std::max<std::uint64_t>(capacity, 1)) - 1),
        ends_(Kokkos::view_alloc(where, label + "::ends"), workers),
        items_(Kokkos::view_alloc(where, Kokkos::WithoutInitializing, label + "::items"), workers,
               mask_ + 1) {}

  std::uint64_t capacity() const { return mask_ + 1; }

  /// The owner's. False: it is full.
  KOKKOS_FUNCTION bool put(std::uint32_t owner, std::uint32_t item) const {
    Ends& ends = ends_(owner);
    AtomicWord const bottom = ends.bottom;  // written by the owner alone
    if (bottom - relaxed_load(ends.top) > mask_) {
      return false;  // an old `top` only makes it look fuller
    }
    relaxed_store(items_(owner, bottom & mask_), item);
    memory_fence();  // release: the item and what it stands for, before the new bottom
    relaxed_store(ends.bottom, bottom + 1);
    return true;
  }

  /// The owner's newest; `nothing` if there is none.
  KOKKOS_FUNCTION std::uint32_t take(std::uint32_t owner) const {
    Ends& ends = ends_(owner);
    AtomicWord const end = ends.bottom;
    if (relaxed_load(ends.top) == end) {
      return nothing;  // `top` never passes it, and nobody else moves it
    }
    AtomicWord const bottom = end - 1;
    relaxed_store(ends.bottom, bottom);
    memory_fence();  // sequentially consistent: thieves see the new bottom, or we their top
    AtomicWord const top = relaxed_load(ends.top);
    if (top < bottom) {
      return relaxed_load(items_(owner, bottom & mask_));
    }
    std::uint32_t item = nothing;
    if (top == bottom) {  // the last one: whoever moves `top` has it
      item = relaxed_load(items_(owner, bottom & mask_));
      if (Kokkos::atomic_compare_exchange(&ends.top, top, top + 1) != top) {
        item = nothing;
      }
    }
    relaxed_store(ends.bottom, end);
    return item;
  }

  /// The oldest of another worker's; `nothing` if there is none, or somebody else was quicker.
  KOKKOS_FUNCTION std::uint32_t steal(std::uint32_t victim) const {
    Ends& ends = ends_(victim);
    AtomicWord const top = relaxed_load(ends.top);
    memory_fence();  // sequentially consistent: the top before the bottom, see take()
    AtomicWord const bottom = relaxed_load(ends.bottom);
    if (top >= bottom) {
      return nothing;
    }
    memory_fence();  // acquire: what was written before the bottom
    std::uint32_t const item = relaxed_load(items_(victim, top & mask_));
    // `top` only grows: as long as it stands, the item has not been overwritten.
    if (Kokkos::atomic_compare_exchange(&ends.top, top, top + 1) != top) {
      return nothing;
    }
    memory_fence();  // acquire: no read of what it stands for before it is ours
    return item;
  }

  /// Whether stealing from this worker is worth a try.
  KOKKOS_FUNCTION bool seems_empty(std::uint32_t victim) const {
    Ends const& ends = ends_(victim);
    return relaxed_load(ends.top) >= relaxed_load(ends.bottom);
  }

 private:
  using Ends = detail::DequeEnds;

  std::uint64_t mask_;
  Kokkos::View<Ends*, MemorySpace> ends_;
  Kokkos::View<std::uint32_t**, Kokkos::LayoutRight, MemorySpace> items_;
};

}  // namespace taper
