// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>

#include <Kokkos_Core.hpp>

#include <atomic>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <thread>

/// What workers need that tell each other things within one kernel.
namespace taper {

/// No item, no index.
inline constexpr std::uint32_t nothing = ~std::uint32_t{0};

/// For a worker that has looked in vain, before it looks again: leaves the core, or the memory, to
/// those who have work.
KOKKOS_FORCEINLINE_FUNCTION void pause([[maybe_unused]] unsigned nanoseconds) {
  KOKKOS_IF_ON_HOST((std::this_thread::yield();))
  TAPER_IF_ON_CUDA((__nanosleep(nanoseconds);))
}

/// A clock of this worker's processor, in ticks of its own: only ratios of differences mean
/// something.
KOKKOS_FORCEINLINE_FUNCTION std::uint64_t ticks() {
  std::uint64_t now = 0;
  KOKKOS_IF_ON_HOST((now = static_cast<std::uint64_t>(
                         std::chrono::steady_clock::now().time_since_epoch().count());))
  TAPER_IF_ON_CUDA((now = static_cast<std::uint64_t>(clock64());))
  return now;
}

}  // namespace taper
