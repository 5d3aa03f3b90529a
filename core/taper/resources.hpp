// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/duo.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#if defined(__unix__)
#include <unistd.h>
#endif

namespace taper {

/// Bytes that are free now in the memory of an instance; 0: unknown.
template <ExecutionSpace Exec>
std::uint64_t free_memory_bytes([[maybe_unused]] Exec const& where) {
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) {
    std::size_t free = 0;
    std::size_t total = 0;
    return cudaMemGetInfo(&free, &total) == cudaSuccess ? free : 0;
  }
#endif
#if defined(_SC_AVPHYS_PAGES)
  if constexpr (HostExecutionSpace<Exec>) {
    return static_cast<std::uint64_t>(sysconf(_SC_AVPHYS_PAGES)) *
           static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  }
#endif
  return 0;
}

/// Processors of a GPU, each of which runs teams of its own; 1: unknown, or a host.
template <ExecutionSpace Exec>
std::int64_t processors([[maybe_unused]] Exec const& where) {
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) {
    return where.cuda_device_prop().multiProcessorCount;
  }
#endif
  return 1;
}

/// Teams of `lanes` lanes with so much scratch that all run at the same time, if a kernel has the
/// launch bounds of `resident_lanes` lanes a processor; at least 1.
template <ExecutionSpace Exec>
std::uint64_t resident_teams(Exec const& where, std::uint64_t lanes,
                             [[maybe_unused]] std::uint64_t scratch_bytes,
                             [[maybe_unused]] std::uint64_t resident_lanes) {
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) {
    cudaDeviceProp const& device = where.cuda_device_prop();
    // What the system, and Kokkos' own reductions, take beside it.
    std::uint64_t const bytes = scratch_bytes + device.reservedSharedMemPerBlock + 512;
    std::uint64_t const a_processor =
        std::min({static_cast<std::uint64_t>(device.maxBlocksPerMultiProcessor),
                  resident_lanes / lanes, device.sharedMemPerMultiprocessor / bytes});
    return std::max<std::uint64_t>(1, a_processor) *
           static_cast<std::uint64_t>(device.multiProcessorCount);
  }
#endif
  return std::max<std::uint64_t>(1, concurrency(where) / lanes);
}

}  // namespace taper
