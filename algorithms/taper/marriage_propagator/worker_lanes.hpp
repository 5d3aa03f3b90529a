// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/warp.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

// How a worker searches for the next number that matches a predicate, and how it acts once.
// Used by: Propose and HandoffSlots.
//
// A predicate has three steps, so that a worker of several lanes can batch the loads:
//   prepare(i)            reads data that no other worker writes;
//   observe(prepared)     reads data that other workers write;
//   matches(i, prepared, observed)  decides.

namespace taper::marriage_propagator::detail {

/// A worker that is one thread.
struct OneThread {
  /// The first number from `begin` on that matches; `end` if there is none.
  template <class Predicate>
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t find_first(std::uint32_t begin, std::uint32_t end,
                                                       Predicate& predicate) const {
    for (; begin < end; ++begin) {
      auto const prepared = predicate.prepare(begin);
      if (predicate.matches(begin, prepared, predicate.observe(prepared))) {
        break;
      }
    }
    return begin;
  }
  /// Runs act() on one lane and returns its result on all.
  template <class Act>
  KOKKOS_FORCEINLINE_FUNCTION auto once(Act const& act) const {
    return act();
  }
};

/// A worker that is one thread and tests nothing: it takes the first number. If many workers
/// propose to the same few receivers, a test is outdated before its result arrives.
struct OptimisticThread : OneThread {
  template <class Predicate>
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t find_first(std::uint32_t begin, std::uint32_t,
                                                       Predicate&) const {
    return begin;
  }
};

/// A worker that is the vector lanes of one thread of a team. The lanes test several numbers at
/// once. Each lane runs the worker's whole program and shares the results of the others.
template <ExecutionSpace Exec>
struct VectorLanes {
  using All = taper::Warp<Exec>;
  static constexpr std::uint32_t width = All::count;

  std::uint32_t lane;

  template <class Predicate>
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t find_first(std::uint32_t begin, std::uint32_t end,
                                                       Predicate& predicate) const {
    // Most searches end within the first batch; the others are long. So the batches grow.
    std::uint32_t next = begin + width;
    std::uint32_t found = test_batch<1>(begin, end, predicate);
    if (found == next && next < end) {
      begin = next;
      next += 4 * width;
      found = test_batch<4>(begin, end, predicate);
    }
    while (found == next && next < end) {
      begin = next;
      next += 8 * width;
      found = test_batch<8>(begin, end, predicate);
    }
    return Kokkos::min(found, end);
  }
  template <class Act>
  KOKKOS_FORCEINLINE_FUNCTION auto once(Act const& act) const {
    decltype(act()) result{};
    if (lane == 0) {
      result = act();
    }
    return All::shuffle(0, result);
  }

 private:
  /// Tests `times` numbers per lane. The first that matches, or the first after the batch.
  /// Requires: end > 0.
  ///
  /// All loads of a kind are issued together, without a branch between them. A loop that waited for
  /// each load in turn made a search with missing values take a third longer.
  template <std::uint32_t times, class Predicate>
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t test_batch(std::uint32_t begin, std::uint32_t end,
                                                       Predicate& predicate) const {
    decltype(predicate.prepare(begin)) prepared[times];
    decltype(predicate.observe(prepared[0])) observed[times];
    TAPER_UNROLL
    for (std::uint32_t i = 0; i < times; ++i) {
      prepared[i] = predicate.prepare(Kokkos::min(begin + i * width + lane, end - 1));
    }
    TAPER_UNROLL
    for (std::uint32_t i = 0; i < times; ++i) {
      observed[i] = predicate.observe(prepared[i]);
    }
    bool matches[times];
    TAPER_UNROLL
    for (std::uint32_t i = 0; i < times; ++i) {
      std::uint32_t const value = begin + i * width + lane;
      matches[i] = predicate.matches(value, prepared[i], observed[i]) & (value < end);
    }
    TAPER_UNROLL
    for (std::uint32_t i = 0; i < times; ++i) {
      std::uint32_t const ahead = All::first_lane(matches[i]);
      if (ahead < width) {
        return begin + i * width + ahead;
      }
    }
    return begin + times * width;
  }
};

}  // namespace taper::marriage_propagator::detail
