// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/device_info.hpp>
#include <taper/matmul/matrix.hpp>
#include <taper/place.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

// Copies of matrices between host and device memory, as work of an execution space instance.
// Used by: the streamed product (streamed.hpp, staging_ring.hpp).

namespace taper::matmul::device {

/// True if copies between this host matrix and the device run while the calling thread goes on. It
/// checks the memory of the first and the last entry.
template <ExecutionSpace Exec, class T>
bool copies_asynchronously(Matrix<T> const& host) {
  return host.rows == 0 || host.columns == 0 ||
         (taper::copies_asynchronously<Exec>(&host(0, 0)) &&
          taper::copies_asynchronously<Exec>(&host(host.rows - 1, host.columns - 1)));
}

namespace detail {

/// Rows of contiguous entries. A row starts `pitch` entries after the previous row's start.
template <class T>
struct PitchedRows {
  T* data;
  std::int64_t pitch;
};

/// Copies rows between memory spaces in one call, asynchronously on `where`. Kokkos Tools see it as
/// a deep copy with the name `label`.
///
/// Returns false, without a copy, if the backend has no such call or none for this shape.
/// Requires: at least one row and one column.
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
    auto const is_supported = [&](std::int64_t pitch) {
      return rows == 1 ||
             (pitch >= columns &&
              bytes(pitch) <= static_cast<std::size_t>(where.cuda_device_prop().memPitch));
    };
    if (!is_supported(from.pitch) || !is_supported(to.pitch)) {
      return false;
    }
    Kokkos::Tools::beginDeepCopy(Kokkos::Tools::make_space_handle(To::name()), label, to.data,
                                 Kokkos::Tools::make_space_handle(From::name()), label, from.data,
                                 width * height);
    require_cuda_success(cudaSetDevice(where.cuda_device()), "cudaSetDevice");
    require_cuda_success(cudaMemcpy2DAsync(to.data, bytes(to.pitch), from.data, bytes(from.pitch),
                                           width, height, cudaMemcpyDefault, where.cuda_stream()),
                         "cudaMemcpy2DAsync");
    Kokkos::Tools::endDeepCopy();
    return true;
  }
#endif
  return false;
}

/// Copies row by row, or in one copy if the rows are adjacent on both sides.
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

}  // namespace detail

/// Copies a matrix between memory spaces, as work of `where`. Requires: contiguous rows on both
/// sides.
template <class To, class From, ExecutionSpace Exec, class T>
void copy_rows(Exec const& where, std::type_identity_t<Matrix<T const>> const& from,
               Matrix<T> const& to) {
  if (from.rows == 0 || from.columns == 0) {
    return;
  }
  if (!detail::copy_pitched_rows<To, From>(where, "taper::matmul::streamed",
                                           detail::PitchedRows<T const>{from.data, from.row_stride},
                                           detail::PitchedRows<T>{to.data, to.row_stride},
                                           from.rows, from.columns)) {
    detail::copy_row_by_row<To, From>(where, from, to);
  }
}

}  // namespace taper::matmul::device
