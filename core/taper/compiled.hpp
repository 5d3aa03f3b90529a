// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/place.hpp>

#include <Kokkos_Core.hpp>

// The usual places of a solve. For these the CMake target Taper::compiled has the solvers in object
// code, and sources that link it declare them as extern templates.
// Used by: the headers that define solvers, if TAPER_COMPILED is defined.

namespace taper::detail {

using CompiledPlace = Kokkos::DefaultExecutionSpace;
using CompiledDuo = Duo<Kokkos::DefaultExecutionSpace, Kokkos::DefaultHostExecutionSpace>;
using CompiledMemory = Kokkos::DefaultExecutionSpace::memory_space;

}  // namespace taper::detail
