// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/error.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace taper::matmul {

/// A non-owning reference to a matrix in any layout. Entry (i, j) is
/// data[i * row_stride + j * column_stride]; strides are in entries.
///
/// The front door converts Views to it. So each engine is compiled once per scalar type, and not
/// once per combination of layouts.
template <class T>
struct Matrix {
  T* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t row_stride = 0;
  std::int64_t column_stride = 0;

  KOKKOS_FUNCTION constexpr T& operator()(std::int64_t i, std::int64_t j) const {
    return data[i * row_stride + j * column_stride];
  }

  /// Rows i .. i+m-1 and columns j .. j+n-1.
  KOKKOS_FUNCTION constexpr Matrix block(std::int64_t i, std::int64_t j, std::int64_t m,
                                         std::int64_t n) const {
    return {data + i * row_stride + j * column_stride, m, n, row_stride, column_stride};
  }

  KOKKOS_FUNCTION constexpr Matrix transposed() const {
    return {data, columns, rows, column_stride, row_stride};
  }

  /// True if the entries of a row are adjacent, and for a matrix of one column.
  KOKKOS_FUNCTION constexpr bool has_contiguous_rows() const {
    return column_stride == 1 || columns <= 1;
  }
  KOKKOS_FUNCTION constexpr bool has_contiguous_columns() const {
    return row_stride == 1 || rows <= 1;
  }

  /// To a matrix of const entries. A template, so that a matrix of const entries does not declare a
  /// conversion to itself.
  template <class U>
  requires(std::is_same_v<U, T const> && !std::is_const_v<T>) KOKKOS_FUNCTION constexpr
  operator Matrix<U>() const {
    return {data, rows, columns, row_stride, column_stride};
  }
};

/// The entries of a View of rank 2, as a Matrix.
template <class View>
Matrix<typename View::value_type> matrix_of(View const& view) {
  static_assert(View::rank == 2, "matrix_of: a View of rank 2");
  return {view.data(), static_cast<std::int64_t>(view.extent(0)),
          static_cast<std::int64_t>(view.extent(1)), static_cast<std::int64_t>(view.stride(0)),
          static_cast<std::int64_t>(view.stride(1))};
}

namespace detail {

template <class T>
std::string extents(Matrix<T> const& m) {
  return std::to_string(m.rows) + " x " + std::to_string(m.columns);
}

/// The addresses of the first byte and one past the last. Requires: the matrix is not empty.
template <class T>
std::pair<std::uintptr_t, std::uintptr_t> address_range(Matrix<T> const& m) {
  return {reinterpret_cast<std::uintptr_t>(&m(0, 0)),
          reinterpret_cast<std::uintptr_t>(&m(m.rows - 1, m.columns - 1) + 1)};
}

/// True if two matrices share an entry.
///
/// Exact for blocks of one matrix with contiguous rows or columns, so that a product of blocks may
/// be written to a block beside them. For other pairs it compares address ranges, and may return
/// true for matrices that only interleave.
template <class T>
bool overlap(Matrix<T const> const& x, Matrix<T const> const& y) {
  if (x.rows == 0 || x.columns == 0 || y.rows == 0 || y.columns == 0) {
    return false;
  }
  auto const [x_begin, x_end] = address_range(x);
  auto const [y_begin, y_end] = address_range(y);
  if (x_end <= y_begin || y_end <= x_begin) {
    return false;
  }
  if (x.row_stride == 1 && y.row_stride == 1 && x.column_stride != 1) {
    return overlap(x.transposed(), y.transposed());
  }
  std::int64_t const pitch = x.row_stride;
  if (x.column_stride != 1 || y.column_stride != 1 || y.row_stride != pitch ||
      std::max(x.columns, y.columns) > pitch || (x_begin - y_begin) % sizeof(T) != 0) {
    return true;
  }
  // The two possible offsets of y from x: `down` rows and `right` columns; or one row more and
  // `pitch` columns less.
  std::int64_t const distance =
      (static_cast<std::int64_t>(y_begin) - static_cast<std::int64_t>(x_begin)) /
      static_cast<std::int64_t>(sizeof(T));
  std::int64_t const right = (distance % pitch + pitch) % pitch;
  std::int64_t const down = (distance - right) / pitch;
  auto const meet = [&](std::int64_t d, std::int64_t r) {
    return d < x.rows && -d < y.rows && r < x.columns && -r < y.columns;
  };
  return meet(down, right) || meet(down + 1, right - pitch);
}

}  // namespace detail
}  // namespace taper::matmul
