// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>

#include <Kokkos_Core.hpp>

#include <atomic>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <thread>

/// Communication between the workers of one kernel: relaxed accesses, fences, waiting.
/// Used by: all algorithms except matrix products.
namespace taper {

/// The 64-bit word for atomics. Kokkos maps std::uint64_t to a GPU's atomic instructions. For
/// unsigned long long, another type of the same width, it uses a loop of compare-exchanges.
using AtomicWord = std::uint64_t;

/// The value that stands for no item and for no index.
inline constexpr std::uint32_t nothing = ~std::uint32_t{0};

/// Reads a value that another worker may be writing: not torn, but in no order with other accesses.
/// On a GPU it bypasses the L1 cache.
///
/// It is a plain load instruction. Kokkos::atomic_load is a compare-exchange on some backends, and
/// then many readers of one flag delay each other.
template <std::integral T>
KOKKOS_FORCEINLINE_FUNCTION T relaxed_load(T const& source) {
  KOKKOS_IF_ON_HOST(
      (return std::atomic_ref<T>(const_cast<T&>(source)).load(std::memory_order_relaxed);))
  KOKKOS_IF_ON_DEVICE((return *static_cast<T const volatile*>(&source);))
}

/// Writes a value that other workers may read by relaxed_load().
template <std::integral T>
KOKKOS_FORCEINLINE_FUNCTION void relaxed_store(T& target, T value) {
  KOKKOS_IF_ON_HOST((std::atomic_ref<T>(target).store(value, std::memory_order_relaxed);))
  KOKKOS_IF_ON_DEVICE((*static_cast<T volatile*>(&target) = value;))
}

/// A sequentially consistent fence: Kokkos::memory_fence().
///
/// The thread sanitizer does not model fences. For its builds, each fence is a read-modify-write of
/// one atomic that all threads share.
KOKKOS_FORCEINLINE_FUNCTION void memory_fence() {
#if defined(__SANITIZE_THREAD__)
  static std::atomic<unsigned> steps{0};
  steps.fetch_add(1, std::memory_order_acq_rel);
#else
  Kokkos::memory_fence();
#endif
}

/// Backs off after an unsuccessful poll, so that busy workers get the core or the memory bandwidth.
/// A host thread yields; a GPU thread sleeps for about `nanoseconds`.
KOKKOS_FORCEINLINE_FUNCTION void pause([[maybe_unused]] unsigned nanoseconds) {
  KOKKOS_IF_ON_HOST((std::this_thread::yield();))
  TAPER_IF_ON_CUDA((__nanosleep(nanoseconds);))
}

/// A clock of the worker's processor. Its unit differs between processors, so only ratios of
/// durations have a meaning.
KOKKOS_FORCEINLINE_FUNCTION std::uint64_t ticks() {
  std::uint64_t now = 0;
  KOKKOS_IF_ON_HOST((now = static_cast<std::uint64_t>(
                         std::chrono::steady_clock::now().time_since_epoch().count());))
  TAPER_IF_ON_CUDA((now = static_cast<std::uint64_t>(clock64());))
  return now;
}

}  // namespace taper
