// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/error.hpp>
#include <taper/host_memory.hpp>
#include <taper/place.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

// Properties of devices that Kokkos does not offer.
// Used by: matrix products, stable marriage, tree search, vertex cover.

namespace taper {

#if defined(KOKKOS_ENABLE_CUDA)
/// Throws: taper::Error with the call's name and the reason if a CUDA call has failed.
inline void require_cuda_success(cudaError_t status, char const* call) {
  TAPER_REQUIRE(status == cudaSuccess,
                std::string("taper: ") + call + " failed: " + cudaGetErrorString(status));
}

/// Makes `device` the current device of CUDA calls for its own lifetime.
class CurrentDevice {
 public:
  explicit CurrentDevice(int device) {
    cudaGetDevice(&before_);
    cudaSetDevice(device);
  }
  ~CurrentDevice() { cudaSetDevice(before_); }
  CurrentDevice(CurrentDevice const&) = delete;
  CurrentDevice& operator=(CurrentDevice const&) = delete;

 private:
  int before_ = 0;
};
#endif

namespace detail {
/// Calls use(from, to) for the device numbers of each pair of instances on different devices, in
/// both directions. Not at all without CUDA.
template <ExecutionSpace Exec, class Use>
void for_each_peer([[maybe_unused]] std::vector<Exec> const& instances,
                   [[maybe_unused]] Use const& use) {
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) {
    for (Exec const& from : instances) {
      for (Exec const& to : instances) {
        if (from.cuda_device() != to.cuda_device()) {
          use(from.cuda_device(), to.cuda_device());
        }
      }
    }
  }
#endif
}
}  // namespace detail

/// Lets kernels of each instance access the device memory of all others. Call it once per process,
/// before the first such kernel. It does nothing for instances of one device, or of the host.
/// Throws: taper::Error if two devices have no peer access.
template <ExecutionSpace Exec>
void enable_peer_access(std::vector<Exec> const& instances) {
  detail::for_each_peer(instances, []([[maybe_unused]] int from, [[maybe_unused]] int to) {
#if defined(KOKKOS_ENABLE_CUDA)
    int possible = 0;
    cudaDeviceCanAccessPeer(&possible, from, to);
    CurrentDevice const device(from);
    cudaError_t status = cudaErrorPeerAccessUnsupported;
    if (possible != 0) {
      status = cudaDeviceEnablePeerAccess(to, 0);
      if (status == cudaErrorPeerAccessAlreadyEnabled) {
        status = cudaSuccess;
        cudaGetLastError();  // clears the status
      }
    }
    TAPER_REQUIRE(status == cudaSuccess,
                  "taper::enable_peer_access: device " + std::to_string(from) +
                      " cannot reach the memory of device " + std::to_string(to) + ": " +
                      cudaGetErrorString(status));
#endif
  });
}

/// Throws: taper::Error, with what needs it, if a device of the instances cannot make atomic
/// operations on the memory of another. Over PCIe many can only read and write it.
template <ExecutionSpace Exec>
void require_peer_atomics(std::vector<Exec> const& instances,
                          [[maybe_unused]] std::string const& what) {
  detail::for_each_peer(instances, [&]([[maybe_unused]] int from, [[maybe_unused]] int to) {
#if defined(KOKKOS_ENABLE_CUDA)
    int atomics = 0;
    cudaDeviceGetP2PAttribute(&atomics, cudaDevP2PAttrNativeAtomicSupported, from, to);
    TAPER_REQUIRE(atomics != 0, what + " needs atomics of GPU " + std::to_string(from) +
                                    " on the memory of GPU " + std::to_string(to) +
                                    ", such as over NVLink");
#endif
  });
}

/// True if copies between this host address and the device run while the calling thread goes on.
/// False for pageable memory: the driver first copies it to page-locked memory, and the calling
/// thread waits.
template <ExecutionSpace Exec>
bool copies_asynchronously([[maybe_unused]] void const* host) {
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) {
    cudaPointerAttributes attributes;
    require_cuda_success(cudaPointerGetAttributes(&attributes, host), "cudaPointerGetAttributes");
    return attributes.type != cudaMemoryTypeUnregistered;
  }
#endif
  return HostExecutionSpace<Exec>;
}

/// The bytes that are free now in the memory of an instance; 0 if unknown. On a host: see
/// free_host_memory().
template <ExecutionSpace Exec>
std::uint64_t free_memory_bytes([[maybe_unused]] Exec const& where) {
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) {
    CurrentDevice const device(where.cuda_device());
    std::size_t free = 0;
    std::size_t total = 0;
    return cudaMemGetInfo(&free, &total) == cudaSuccess ? free : 0;
  }
#endif
  if constexpr (HostExecutionSpace<Exec>) {
    return free_host_memory();
  }
  return 0;
}

/// The number of a GPU's processors (CUDA: multiprocessors); 1 for a host, or if unknown.
template <ExecutionSpace Exec>
std::int64_t processors([[maybe_unused]] Exec const& where) {
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) {
    return where.cuda_device_prop().multiProcessorCount;
  }
#endif
  return 1;
}

/// The number of teams that run at the same time, at least 1. A team has `lanes` lanes and
/// `scratch_bytes` of scratch; the kernel's launch bounds allow `resident_lanes` per processor.
template <ExecutionSpace Exec>
std::uint64_t resident_teams(Exec const& where, std::uint64_t lanes,
                             [[maybe_unused]] std::uint64_t scratch_bytes,
                             [[maybe_unused]] std::uint64_t resident_lanes) {
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) {
    cudaDeviceProp const& device = where.cuda_device_prop();
    // The system and Kokkos' reductions take shared memory, too.
    std::uint64_t const bytes = scratch_bytes + device.reservedSharedMemPerBlock + 512;
    std::uint64_t const per_processor =
        std::min({static_cast<std::uint64_t>(device.maxBlocksPerMultiProcessor),
                  resident_lanes / lanes, device.sharedMemPerMultiprocessor / bytes});
    return std::max<std::uint64_t>(1, per_processor) *
           static_cast<std::uint64_t>(device.multiProcessorCount);
  }
#endif
  return std::max<std::uint64_t>(1, concurrency(where) / lanes);
}

/// The scratch in bytes that a team of up to `lanes` threads may have if its launch bounds demand
/// that `teams` of them fit into a multiprocessor. Kokkos launches no such kernel on a GPU unless
/// they fit into its shared memory, where a team also has what reductions and the system take.
template <ExecutionSpace Exec>
std::uint64_t max_scratch_bytes([[maybe_unused]] Exec const& where, [[maybe_unused]] unsigned lanes,
                                [[maybe_unused]] unsigned teams) {
  auto const most = static_cast<std::uint64_t>(Kokkos::TeamPolicy<Exec>::scratch_size_max(0));
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) {
    cudaDeviceProp const& device = where.cuda_device_prop();
    std::uint64_t const others =
        device.reservedSharedMemPerBlock + (lanes + 2) * sizeof(double) + 64;
    std::uint64_t const share = device.sharedMemPerMultiprocessor / teams;
    return std::min(most, share - std::min(share, others));
  }
#endif
  return most;
}

}  // namespace taper
