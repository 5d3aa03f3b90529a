// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/duo.hpp>
#include <taper/matmul/matrix.hpp>
#include <taper/transfer.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

// Copies of matrices between a host's memory and a device's, as work of an instance.

namespace taper::matmul::device {

/// Whether an instance copies from and to the matrix while the calling thread goes on.
template <ExecutionSpace Exec, class T>
bool is_copied_alone(Matrix<T> const& host) {
  return host.rows == 0 || host.columns == 0 ||
         (taper::is_copied_alone<Exec>(&host(0, 0)) &&
          taper::is_copied_alone<Exec>(&host(host.rows - 1, host.columns - 1)));
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

}  // namespace detail

/// Copies a matrix between memory spaces; its rows are contiguous on both sides.
template <class To, class From, ExecutionSpace Exec, class T>
void copy_rows(Exec const& where, std::type_identity_t<Matrix<T const>> const& from,
               Matrix<T> const& to) {
  if (from.rows == 0 || from.columns == 0) {
    return;
  }
  if (!copy_pitched_rows<To, From>(
          where, "taper::matmul::streamed", PitchedRows<T const>{from.data, from.row_stride},
          PitchedRows<T>{to.data, to.row_stride}, from.rows, from.columns)) {
    detail::copy_row_by_row<To, From>(where, from, to);
  }
}

}  // namespace taper::matmul::device
