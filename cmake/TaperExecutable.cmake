# SPDX-License-Identifier: Apache-2.0
#
# What our own executables get and Taper::taper never does: warnings, -march, static dependencies, vendors'
# products.
include(TaperVendors)

option(Taper_WARNINGS_AS_ERRORS "Stop at a warning in our own sources" OFF)
option(Taper_STATIC_DEPENDENCIES "Link what can be linked statically, so that executables run elsewhere" OFF)
set(Taper_MARCH "" CACHE STRING "-march of our own executables, such as native")

if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
  endif()
  find_program(Taper_CCACHE ccache)
  mark_as_advanced(Taper_CCACHE)
  if(Taper_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${Taper_CCACHE}")
    if(NOT Kokkos_ENABLE_CUDA)
      # It may look into precompiled headers, and takes the compiler's word for what was included.
      list(PREPEND CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env CCACHE_DEPEND=true
           CCACHE_SLOPPINESS=pch_defines,time_macros)
    endif()
  endif()
endif()

# Kokkos asks for the shared CUDA runtime.
if(Taper_STATIC_DEPENDENCIES AND TARGET Kokkos::CUDA)
  get_target_property(_taper_cuda Kokkos::CUDA INTERFACE_LINK_LIBRARIES)
  list(TRANSFORM _taper_cuda REPLACE "^CUDA::cudart$" CUDA::cudart_static)
  set_target_properties(Kokkos::CUDA PROPERTIES INTERFACE_LINK_LIBRARIES "${_taper_cuda}")
endif()

# taper_flags(TARGET [HOST_ONLY]): our flags for one target. HOST_ONLY sources include no Kokkos, so nvcc_wrapper hands
# them to the host compiler alone, which is quicker, and knows more of C++20 than nvcc.
function(taper_flags target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "HOST_ONLY" "" "")
  target_compile_features(${target} PRIVATE cxx_std_20)
  # One rpath, in the build tree and installed, that leads to the shared libraries used, such as Kokkos'.
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF BUILD_WITH_INSTALL_RPATH ON
                                             INSTALL_RPATH_USE_LINK_PATH ON)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual)
  # False alarms of g++ 12: Kokkos' reference counts where atomics are bypassed, and "text" + std::string.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-use-after-free -Wno-restrict>)
  if(NOT Kokkos_ENABLE_CUDA)
    target_compile_options(${target} PRIVATE -Wpedantic) # nvcc's own output is not pedantic
  elseif(arg_HOST_ONLY)
    target_compile_options(${target} PRIVATE --host-only)
  endif()
  if(Taper_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(Taper_MARCH)
    target_compile_options(${target} PRIVATE -march=${Taper_MARCH})
  endif()
  if(Taper_STATIC_DEPENDENCIES)
    target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc)
  endif()
endfunction()

# taper_precompile(TARGET ...), as target_precompile_headers(): what many sources begin with is parsed once, unless
# by nvcc, which cannot.
function(taper_precompile)
  if(NOT Kokkos_ENABLE_CUDA)
    target_precompile_headers(${ARGN})
  endif()
endfunction()

# _taper_enable_vendor(OPTION NAME): OPTION is AUTO, or NAME is there as it says. Executables that are to run
# elsewhere need a shared library there only where it was asked for.
function(_taper_enable_vendor option name)
  if(${option} STREQUAL "AUTO")
    taper_find_vendor(${name} STATIC_ONLY)
  elseif(${option})
    taper_find_vendor(${name})
    if(NOT TARGET Taper::${name})
      message(FATAL_ERROR "${option} is ${${option}}, but nothing for Taper::${name} was found; see cmake/TaperVendors.cmake.")
    endif()
  endif()
endfunction()

set(BLA_STATIC ${Taper_STATIC_DEPENDENCIES})
_taper_enable_vendor(Taper_ENABLE_BLAS blas)
_taper_enable_vendor(Taper_ENABLE_KOKKOS_KERNELS kokkos_kernels)

# The vendors' dense products that were asked for and are there; perhaps none.
add_library(Taper_vendor INTERFACE)
if(TARGET Taper::blas)
  target_link_libraries(Taper_vendor INTERFACE Taper::blas)
elseif(TARGET Taper::kokkos_kernels)
  target_link_libraries(Taper_vendor INTERFACE Taper::kokkos_kernels)
endif()
