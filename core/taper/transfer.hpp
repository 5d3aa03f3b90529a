// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/duo.hpp>
#include <taper/event.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

// What Kokkos does not have about copies between a host's memory and a device's.

namespace taper {

/// Whether an instance copies from and to this address of the host while the calling thread goes on:
/// not where a driver would have to copy it first, to memory that the system cannot move away.
template <ExecutionSpace Exec>
bool is_copied_alone([[maybe_unused]] void const* host) {
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) {
    cudaPointerAttributes attributes;
    detail::check(cudaPointerGetAttributes(&attributes, host), "cudaPointerGetAttributes");
    return attributes.type != cudaMemoryTypeUnregistered;
  }
#endif
  return HostExecutionSpace<Exec>;
}

/// Rows of contiguous entries, from the first of one to that of the next `pitch` entries.
template <class T>
struct PitchedRows {
  T* data;
  std::int64_t pitch;
};

/// Copies rows between memory spaces in one call, as work of `where`; tools hear of it, by `label`, as
/// they hear of Kokkos' own copies. False, and nothing was done: the backend has no such call, or none
/// for this shape.
///
/// Requires: at least one row of at least one column.
template <class To, class From, ExecutionSpace Exec, class T>
bool copy_pitched_rows([[maybe_unused]] Exec const& where,
                       [[maybe_unused]] std::string const& label,
                       [[maybe_unused]] PitchedRows<T const> const& from,
                       [[maybe_unused]] PitchedRows<T> const& to,
                       [[maybe_unused]] std::int64_t rows, [[maybe_unused]] std::int64_t columns) {
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) {
    std::size_t const width = static_cast<std::size_t>(columns) * sizeof(T);
    auto const height = static_cast<std::size_t>(rows);
    auto const bytes = [&](std::int64_t pitch) {
      return rows == 1 ? width : static_cast<std::size_t>(pitch) * sizeof(T);
    };
    auto const is_taken = [&](std::int64_t pitch) {
      return rows == 1 ||
             (pitch >= columns &&
              bytes(pitch) <= static_cast<std::size_t>(where.cuda_device_prop().memPitch));
    };
    if (!is_taken(from.pitch) || !is_taken(to.pitch)) {
      return false;
    }
    Kokkos::Tools::beginDeepCopy(Kokkos::Tools::make_space_handle(To::name()), label, to.data,
                                 Kokkos::Tools::make_space_handle(From::name()), label, from.data,
                                 width * height);
    detail::check(cudaSetDevice(where.cuda_device()), "cudaSetDevice");
    detail::check(cudaMemcpy2DAsync(to.data, bytes(to.pitch), from.data, bytes(from.pitch), width,
                                    height, cudaMemcpyDefault, where.cuda_stream()),
                  "cudaMemcpy2DAsync");
    Kokkos::Tools::endDeepCopy();
    return true;
  }
#endif
  return false;
}

}  // namespace taper
