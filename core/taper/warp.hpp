// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/place.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper {

/// Collective operations of the vector lanes of one Kokkos thread: a warp of a GPU, or a single
/// lane on a host.
/// Used by: stable marriage, its propagator, tree search, vertex cover.
///
/// All lanes call each function together, inside a Kokkos::ThreadVectorRange of exactly `count`.
/// Only sync() orders memory accesses.
template <ExecutionSpace Exec>
struct Warp {
  static constexpr std::uint32_t count = RowTeams<Exec>::lanes;

  /// The lowest lane with a true flag; `count` if there is none.
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t first_lane(bool flag) {
    KOKKOS_IF_ON_HOST((return flag ? 0 : count;))
    KOKKOS_IF_ON_DEVICE((unsigned const flags = __ballot_sync(~0u, flag);
                         return flags == 0 ? count : __ffs(static_cast<int>(flags)) - 1;))
  }

  /// A word with one bit per lane: its flag. Lane 0 has the lowest bit.
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t ballot(bool flag) {
    KOKKOS_IF_ON_HOST((return flag ? 1 : 0;))
    KOKKOS_IF_ON_DEVICE((return __ballot_sync(~0u, flag);))
  }

  /// The sum of `value` over the lanes 0 .. `lane`, where `lane` is the caller's number.
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t inclusive_sum(std::uint32_t lane,
                                                                 std::uint32_t value) {
    for (std::uint32_t step = 1; step < count; step *= 2) {
      std::uint32_t const before = shuffle((lane - step) % count, value);
      value += lane >= step ? before : 0;
    }
    return value;
  }

  // The maximum, the sum, and the bitwise or of `value` over all lanes. All lanes get the result.
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t max_of(std::uint32_t value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return __reduce_max_sync(~0u, value);
#else
    return combined(value, [](std::uint32_t a, std::uint32_t b) { return a > b ? a : b; });
#endif
  }
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t sum_of(std::uint32_t value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return __reduce_add_sync(~0u, value);
#else
    return combined(value, [](std::uint32_t a, std::uint32_t b) { return a + b; });
#endif
  }
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t or_of(std::uint32_t value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return __reduce_or_sync(~0u, value);
#else
    return combined(value, [](std::uint32_t a, std::uint32_t b) { return a | b; });
#endif
  }

  /// A barrier for the lanes: what a lane has written before it, all lanes read after it.
  KOKKOS_FORCEINLINE_FUNCTION static void sync() {
    KOKKOS_IF_ON_DEVICE((__syncwarp();))
  }

  /// The `value` of lane `source`. Each lane may name another source.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T shuffle([[maybe_unused]] std::uint32_t source, T value) {
    KOKKOS_IF_ON_HOST((return value;))
    KOKKOS_IF_ON_DEVICE((return __shfl_sync(~0u, value, static_cast<int>(source));))
  }

 private:
  template <class Combine>
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t
  combined(std::uint32_t value, [[maybe_unused]] Combine const& combine) {
    KOKKOS_IF_ON_DEVICE((for (int apart = 16; apart > 0; apart /= 2) {
      value = combine(value, __shfl_xor_sync(~0u, value, apart));
    }))
    return value;
  }
};

}  // namespace taper
