// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/place.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <type_traits>

namespace taper {
namespace detail {

/// Copies one entry, converted to the other View's value type.
template <class From, class To>
struct CopyEntry {
  From from;
  To to;
  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    to(i) = static_cast<typename To::value_type>(from(i));
  }
};

}  // namespace detail

/// Whether every View of the one type can be assigned to the other. Kokkos also converts a strided
/// View to a contiguous one, and aborts at run time if the strides do not fit.
template <class View, class Wanted>
inline constexpr bool
    is_assignable_view = std::is_convertible_v<View, Wanted> &&
                         (!std::is_same_v<typename View::array_layout, Kokkos::LayoutStride> ||
                          std::is_same_v<typename Wanted::array_layout, Kokkos::LayoutStride>);

/// to(i) = from(i) for two rank-1 Views, whatever value types, layouts and memory spaces they have.
/// Kokkos::deep_copy needs equal value types, and equal layouts between memory spaces.
///
/// Requires: `where` reaches both. Async: does not fence.
/// Used by: the front doors of stable marriage and vertex cover, to meet the View types for which
/// a solver is compiled.
template <ExecutionSpace Exec, class From, class To>
void copy_entries(Exec const& where, std::string const& label, From const& from, To const& to) {
  Kokkos::parallel_for(
      label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>(where, 0, from.extent(0)),
      detail::CopyEntry<From, To>{from, to});
}

}  // namespace taper
