# SPDX-License-Identifier: Apache-2.0
#
# Taper::compiled: the solvers in object code, for the backends of this Kokkos and the usual types. Linking it instead of
# Taper::taper makes a file that calls a front door compile in seconds; nothing else changes. Apps, tests and benchmarks
# use it, so each solver is compiled once.
#
# A place, id or memory space that is not here: include the header that defines the solver as well, such as
# <taper/stable_marriage/phases.hpp>.

add_library(taper_compiled STATIC)
add_library(Taper::compiled ALIAS taper_compiled)
set_target_properties(taper_compiled PROPERTIES EXPORT_NAME compiled)
target_link_libraries(taper_compiled PUBLIC taper)
target_compile_definitions(taper_compiled INTERFACE TAPER_COMPILED)
taper_flags(taper_compiled)
taper_position_independent(taper_compiled)

# _taper_compile(ALGORITHM PART LABEL): adds cmake/compiled/ALGORITHM[_PART].cpp.in, with the variables of the caller, if
# Taper_ALGORITHMS has the algorithm. PART may be empty.
function(_taper_compile algorithm part label)
  if(NOT Taper_ALGORITHMS STREQUAL "all" AND NOT algorithm IN_LIST Taper_ALGORITHMS)
    return()
  endif()
  set(name "${algorithm}")
  if(part)
    string(APPEND name "_${part}")
  endif()
  set(source "${PROJECT_BINARY_DIR}/compiled/${name}_${label}.cpp")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/compiled/${name}.cpp.in" "${source}" @ONLY)
  target_sources(taper_compiled PRIVATE "${source}")
endfunction()

foreach(space IN ITEMS Cuda OpenMP Threads Serial)
  string(TOUPPER ${space} backend)
  if(NOT Kokkos_ENABLE_${backend})
    continue()
  endif()
  set(place "Kokkos::${space}")
  set(place_with_host "Duo<Kokkos::${space}, Kokkos::DefaultHostExecutionSpace>")
  _taper_compile(stable_marriage "" ${space})
  _taper_compile(stable_marriage shards ${space})
  _taper_compile(hospitals_residents "" ${space})
  _taper_compile(marriage_propagator "" ${space})
  _taper_compile(vertex_cover "" ${space})
  if(space STREQUAL "Cuda")
    set(place "${place_with_host}")
    _taper_compile(vertex_cover "" ${space}_with_host)
  endif()
endforeach()
taper_precompile(taper_compiled PRIVATE <Kokkos_Core.hpp>)
