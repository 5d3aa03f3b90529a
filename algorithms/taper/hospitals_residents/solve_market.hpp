// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/hospitals_residents/market.hpp>
#include <taper/hospitals_residents/options.hpp>
#include <taper/place.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

// A solve with fixed View types, and no definition: Taper::compiled has it in object code.
// Used by: solve() of hospitals_residents.hpp. Defined in run_market.hpp.

namespace taper::hospitals_residents::detail {

/// The View type of an assignment, whatever type the caller's has. So each combination of place and
/// memory is compiled once, by the caller or in the CMake target Taper::compiled.
template <Place P, class Memory>
using SolveAssignment =
    Kokkos::View<std::uint32_t*, Kokkos::LayoutStride, Kokkos::Device<DeviceOf<P>, Memory>>;

/// solve() for arguments that have been checked. `Memory`: of the market; `Written`: of the
/// assignment.
template <Place P, class Memory, class Written>
Report solve_market(P const& place, Market<Memory> const& market,
                    SolveAssignment<P, Written> const& hospital_of, Options const& options);

}  // namespace taper::hospitals_residents::detail
