// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/duo.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper {

/// The vector lanes of one thread as a group that answers together: a warp of a GPU, on a host the
/// thread alone. Within a Kokkos::ThreadVectorRange of exactly `count`, and called by all its
/// lanes.
template <ExecutionSpace Exec>
struct Lanes {
  static constexpr std::uint32_t count = RowTeams<Exec>::lanes;

  /// The lowest lane whose flag is up; `count` if there is none.
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t first(bool flag) {
    KOKKOS_IF_ON_HOST((return flag ? 0 : count;))
    KOKKOS_IF_ON_DEVICE((unsigned const flags = __ballot_sync(~0u, flag);
                         return flags == 0 ? count : __ffs(static_cast<int>(flags)) - 1;))
  }

  /// A bit for each lane, the lowest lane's the lowest: its flag.
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t flags(bool flag) {
    KOKKOS_IF_ON_HOST((return flag ? 1 : 0;))
    KOKKOS_IF_ON_DEVICE((return __ballot_sync(~0u, flag);))
  }

  /// The sum of `value` over the lanes from the lowest to this one.
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t sum_upto(std::uint32_t lane,
                                                            std::uint32_t value) {
    for (std::uint32_t step = 1; step < count; step *= 2) {
      std::uint32_t const before = from((lane - step) % count, value);
      value += lane >= step ? before : 0;
    }
    return value;
  }

  /// All lanes' values together: their greatest, their sum, the bits that any of them has.
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

  /// What a lane wrote before, all lanes read after: the answers above and below do not order
  /// memory.
  KOKKOS_FORCEINLINE_FUNCTION static void sync() {
    KOKKOS_IF_ON_DEVICE((__syncwarp();))
  }

  /// What `value` is in lane `source`; each lane may ask for another's.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T from([[maybe_unused]] std::uint32_t source, T value) {
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
