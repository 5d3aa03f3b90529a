# SPDX-License-Identifier: Apache-2.0
#
# Finds what the Python package needs: pybind11, and a Python with headers and NumPy. Sets taper_python_is_found.

set(Taper_ENABLE_PYTHON AUTO CACHE STRING "Build the Python package: ON, OFF, or AUTO, if pybind11 and a Python with headers and NumPy are there")
set_property(CACHE Taper_ENABLE_PYTHON PROPERTY STRINGS AUTO ON OFF)

# _taper_check_kokkos(out): sets it to whether the module can link this Kokkos.
function(_taper_check_kokkos out)
  get_target_property(type Kokkos::kokkoscore TYPE)
  set(fits TRUE)
  if(type STREQUAL "STATIC_LIBRARY")
    set(source "${CMAKE_CURRENT_BINARY_DIR}/kokkos_in_a_library.cpp")
    file(WRITE "${source}" "#include <Kokkos_Core.hpp>\nint main() { return Kokkos::is_initialized(); }\n")
    try_compile(Taper_KOKKOS_IS_POSITION_INDEPENDENT "${CMAKE_CURRENT_BINARY_DIR}/kokkos_in_a_library"
                SOURCES "${source}" COMPILE_DEFINITIONS -fPIC LINK_OPTIONS -shared LINK_LIBRARIES Kokkos::kokkos
                CXX_STANDARD 20)
    set(fits ${Taper_KOKKOS_IS_POSITION_INDEPENDENT})
  endif()
  set(${out} ${fits} PARENT_SCOPE)
endfunction()

set(_taper_missing "")
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  set(_taper_missing "an interpreter with the sanitizer of this build")
elseif(Taper_STATIC_DEPENDENCIES)
  set(_taper_missing "shared dependencies: Taper_STATIC_DEPENDENCIES is ON")
elseif(Taper_ENABLE_PYTHON)
  # The system's Python has the system's NumPy. Another one that is first in PATH may have none.
  if(NOT Python3_EXECUTABLE AND NOT Python3_ROOT_DIR AND EXISTS /usr/bin/python3)
    set(Python3_EXECUTABLE /usr/bin/python3)
  endif()
  find_package(Python3 3.9 QUIET COMPONENTS Interpreter Development.Module NumPy)
  set(PYBIND11_NOPYTHON ON)
  find_package(pybind11 2.10 CONFIG QUIET)
  _taper_check_kokkos(_taper_kokkos_fits)
  if(NOT Python3_FOUND)
    set(_taper_missing "Python 3.9 or newer with headers and NumPy")
  elseif(NOT pybind11_FOUND)
    set(_taper_missing "pybind11 2.10 or newer")
  elseif(NOT _taper_kokkos_fits)
    set(_taper_missing "a Kokkos that is shared, or static with position-independent code")
  endif()
endif()

set_property(GLOBAL PROPERTY taper_missing_for_python "${_taper_missing}") # for the report of the tests

set(taper_python_is_found FALSE)
if(Taper_ENABLE_PYTHON AND NOT _taper_missing)
  set(taper_python_is_found TRUE)
elseif(Taper_ENABLE_PYTHON AND NOT Taper_ENABLE_PYTHON STREQUAL "AUTO")
  message(FATAL_ERROR "Taper_ENABLE_PYTHON is ${Taper_ENABLE_PYTHON}, but CMake did not find ${_taper_missing}.")
endif()
