# SPDX-License-Identifier: Apache-2.0
#
# Finds Kokkos, or stops with a message of one line that says what to do. If a parent project provides Kokkos, it is
# used.

set(Taper_KOKKOS_VERSIONS 4.6...<6)

if(NOT TARGET Kokkos::kokkos)
  find_package(Kokkos ${Taper_KOKKOS_VERSIONS} CONFIG QUIET)
endif()

function(_taper_kokkos_problem out)
  set(get_one "run ./check PRESET, which provides one, or set Kokkos_ROOT to its prefix")
  set(found "Kokkos ${Kokkos_VERSION} in ${Kokkos_DIR}")
  set(problem "")

  if(NOT TARGET Kokkos::kokkos)
    list(LENGTH Kokkos_CONSIDERED_CONFIGS count)
    if(count EQUAL 0)
      set(problem "Kokkos was not found: ${get_one} (4.6 to 5.x).")
    else()
      list(JOIN Kokkos_CONSIDERED_VERSIONS ", " versions)
      set(problem "Kokkos ${versions} was found, but Taper needs 4.6 to 5.x: ${get_one}.")
      foreach(version config IN ZIP_LISTS Kokkos_CONSIDERED_VERSIONS Kokkos_CONSIDERED_CONFIGS)
        if(version VERSION_GREATER_EQUAL 4.6 AND version VERSION_LESS 6)
          set(problem "Kokkos ${version} in ${config} is incomplete: ${get_one}.")
        endif()
      endforeach()
    endif()
  endif()

  if(NOT problem)
    foreach(backend IN LISTS Taper_REQUIRE_BACKENDS)
      if(NOT Kokkos_ENABLE_${backend})
        set(problem "${found} lacks the backend ${backend} (it has ${Kokkos_DEVICES}): ${get_one}, or choose another preset.")
      endif()
    endforeach()
  endif()

  if(NOT problem AND Taper_REQUIRE_ARCHITECTURE AND NOT Taper_REQUIRE_ARCHITECTURE IN_LIST Kokkos_ARCH)
    set(problem "${found} was built for ${Kokkos_ARCH}, not for ${Taper_REQUIRE_ARCHITECTURE}: ${get_one}, or choose another preset.")
  endif()

  # In these versions host and device code disagree on the layout of Views, and reductions read wrong addresses.
  if(NOT problem AND Kokkos_ENABLE_CUDA AND Kokkos_ENABLE_IMPL_MDSPAN AND Kokkos_VERSION VERSION_LESS 4.7)
    set(problem "${found} computes wrong results with CUDA in C++20: rebuild it with -DKokkos_ENABLE_IMPL_MDSPAN=OFF, or use 4.7.")
  endif()

  if(NOT problem AND DEFINED Kokkos_CXX_STANDARD AND Kokkos_CXX_STANDARD LESS 20)
    set(problem "${found} was built as C++${Kokkos_CXX_STANDARD}: rebuild it with -DCMAKE_CXX_STANDARD=20, which Taper needs.")
  endif()

  set(${out} "${problem}" PARENT_SCOPE)
endfunction()

_taper_kokkos_problem(_taper_problem)
if(_taper_problem)
  message(FATAL_ERROR "${_taper_problem}")
endif()
unset(_taper_problem)
