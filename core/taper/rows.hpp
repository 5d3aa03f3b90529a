// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

namespace taper {

/// A non-owning look at the rows of a LayoutRight table, for kernels. Offsets are 64-bit whatever
/// the ids are.
template <class T>
struct Rows {
  T* data = nullptr;
  std::size_t stride = 0;

  KOKKOS_FUNCTION constexpr std::size_t offset(std::size_t row, std::size_t column) const {
    return row * stride + column;
  }
  KOKKOS_FUNCTION constexpr T& operator()(std::size_t row, std::size_t column) const {
    return data[offset(row, column)];
  }
  KOKKOS_FUNCTION constexpr T* operator[](std::size_t row) const { return data + offset(row, 0); }
};

template <class View>
Rows<typename View::value_type> rows_of(View const& table) {
  static_assert(View::rank == 2 && std::is_same_v<typename View::array_layout, Kokkos::LayoutRight>,
                "rows_of: a LayoutRight table");
  return {table.data(), static_cast<std::size_t>(table.stride(0))};
}

}  // namespace taper
