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

struct WorklistEnds {
  alignas(64) AtomicWord put;
  alignas(64) AtomicWord taken;
};

/// Position p's cell is to be filled when its turn is p, and to be emptied when it is p + 1.
struct WorklistCell {
  AtomicWord turn;
  std::uint32_t item;
};

template <class MemorySpace>
struct ClearWorklist {
  Kokkos::View<WorklistCell*, MemorySpace> cells;
  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { cells(i) = {AtomicWord{i}, nothing}; }
};

}  // namespace detail

/// A bounded list of items, first in, first out, that all workers put to and take from.
///
/// Nobody waits for anybody: a full list refuses, and an empty one, or one whose next item is still
/// being written, gives nothing. What was written before put() is visible after take().
///
/// Source: D. Vyukov's bounded queue for many producers and many consumers: a ticket in each cell
///   says whose turn it is.
template <class MemorySpace>
class Worklist {
 public:
  /// Room for `capacity` items, rounded up to a power of two, 2 at least.
  template <ExecutionSpace Exec>
  Worklist(Exec const& where, std::string const& label, std::uint64_t capacity)
      : mask_(std::bit_ceil(std::max<std::uint64_t>(capacity, 2)) - 1),
        ends_(Kokkos::view_alloc(where, label + "::ends")),
        cells_(Kokkos::view_alloc(where, Kokkos::WithoutInitializing, label + "::cells"),
               mask_ + 1) {
    Kokkos::parallel_for(
        label + "::clear",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>(where, 0, mask_ + 1),
        detail::ClearWorklist<MemorySpace>{cells_});
  }

  KOKKOS_FUNCTION std::uint64_t capacity() const { return mask_ + 1; }

  /// False: it is full.
  KOKKOS_FUNCTION bool put(std::uint32_t item) const {
    AtomicWord position = relaxed_load(ends_().put);
    for (;;) {
      Cell& cell = cells_(position & mask_);
      AtomicWord const turn = relaxed_load(cell.turn);
      if (turn == position) {
        AtomicWord const seen =
            Kokkos::atomic_compare_exchange(&ends_().put, position, position + 1);
        if (seen == position) {
          relaxed_store(cell.item, item);
          memory_fence();  // release: the item and what it stands for, before the turn
          relaxed_store(cell.turn, position + 1);
          return true;
        }
        position = seen;
      } else if (turn < position) {
        return false;  // still holds the item of a round ago
      } else {
        position = relaxed_load(ends_().put);
      }
    }
  }

  /// `nothing`: it is empty.
  KOKKOS_FUNCTION std::uint32_t take() const {
    AtomicWord position = relaxed_load(ends_().taken);
    for (;;) {
      Cell& cell = cells_(position & mask_);
      AtomicWord const turn = relaxed_load(cell.turn);
      if (turn == position + 1) {
        AtomicWord const seen =
            Kokkos::atomic_compare_exchange(&ends_().taken, position, position + 1);
        if (seen == position) {
          memory_fence();  // acquire: the item and what it stands for, after the turn
          std::uint32_t const item = relaxed_load(cell.item);
          memory_fence();  // release: it has been read before the cell is free again
          relaxed_store(cell.turn, position + mask_ + 1);
          return item;
        }
        position = seen;
      } else if (turn < position + 1) {
        return nothing;
      } else {
        position = relaxed_load(ends_().taken);
      }
    }
  }

  /// Items in it, about.
  KOKKOS_FUNCTION std::uint64_t size() const {
    AtomicWord const taken = relaxed_load(ends_().taken);
    AtomicWord const put = relaxed_load(ends_().put);
    return put > taken ? put - taken : 0;
  }

 private:
  using Ends = detail::WorklistEnds;
  using Cell = detail::WorklistCell;

  std::uint64_t mask_;
  Kokkos::View<Ends, MemorySpace> ends_;
  Kokkos::View<Cell*, MemorySpace> cells_;
};

}  // namespace taper
