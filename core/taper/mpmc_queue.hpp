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

/// The positions that the next put() and the next take() use. They count up from 0 for ever; the
/// cell of a position is its remainder.
struct MpmcEnds {
  alignas(64) AtomicWord put;
  alignas(64) AtomicWord taken;
};

/// The cell of position p is free for put() if its ticket is p, and full if its ticket is p + 1.
struct MpmcCell {
  AtomicWord ticket;
  std::uint32_t item;
};

template <class MemorySpace>
struct InitialiseMpmcCells {
  Kokkos::View<MpmcCell*, MemorySpace> cells;
  std::uint64_t mask;
  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    cells(i) = {AtomicWord{i & mask}, nothing};
  }
};

}  // namespace detail

/// Bounded first-in, first-out queues of items for many producers and many consumers in a kernel.
/// Calls of different queues share nothing.
///
/// No call waits. put() fails if the queue is full. take() returns `nothing` if the queue is empty
/// or its next item is still being written. What was written before put() is visible after take().
///
/// Source: D. Vyukov's bounded MPMC queue. A ticket in each cell says which call may use it next.
/// Used by: SharedQueue (work_queues.hpp), in tree search and vertex cover.
template <class MemorySpace>
class MpmcQueues {
 public:
  /// Each of `count` queues has room for `capacity` items, rounded up to a power of two, at least 2.
  template <ExecutionSpace Exec>
  MpmcQueues(Exec const& where, std::string const& label, std::uint64_t count,
             std::uint64_t capacity)
      : mask_(std::bit_ceil(std::max<std::uint64_t>(capacity, 2)) - 1),
        ends_(Kokkos::view_alloc(where, label + "::ends"), count),
        cells_(Kokkos::view_alloc(where, Kokkos::WithoutInitializing, label + "::cells"),
               count * (mask_ + 1)) {
    Kokkos::parallel_for(
        label + "::clear",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>(where, 0, cells_.extent(0)),
        detail::InitialiseMpmcCells<MemorySpace>{cells_, mask_});
  }

  KOKKOS_FUNCTION std::uint32_t count() const {
    return static_cast<std::uint32_t>(ends_.extent(0));
  }
  /// Of one queue.
  KOKKOS_FUNCTION std::uint64_t capacity() const { return mask_ + 1; }

  /// False: the queue is full.
  KOKKOS_FUNCTION bool put(std::uint32_t queue, std::uint32_t item) const {
    Ends& ends = ends_(queue);
    AtomicWord position = relaxed_load(ends.put);  // relaxed: the exchange decides
    for (;;) {
      Cell& cell = cell_at(queue, position);
      AtomicWord const ticket = relaxed_load(cell.ticket);
      if (ticket == position) {
        AtomicWord const seen = Kokkos::atomic_compare_exchange(&ends.put, position, position + 1);
        if (seen == position) {
          // The item is overwritten after the ticket was read, since the store depends on it.
          relaxed_store(cell.item, item);
          memory_fence();  // release: the item and its data, before the ticket
          relaxed_store(cell.ticket, position + 1);
          return true;
        }
        position = seen;
      } else if (ticket < position) {
        return false;  // the cell still holds the item of the previous round
      } else {
        position = relaxed_load(ends.put);
      }
    }
  }

  /// The oldest item, or `nothing`.
  KOKKOS_FUNCTION std::uint32_t take(std::uint32_t queue) const {
    Ends& ends = ends_(queue);
    AtomicWord position = relaxed_load(ends.taken);  // relaxed: the exchange decides
    for (;;) {
      Cell& cell = cell_at(queue, position);
      AtomicWord const ticket = relaxed_load(cell.ticket);
      if (ticket == position + 1) {
        AtomicWord const seen =
            Kokkos::atomic_compare_exchange(&ends.taken, position, position + 1);
        if (seen == position) {
          memory_fence();  // acquire: the item and its data, after the ticket
          std::uint32_t const item = relaxed_load(cell.item);
          memory_fence();  // release: the item is read before the cell becomes free
          relaxed_store(cell.ticket, position + mask_ + 1);
          return item;
        }
        position = seen;
      } else if (ticket < position + 1) {
        return nothing;
      } else {
        position = relaxed_load(ends.taken);
      }
    }
  }

  /// The number of items; approximate while other workers put and take.
  KOKKOS_FUNCTION std::uint64_t size(std::uint32_t queue) const {
    AtomicWord const taken = relaxed_load(ends_(queue).taken);
    AtomicWord const put = relaxed_load(ends_(queue).put);
    return put > taken ? put - taken : 0;
  }

 private:
  using Ends = detail::MpmcEnds;
  using Cell = detail::MpmcCell;

  KOKKOS_FUNCTION Cell& cell_at(std::uint32_t queue, AtomicWord position) const {
    return cells_(queue * (mask_ + 1) + (position & mask_));
  }

  std::uint64_t mask_;  ///< the capacity less 1
  Kokkos::View<Ends*, MemorySpace> ends_;
  Kokkos::View<Cell*, MemorySpace> cells_;
};

}  // namespace taper
