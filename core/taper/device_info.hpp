// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/contract.hpp>
#include <taper/duo.hpp>
#include <taper/shards.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#if defined(__unix__)
#include <unistd.h>
#endif

namespace taper {

#if defined(KOKKOS_ENABLE_CUDA)
namespace detail {

/// The current device of CUDA's own calls, for the while.
class OnDevice {
 public:
  explicit OnDevice(int device) {
    cudaGetDevice(&before_);
    cudaSetDevice(device);
  }
  ~OnDevice() { cudaSetDevice(before_); }
  OnDevice(OnDevice const&) = delete;
  OnDevice& operator=(OnDevice const&) = delete;

 private:
  int before_ = 0;
};

}  // namespace detail
#endif

/// Lets kernels of each instance reach the memory of all: once a process, before the first of them
/// starts. Does nothing where the instances share a device, or memory is the host's.
/// Throws: taper::Error where two devices have no link for it.
template <ExecutionSpace Exec>
void reach_peers([[maybe_unused]] Shards<Exec> const& shards) {
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) {
    for (Exec const& one : shards.spaces) {
      for (Exec const& other : shards.spaces) {
        int const from = one.cuda_device();
        int const to = other.cuda_device();
        if (from == to) {
          continue;
        }
        int possible = 0;
        cudaDeviceCanAccessPeer(&possible, from, to);
        detail::OnDevice const device(from);
        cudaError_t status = cudaErrorPeerAccessUnsupported;
        if (possible != 0) {
          status = cudaDeviceEnablePeerAccess(to, 0);
          if (status == cudaErrorPeerAccessAlreadyEnabled) {
            status = cudaSuccess;
            cudaGetLastError();  // it is no error
          }
        }
        TAPER_REQUIRE(status == cudaSuccess, "taper::reach_peers: device " + std::to_string(from) +
                                                 " cannot reach the memory of device " +
                                                 std::to_string(to) + ": " +
                                                 cudaGetErrorString(status));
      }
    }
  }
#endif
}

/// Bytes that are free now in the memory of an instance; 0: unknown.
template <ExecutionSpace Exec>
std::uint64_t free_memory_bytes([[maybe_unused]] Exec const& where) {
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) {
    detail::OnDevice const device(where.cuda_device());
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
