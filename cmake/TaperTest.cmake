# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)
find_package(GTest CONFIG REQUIRED)

# The main() of all tests that use Kokkos.
add_library(taper_test_main OBJECT support/main.cpp)
target_link_libraries(taper_test_main PUBLIC Taper::compiled GTest::gtest)
target_include_directories(taper_test_main PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}")
target_compile_options(taper_test_main PRIVATE ${Taper_TEST_OPTIONS})
taper_flags(taper_test_main)
taper_conversions_are_errors(taper_test_main) # one set of flags for all that use its precompiled header
taper_precompile(taper_test_main PRIVATE <Kokkos_Core.hpp> <gtest/gtest.h>)

# The precompiled header of tests without Kokkos.
file(CONFIGURE OUTPUT precompiled.cpp CONTENT "")
add_library(taper_host_test_header OBJECT "${CMAKE_CURRENT_BINARY_DIR}/precompiled.cpp")
target_link_libraries(taper_host_test_header PRIVATE GTest::gtest)
target_compile_options(taper_host_test_header PRIVATE ${Taper_TEST_OPTIONS})
taper_flags(taper_host_test_header HOST_ONLY)
taper_precompile(taper_host_test_header PRIVATE <gtest/gtest.h>)

# Tests on OpenMP and Threads run once per thread count; other builds run once.
if(Kokkos_ENABLE_OPENMP OR Kokkos_ENABLE_THREADS)
  set(taper_test_threads 1 2 4)
else()
  set(taper_test_threads 1)
endif()

# taper_add_test(NAME SOURCES... [HOST_ONLY] [LIBRARIES ...] [LABELS ...] [TIMEOUT s]): adds one executable, and one
# CTest entry per thread count. HOST_ONLY tests do not link Kokkos, and have one entry.
function(taper_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "HOST_ONLY" "TIMEOUT" "LIBRARIES;LABELS")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT ${Taper_TEST_TIMEOUT})
  endif()
  string(REPLACE "." "_" target "test_${name}")
  add_executable(${target} ${arg_UNPARSED_ARGUMENTS})
  target_compile_options(${target} PRIVATE ${Taper_TEST_OPTIONS})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY
                                                                 "${PROJECT_BINARY_DIR}/tests/bin")
  target_link_libraries(${target} PRIVATE ${arg_LIBRARIES})

  if(arg_HOST_ONLY)
    target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
    target_link_libraries(${target} PRIVATE GTest::gtest_main)
    taper_flags(${target} HOST_ONLY)
    if(NOT "taper_app" IN_LIST arg_LIBRARIES) # which brings Kokkos' flags
      taper_precompile(${target} REUSE_FROM taper_host_test_header)
    endif()
    add_test(NAME ${name} COMMAND ${target})
    set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT})
    return()
  endif()

  target_link_libraries(${target} PRIVATE taper_test_main)
  taper_flags(${target})
  taper_conversions_are_errors(${target})
  taper_precompile(${target} REUSE_FROM taper_test_main)
  foreach(threads IN LISTS taper_test_threads)
    set(entry ${name})
    if(NOT taper_test_threads STREQUAL "1")
      string(APPEND entry ".t${threads}")
    endif()
    add_test(NAME ${entry} COMMAND ${target} --kokkos-num-threads=${threads})
    # Tests may have more threads than the machine has cores, so waiting threads must sleep. They sleep half of the
    # time, so each test counts as one processor: two at a time end sooner than one after the other.
    set_tests_properties(
      ${entry}
      PROPERTIES
        LABELS "${arg_LABELS}"
        TIMEOUT ${arg_TIMEOUT}
        ENVIRONMENT
        "OMP_NUM_THREADS=${threads};OMP_PROC_BIND=false;OMP_WAIT_POLICY=passive;OMP_DYNAMIC=false")
  endforeach()
endfunction()
