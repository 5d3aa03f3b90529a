// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

namespace taper {

/// A non-owning view of the rows of a LayoutRight table, for kernels. Offsets have 64 bits,
/// whatever the width of the ids.
/// Used by: stable marriage, its propagator, preferences/.
template <class T>
struct Rows {
  T* data = nullptr;
  std::size_t stride = 0;  ///< entries from one row to the next

  KOKKOS_FUNCTION constexpr std::size_t offset(std::size_t row, std::size_t column) const {
    return row * stride + column;
  }
  KOKKOS_FUNCTION constexpr T& operator()(std::size_t row, std::size_t column) const {
    return data[offset(row, column)];
  }
  KOKKOS_FUNCTION constexpr T* operator[](std::size_t row) const { return data + offset(row, 0); }
};

/// The rows from `row` on.
template <class T>
constexpr Rows<T> rows_from(Rows<T> const& rows, std::size_t row) {
  return {rows[row], rows.stride};
}

/// The rows of `table`.
template <class View>
Rows<typename View::value_type> rows_of(View const& table) {
  static_assert(View::rank == 2 && std::is_same_v<typename View::array_layout, Kokkos::LayoutRight>,
                "rows_of: expected a LayoutRight View of rank 2");
  return {table.data(), static_cast<std::size_t>(table.stride(0))};
}

}  // namespace taper
