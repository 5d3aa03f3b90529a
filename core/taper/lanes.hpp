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

  /// What a lane wrote before, all lanes read after: the answers above and below do not order
  /// memory.
  KOKKOS_FORCEINLINE_FUNCTION static void sync() { KOKKOS_IF_ON_DEVICE((__syncwarp();)) }

  /// What `value` is in lane `source`; each lane may ask for another's.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T from([[maybe_unused]] std::uint32_t source, T value) {
    KOKKOS_IF_ON_HOST((return value;))
    KOKKOS_IF_ON_DEVICE((return __shfl_sync(~0u, value, static_cast<int>(source));))
  }
};

}  // namespace taper
