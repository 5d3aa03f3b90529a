# SPDX-License-Identifier: Apache-2.0
#
# Settings for Taper's own executables, which users of Taper::taper do not get: warnings, -march, static dependencies,
# and vendor libraries for matrix products.
include(TaperVendors)

option(Taper_WARNINGS_AS_ERRORS "Treat warnings in Taper's own sources as errors" OFF)
option(Taper_STATIC_DEPENDENCIES "Link dependencies statically if possible, so that executables run on other machines" OFF)
set(Taper_MARCH "" CACHE STRING "-march of Taper's own executables, such as native")

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
      # Allows ccache to use precompiled headers, and to take the included files from the compiler's dependency output.
      list(PREPEND CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env CCACHE_DEPEND=true
           CCACHE_SLOPPINESS=pch_defines,time_macros)
    endif()
  endif()
endif()

# Kokkos links the shared CUDA runtime; this replaces it by the static one.
if(Taper_STATIC_DEPENDENCIES AND TARGET Kokkos::CUDA)
  get_target_property(_taper_cuda Kokkos::CUDA INTERFACE_LINK_LIBRARIES)
  list(TRANSFORM _taper_cuda REPLACE "^CUDA::cudart$" CUDA::cudart_static)
  set_target_properties(Kokkos::CUDA PROPERTIES INTERFACE_LINK_LIBRARIES "${_taper_cuda}")
endif()

# taper_flags(TARGET [HOST_ONLY]): sets the flags of a target. HOST_ONLY sources include no Kokkos. nvcc_wrapper then
# passes them to the host compiler only, which is faster and supports more of C++20 than nvcc.
function(taper_flags target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "HOST_ONLY" "" "")
  target_compile_features(${target} PRIVATE cxx_std_20)
  # The same rpath in the build tree and in an installation. It contains the folders of shared libraries such as Kokkos.
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF BUILD_WITH_INSTALL_RPATH ON
                                             INSTALL_RPATH_USE_LINK_PATH ON)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual)
  # False positives of g++ 12: Kokkos' reference counts without atomics, and "text" + std::string.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-use-after-free -Wno-restrict>)
  if(NOT Kokkos_ENABLE_CUDA)
    # nvcc generates code that these reject.
    target_compile_options(${target} PRIVATE -Wpedantic -Wconversion -Wsign-conversion)
    # Garbage collection later: a tenth less time for 0.1 GB more memory per compiler.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=524288>)
  elseif(arg_HOST_ONLY)
    target_compile_options(${target} PRIVATE --host-only)
  else()
    # A kernel that calls a constexpr function of the host, such as one of std::, crashes or returns garbage.
    target_compile_options(${target} PRIVATE "SHELL:-Xcudafe --diag_error=20013" "SHELL:-Xcudafe --diag_error=20015")
  endif()
  if(NOT arg_HOST_ONLY)
    target_compile_options(${target} PRIVATE ${Taper_KOKKOS_OPTIONS})
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

# taper_io_sources(VARIABLE): the sources of apps/io. GraphML and GEXF are read by Expat. A build without it refuses them
# by name.
function(taper_io_sources variable)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/apps/io/*.cpp")
  set(unused expat)
  if(TARGET Taper_expat)
    set(unused missing)
  endif()
  list(FILTER sources EXCLUDE REGEX "/read_xml_${unused}\\.cpp$")
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()

# taper_position_independent(TARGET): compiles a static library such that shared libraries can link it, as the Python
# module does. Without interposition the compiler may still inline across functions, so executables lose no speed.
function(taper_position_independent target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  if(NOT Kokkos_ENABLE_CUDA)
    target_compile_options(${target} PRIVATE -fno-semantic-interposition)
  endif()
endfunction()

# taper_conversions_are_errors(TARGET): for tests, which instantiate the library's templates. Users turn these warnings on
# more often than others.
function(taper_conversions_are_errors target)
  if(NOT Kokkos_ENABLE_CUDA)
    target_compile_options(${target} PRIVATE -Werror=conversion -Werror=sign-conversion -Werror=shadow)
  endif()
endfunction()

# taper_precompile(TARGET ...): as target_precompile_headers(), for headers that many sources include. nvcc does not
# support precompiled headers.
function(taper_precompile)
  if(NOT Kokkos_ENABLE_CUDA)
    target_precompile_headers(${ARGN})
  endif()
endfunction()

# taper_compile_folders_as_one(TARGET): compiles the sources of each folder as one: most of their time is in headers. So
# their names differ, in anonymous namespaces too.
function(taper_compile_folders_as_one target)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    get_filename_component(folder "${source}" DIRECTORY)
    string(MAKE_C_IDENTIFIER "${folder}" group)
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${group}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# _taper_enable_vendor(OPTION NAME): finds the vendor library NAME. If OPTION is ON, it must exist. If OPTION is AUTO,
# it is optional, and with static dependencies only a static library is used: executables then run on other machines.
function(_taper_enable_vendor option name)
  if(${option} STREQUAL "AUTO")
    taper_find_vendor(${name} STATIC_ONLY)
  elseif(${option})
    taper_find_vendor(${name})
    if(NOT TARGET Taper::${name})
      message(FATAL_ERROR "${option} is ${${option}}, but no library for Taper::${name} was found; see cmake/TaperVendors.cmake.")
    endif()
  endif()
endfunction()

set(BLA_STATIC ${Taper_STATIC_DEPENDENCIES})
_taper_enable_vendor(Taper_ENABLE_BLAS blas)
_taper_enable_vendor(Taper_ENABLE_KOKKOS_KERNELS kokkos_kernels)
if(Taper_ENABLE_KOKKOS_KERNELS AND NOT TARGET Taper::kokkos_kernels)
  message(STATUS "Taper: continuing without Kokkos Kernels, which was not found beside Kokkos in ${Kokkos_DIR}")
endif()

# The vendor library that is enabled and found, if there is one.
add_library(Taper_vendor INTERFACE)
if(TARGET Taper::blas)
  target_link_libraries(Taper_vendor INTERFACE Taper::blas)
elseif(TARGET Taper::kokkos_kernels)
  target_link_libraries(Taper_vendor INTERFACE Taper::kokkos_kernels)
endif()
