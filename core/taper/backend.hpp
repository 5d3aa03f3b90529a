// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/duo.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>

/// Before a template for both sides that is given functions of one: nvcc then does not warn of the
/// other side, where nobody calls it so.
#if defined(KOKKOS_ENABLE_CUDA)
#define TAPER_EITHER_SIDE _Pragma("nv_exec_check_disable")
#else
#define TAPER_EITHER_SIDE
#endif

/// Before a loop whose rounds a GPU must have apart, because they index registers. Host compilers
/// know better.
#if defined(__CUDA_ARCH__)
#define TAPER_UNROLL _Pragma("unroll")
#else
#define TAPER_UNROLL
#endif

/// Statements for CUDA's device code alone, in a function of both sides.
#if defined(KOKKOS_ENABLE_CUDA)
#define TAPER_IF_ON_CUDA(statements) KOKKOS_IF_ON_DEVICE(statements)
#else
#define TAPER_IF_ON_CUDA(statements)
#endif

/// Before a function that is to have a GPU's registers for itself: what its caller keeps is put aside
/// once, at the call, and not again and again where they are short.
#define TAPER_NOINLINE __attribute__((noinline))

namespace taper {

/// True where the backend's cores are many and narrow, and its memory is not the host's.
template <ExecutionSpace Exec>
inline constexpr bool is_gpu = !HostExecutionSpace<Exec>;

/// What differs between backends in kernels that read rows of a table.
template <ExecutionSpace Exec>
struct RowTeams {
  static constexpr int threads = is_gpu<Exec> ? 16 : 1;
  static constexpr int lanes = is_gpu<Exec> ? 32 : 1;
  /// A team that has a processor to itself, with registers to spare.
  static constexpr int wide_threads = is_gpu<Exec> ? 16 : 1;
  /// A team as large as teams get.
  static constexpr int most_threads = is_gpu<Exec> ? 32 : 1;
  /// Neighbours that one lane takes at once: one load of 16 bytes, or a core's vector code.
  template <class T>
  static constexpr std::uint32_t run = is_gpu<Exec> ? 16 / sizeof(T) : 256;
  /// Runs of a row that a lane of such a team can hold in registers, so that they arrive while it
  /// works on something else. A core's cache does that for it.
  static constexpr std::uint32_t runs_held = is_gpu<Exec> ? 8 : 0;
  /// Threads of a team whose lanes have a chain each.
  static constexpr int chains_a_team = is_gpu<Exec> ? 4 : 1;
  /// Candidates that a worker of its own chain looks at together: the loads do not wait for each
  /// other.
  template <class T>
  static constexpr std::uint32_t ahead = is_gpu<Exec> ? 16 / sizeof(T) : 1;
  /// Team scratch for a part of a row; none where a row stays in the core's own cache anyhow.
  /// Kokkos grants a CUDA team at most 48 KiB, less what its own reductions take: 8 bytes a lane.
  static constexpr std::size_t scratch_bytes = is_gpu<Exec> ? 40 * 1024 : 0;
  static constexpr std::size_t least_scratch_bytes = is_gpu<Exec> ? 32 * 1024 : 0;
};

/// The 64-bit word for atomics: on a GPU Kokkos has the hardware's own for std::uint64_t, and for
/// unsigned long long, where that is another type of the same width, a loop of compare-exchanges.
using AtomicWord = std::uint64_t;

/// The policy that gives each of `teams` teams one row, or one tile, of a table.
template <ExecutionSpace Exec>
Kokkos::TeamPolicy<Exec> row_teams(Exec const& where, std::size_t teams) {
  return {where, static_cast<int>(teams), RowTeams<Exec>::threads, RowTeams<Exec>::lanes};
}

/// Workers that truly run at the same time: threads of a host backend, resident threads of a GPU.
template <ExecutionSpace Exec>
std::uint64_t concurrency(Exec const& where) {
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(where.concurrency()));
}

/// Reads what another worker may be writing, from where all workers see it. Kokkos' own atomic_load
/// is a compare-exchange on some backends: many readers of one flag then wait for each other.
template <std::integral T>
KOKKOS_FORCEINLINE_FUNCTION T relaxed_load(T const& source) {
  KOKKOS_IF_ON_HOST(
      (return std::atomic_ref<T>(const_cast<T&>(source)).load(std::memory_order_relaxed);))
  KOKKOS_IF_ON_DEVICE((return *static_cast<T const volatile*>(&source);))
}

/// Writes what others may read by relaxed_load().
template <std::integral T>
KOKKOS_FORCEINLINE_FUNCTION void relaxed_store(T& target, T value) {
  KOKKOS_IF_ON_HOST((std::atomic_ref<T>(target).store(value, std::memory_order_relaxed);))
  KOKKOS_IF_ON_DEVICE((*static_cast<T volatile*>(&target) = value;))
}

/// Kokkos' fence: what comes before it is visible before what comes after it. The thread sanitizer
/// knows no fences; for it, each one is a step of one atomic that all of them share.
KOKKOS_FORCEINLINE_FUNCTION void memory_fence() {
#if defined(__SANITIZE_THREAD__)
  static std::atomic<unsigned> steps{0};
  steps.fetch_add(1, std::memory_order_acq_rel);
#else
  Kokkos::memory_fence();
#endif
}

/// Says that an object is in team scratch: a GPU then need not ask at each access which of its memories
/// an address is in, as it must where the compiler cannot see where a pointer comes from.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T& in_scratch(T& object) {
#if defined(__CUDA_ARCH__) && defined(__NVCC__)
  __builtin_assume(__isShared(&object));
#endif
  return object;
}

/// Asks for a line that is read soon: the host's cache, or the one that all processors of a GPU
/// share.
KOKKOS_FORCEINLINE_FUNCTION void prefetch([[maybe_unused]] void const* address) {
#if defined(__GNUC__)
  KOKKOS_IF_ON_HOST((__builtin_prefetch(address);))
#endif
  TAPER_IF_ON_CUDA((asm volatile("prefetch.global.L2 [%0];" ::"l"(address));))
}

}  // namespace taper
