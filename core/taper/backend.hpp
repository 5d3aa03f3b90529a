// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/place.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// Silences nvcc's host/device warning for a template that is instantiated for one side only.
/// Stands before the template.
#if defined(KOKKOS_ENABLE_CUDA)
#define TAPER_SUPPRESS_HOST_DEVICE_WARNING _Pragma("nv_exec_check_disable")
#else
#define TAPER_SUPPRESS_HOST_DEVICE_WARNING
#endif

/// Unrolls the loop that follows in device code, so that arrays indexed by its counter stay in
/// registers. Host compilers decide for themselves.
#if defined(__CUDA_ARCH__)
#define TAPER_UNROLL _Pragma("unroll")
#else
#define TAPER_UNROLL
#endif

/// Statements for CUDA device code only, inside a function for host and device.
#if defined(KOKKOS_ENABLE_CUDA)
#define TAPER_IF_ON_CUDA(statements) KOKKOS_IF_ON_DEVICE(statements)
#else
#define TAPER_IF_ON_CUDA(statements)
#endif

/// Keeps a function out of line. A GPU function with high register pressure then spills its
/// caller's values once, at the call, and not repeatedly inside its loops.
#define TAPER_NOINLINE __attribute__((noinline))

// What kernels need to know about their backend. Used by: all algorithms.

namespace taper {

/// True if the backend runs on a GPU: kernels cannot access host memory.
template <ExecutionSpace Exec>
inline constexpr bool is_gpu = !HostExecutionSpace<Exec>;

/// Sizes of teams, for kernels that read rows of a table. A team of a host is one thread with one
/// lane.
///
/// Used by: stable marriage, its propagator, and preferences/. Warp takes the number of lanes.
template <ExecutionSpace Exec>
struct RowTeams {
  static constexpr int threads = is_gpu<Exec> ? 16 : 1;
  static constexpr int lanes = is_gpu<Exec> ? 32 : 1;
  /// Threads of a team that has a processor of a GPU to itself, with all of its registers.
  static constexpr int exclusive_threads = is_gpu<Exec> ? 16 : 1;
  /// Threads of the largest team that a backend allows.
  static constexpr int max_threads = is_gpu<Exec> ? 32 : 1;
  /// Consecutive entries of a row that a lane processes at once. On a GPU: one load of 16 bytes. On
  /// a host: the length of a vectorised loop.
  template <class T>
  static constexpr std::uint32_t entries_per_lane = is_gpu<Exec> ? 16 / sizeof(T) : 256;
  /// Vectors of `entries_per_lane` that a lane can hold in registers, in a team of
  /// `exclusive_threads`. It loads them early, and they arrive during other work. On a host the
  /// cache does that.
  static constexpr std::uint32_t vectors_in_registers = is_gpu<Exec> ? 8 : 0;
  /// Threads of a team in which each lane follows a chain of its own.
  static constexpr int chain_team_threads = is_gpu<Exec> ? 4 : 1;
  /// Candidates that such a lane reads at once, so that their loads overlap.
  template <class T>
  static constexpr std::uint32_t read_ahead = is_gpu<Exec> ? 16 / sizeof(T) : 1;
  /// Team scratch for a part of a row. A host needs none: the row is in the core's cache. Kokkos
  /// grants a CUDA team at most 48 KiB, minus 8 bytes per lane for its own reductions.
  static constexpr std::size_t scratch_bytes = is_gpu<Exec> ? 40 * 1024 : 0;
  /// The same for a team of up to max_threads threads.
  static constexpr std::size_t window_bytes = is_gpu<Exec> ? 40 * 1024 - 256 : 0;
};

/// A policy of `teams` teams of RowTeams<Exec> size, each for one row or one tile of a table.
template <ExecutionSpace Exec>
Kokkos::TeamPolicy<Exec> row_teams(Exec const& where, std::size_t teams) {
  return {where, static_cast<int>(teams), RowTeams<Exec>::threads, RowTeams<Exec>::lanes};
}

/// The number of workers that run at the same time: threads of a host backend, resident threads of
/// a GPU. At least 1.
template <ExecutionSpace Exec>
std::uint64_t concurrency(Exec const& where) {
  // With Kokkos 4 this may be a static member that takes the instance. Without an argument it
  // returns the number of the default instance, even if it is called on another one.
  if constexpr (requires { Exec::concurrency(where); }) {
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(Exec::concurrency(where)));
  } else {
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(where.concurrency()));
  }
}

/// Tells the compiler that an object lies in team scratch. Without it, if the compiler cannot trace
/// a pointer's origin, a GPU determines the kind of memory at each access.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T& in_scratch(T& object) {
#if defined(__CUDA_ARCH__) && defined(__NVCC__)
  __builtin_assume(__isShared(&object));
#endif
  return object;
}

/// Prefetches the cache line at `address`: into a core's cache on the host, into the L2 cache on a
/// GPU.
KOKKOS_FORCEINLINE_FUNCTION void prefetch([[maybe_unused]] void const* address) {
#if defined(__GNUC__)
  KOKKOS_IF_ON_HOST((__builtin_prefetch(address);))
#endif
  TAPER_IF_ON_CUDA((asm volatile("prefetch.global.L2 [%0];" ::"l"(address));))
}

/// Begins to copy one vector of 16 bytes from memory to team scratch. On a CUDA GPU the copy goes
/// past the registers, so a lane may have many in flight. Elsewhere it is done at once.
template <class Vector>
KOKKOS_FORCEINLINE_FUNCTION void begin_copy_to_scratch(Vector& to, Vector const& from) {
  static_assert(sizeof(Vector) == 16 && alignof(Vector) == 16);
#if defined(KOKKOS_ENABLE_CUDA)
  KOKKOS_IF_ON_HOST((to = from;))
  KOKKOS_IF_ON_DEVICE(
      (auto const address = static_cast<std::uint32_t>(__cvta_generic_to_shared(&to));
       asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(&from)
                    : "memory");))
#else
  to = from;
#endif
}

/// Waits for the copies that this lane has begun. A team barrier then shows them to all lanes.
KOKKOS_FORCEINLINE_FUNCTION void wait_for_copies_to_scratch() {
  TAPER_IF_ON_CUDA((asm volatile("cp.async.wait_all;" ::: "memory");))
}

}  // namespace taper
