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

namespace taper {

/// True where the backend's cores are many and narrow, and its memory is not the host's.
template <ExecutionSpace Exec>
inline constexpr bool is_gpu = !HostExecutionSpace<Exec>;

/// What differs between backends in kernels that give a team one row of a table.
template <ExecutionSpace Exec>
struct RowTeams {
  static constexpr int threads = is_gpu<Exec> ? 16 : 1;
  static constexpr int lanes = is_gpu<Exec> ? 32 : 1;
  /// A team that has a processor to itself.
  static constexpr int wide_threads = is_gpu<Exec> ? 32 : 1;
  /// Entries that one lane takes at a time, none waiting for another: as many loads as a lane can have
  /// in flight, or a core's vector code.
  static constexpr int run = is_gpu<Exec> ? 8 : 256;
  /// Team scratch for a part of a row; none where a row stays in the core's own cache anyhow.
  /// Kokkos grants a CUDA team at most 48 KiB, less what its own reductions take.
  static constexpr std::size_t scratch_bytes = is_gpu<Exec> ? 40 * 1024 : 0;
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

/// Reads a value that others may be overwriting, and that may be out of date: for hints, where any
/// value once written is a safe one. A GPU may serve it from a cache that is not coherent.
template <std::integral T>
KOKKOS_FORCEINLINE_FUNCTION T stale_load(T const& source) {
  KOKKOS_IF_ON_HOST((return relaxed_load(source);))
  KOKKOS_IF_ON_DEVICE((return source;))
}

/// Writes a value for stale_load().
template <std::integral T>
KOKKOS_FORCEINLINE_FUNCTION void stale_store(T& target, T value) {
  KOKKOS_IF_ON_HOST((std::atomic_ref<T>(target).store(value, std::memory_order_relaxed);))
  KOKKOS_IF_ON_DEVICE((target = value;))
}

/// Asks the host's cache for a line that is read a few turns later. A GPU hides latency by its
/// other threads.
KOKKOS_FORCEINLINE_FUNCTION void prefetch([[maybe_unused]] void const* address) {
#if defined(__GNUC__)
  KOKKOS_IF_ON_HOST((__builtin_prefetch(address);))
#endif
}

}  // namespace taper
