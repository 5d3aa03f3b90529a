// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/copy_entries.hpp>
#include <taper/place.hpp>
#include <taper/vertex_cover/graph.hpp>
#include <taper/vertex_cover/options.hpp>
#include <taper/vertex_cover/report.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <type_traits>

namespace taper::vertex_cover::detail {

// solve() converts the caller's Views to these types. So the searches are compiled once per place,
// by the caller or in Taper::compiled, whatever types the caller's Views have.
// Used by: vertex_cover.hpp, solve_views.hpp.

/// A View in the memory of the device of `P`.
template <Place P, class T>
using SolveView = Kokkos::View<T*, Kokkos::LayoutRight, typename DeviceOf<P>::device_type>;
template <Place P>
using SolveGraph = Graph<SolveView<P, std::uint64_t const>, SolveView<P, Vertex const>>;
template <Place P>
using SolveCover = SolveView<P, std::uint8_t>;

/// The View itself if it is assignable to `Wanted`, else a copy of its values.
///
/// Cost of a copy: linear. Async: does not fence; `where` runs the copy before all later work.
template <class Wanted, class Exec, class View>
Wanted as_view(Exec const& where, std::string const& label, View const& view) {
  if constexpr (is_assignable_view<View, Wanted>) {
    return view;
  } else {
    using Copy = Kokkos::View<typename Wanted::non_const_value_type*, Kokkos::LayoutRight,
                              typename Wanted::device_type>;
    Copy const copy(Kokkos::view_alloc(where, Kokkos::WithoutInitializing, label), view.extent(0));
    copy_entries(where, label, view, copy);
    return copy;
  }
}

/// Runs the search of Options::mode; solve() without the checks of its arguments. Defined in
/// solve_views.hpp.
template <Place P>
Report solve_views(P const& place, SolveGraph<P> const& graph, SolveCover<P> const& in_cover,
                   Options const& options);

}  // namespace taper::vertex_cover::detail
