// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/duo.hpp>
#include <taper/matmul/event.hpp>
#include <taper/matmul/matrix.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

// Copies between a host's memory and a device's, as work of an instance.

namespace taper::matmul::device {

/// Whether an instance copies from and to the matrix while the calling thread goes on: not where a
/// driver would have to copy it first, to memory that the system cannot move away.
template <ExecutionSpace Exec, class T>
bool is_copied_alone([[maybe_unused]] Matrix<T> const& host) {
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) {
    auto const is_pinned = [](T* entry) {
      cudaPointerAttributes attributes;
      detail::check(cudaPointerGetAttributes(&attributes, entry), "cudaPointerGetAttributes");
      return attributes.type != cudaMemoryTypeUnregistered;
    };
    return host.rows == 0 || host.columns == 0 ||
           (is_pinned(&host(0, 0)) && is_pinned(&host(host.rows - 1, host.columns - 1)));
  }
#endif
  return HostExecutionSpace<Exec>;
}

namespace detail {

/// Rows one after the other, or all at once where they lie so.
template <class To, class From, ExecutionSpace Exec, class T>
void copy_row_by_row(Exec const& where, Matrix<T const> from, Matrix<T> to) {
  if (from.row_stride == from.columns && to.row_stride == to.columns) {
    from.columns = to.columns = from.rows * from.columns;
    from.rows = to.rows = 1;
  }
  auto const entries = static_cast<std::size_t>(from.columns);
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  for (std::int64_t i = 0; i < from.rows; ++i) {
    Kokkos::deep_copy(where, Kokkos::View<T*, To, Unmanaged>(&to(i, 0), entries),
                      Kokkos::View<T const*, From, Unmanaged>(&from(i, 0), entries));
  }
}

#if defined(KOKKOS_ENABLE_CUDA)
/// In one call, which Kokkos does not have; tools hear of it as they hear of Kokkos' own copies.
/// False: it has a shape that CUDA does not take.
template <class To, class From, class T>
bool copy_all_rows(Kokkos::Cuda const& where, Matrix<T const> const& from, Matrix<T> const& to) {
  std::size_t const width = static_cast<std::size_t>(from.columns) * sizeof(T);
  auto const pitch = [&](std::int64_t stride) {
    return from.rows == 1 ? width : static_cast<std::size_t>(stride) * sizeof(T);
  };
  auto const is_taken = [&](std::int64_t stride) {
    return from.rows == 1 ||
           (stride >= from.columns &&
            pitch(stride) <= static_cast<std::size_t>(where.cuda_device_prop().memPitch));
  };
  if (!is_taken(from.row_stride) || !is_taken(to.row_stride)) {
    return false;
  }
  auto const height = static_cast<std::size_t>(from.rows);
  Kokkos::Tools::beginDeepCopy(Kokkos::Tools::make_space_handle(To::name()),
                               "taper::matmul::streamed", to.data,
                               Kokkos::Tools::make_space_handle(From::name()),
                               "taper::matmul::streamed", from.data, width * height);
  check(cudaSetDevice(where.cuda_device()), "cudaSetDevice");
  check(cudaMemcpy2DAsync(to.data, pitch(to.row_stride), from.data, pitch(from.row_stride), width,
                          height, cudaMemcpyDefault, where.cuda_stream()),
        "cudaMemcpy2DAsync");
  Kokkos::Tools::endDeepCopy();
  return true;
}
#endif

}  // namespace detail

/// Copies a matrix between memory spaces; its rows are contiguous on both sides.
template <class To, class From, ExecutionSpace Exec, class T>
void copy_rows(Exec const& where, std::type_identity_t<Matrix<T const>> const& from,
               Matrix<T> const& to) {
  if (from.rows == 0 || from.columns == 0) {
    return;
  }
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) {
    if (detail::copy_all_rows<To, From>(where, from, to)) {
      return;
    }
  }
#endif
  detail::copy_row_by_row<To, From>(where, from, to);
}

}  // namespace taper::matmul::device
