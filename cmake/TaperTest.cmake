# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)
find_package(GTest CONFIG REQUIRED)

option(Taper_TESTS_AS_ONE "Compile the tests of a folder as one source: all in half the time, one of them in more" ON)

# The main() of all tests that use Kokkos.
add_library(taper_test_main OBJECT support/main.cpp)
target_link_libraries(taper_test_main PUBLIC Taper::compiled GTest::gtest)
target_include_directories(taper_test_main PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}")
target_compile_options(taper_test_main PRIVATE ${Taper_TEST_OPTIONS})
taper_flags(taper_test_main)
taper_conversions_are_errors(taper_test_main) # one set of flags for all that use its precompiled header
taper_precompile(taper_test_main PRIVATE <Kokkos_Core.hpp> <gtest/gtest.h>)

# That of tests without Kokkos.
add_library(taper_host_test_main OBJECT support/host_main.cpp)
target_link_libraries(taper_host_test_main PUBLIC GTest::gtest)
target_include_directories(taper_host_test_main PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}")
target_compile_options(taper_host_test_main PRIVATE ${Taper_TEST_OPTIONS})
taper_flags(taper_host_test_main HOST_ONLY)
taper_precompile(taper_host_test_main PRIVATE <gtest/gtest.h>)

# Tests on OpenMP and Threads run once per thread count; other builds run once.
if(Kokkos_ENABLE_OPENMP OR Kokkos_ENABLE_THREADS)
  set(taper_test_threads 1 2 4)
else()
  set(taper_test_threads 1)
endif()

# test_stem(out FILE): tests/io/lists_test.cpp is the test "lists".
function(test_stem out file)
  cmake_path(GET file STEM stem)
  string(REGEX REPLACE "_test$" "" stem "${stem}")
  set(${out} "${stem}" PARENT_SCOPE)
endfunction()

# _taper_compile_as_one(out TARGET SOURCES...): writes a source that includes all, and sets its name. Most of the time of
# tests goes into templates that they all instantiate. Each file is a namespace there, so files may use the same names.
# The headers come before all namespaces.
function(_taper_compile_as_one out target)
  set(headers "")
  set(files "")
  foreach(source IN LISTS ARGN)
    file(STRINGS "${source}" includes REGEX "^#include")
    list(APPEND headers ${includes})
    test_stem(stem "${source}")
    string(APPEND files "namespace ${stem}_file {\n#include \"${source}\"\n}\n")
  endforeach()
  list(REMOVE_DUPLICATES headers)
  list(JOIN headers "\n" headers)
  set(as_one "${CMAKE_CURRENT_BINARY_DIR}/as_one/${target}.cpp")
  file(CONFIGURE OUTPUT "${as_one}" CONTENT "${headers}\n${files}" @ONLY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARGN}) # a test may include one header more
  set(${out} "${as_one}" PARENT_SCOPE)
endfunction()

# taper_add_tests(FOLDER SOURCES... [HOST_ONLY] [ALONE] [LIBRARIES ...] [TIMEOUT s]): adds an executable of all sources,
# and a CTest entry per source and thread count: FOLDER.SOURCE.t2. HOST_ONLY tests do not link Kokkos, and have no thread
# count. ALONE: an executable of one source, which needs flags, libraries or macros of its own.
function(taper_add_tests folder)
  cmake_parse_arguments(PARSE_ARGV 1 arg "HOST_ONLY;ALONE" "TIMEOUT" "LIBRARIES")
  set(sources ${arg_UNPARSED_ARGUMENTS})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT ${Taper_TEST_TIMEOUT})
  endif()
  set(name "${folder}")
  if(arg_ALONE)
    test_stem(stem "${sources}")
    string(APPEND name ".${stem}")
  endif()
  string(REPLACE "." "_" target "test_${name}")
  list(LENGTH sources count)
  set(compiled "${sources}")
  if(Taper_TESTS_AS_ONE AND count GREATER 1)
    _taper_compile_as_one(compiled ${target} ${sources})
  endif()
  add_executable(${target} ${compiled})
  target_compile_options(${target} PRIVATE ${Taper_TEST_OPTIONS})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY
                                                                 "${PROJECT_BINARY_DIR}/tests/bin")
  list(GET sources 0 first)
  cmake_path(GET first PARENT_PATH path)
  target_include_directories(${target} PRIVATE "${path}") # for what a test includes from beside it
  target_link_libraries(${target} PRIVATE ${arg_LIBRARIES})
  if(arg_HOST_ONLY)
    target_link_libraries(${target} PRIVATE taper_host_test_main)
    taper_flags(${target} HOST_ONLY)
    if(NOT "taper_app" IN_LIST arg_LIBRARIES) # which brings Kokkos' flags
      taper_precompile(${target} REUSE_FROM taper_host_test_main)
    endif()
    set(thread_counts none)
  else()
    target_link_libraries(${target} PRIVATE taper_test_main)
    taper_flags(${target})
    taper_conversions_are_errors(${target})
    taper_precompile(${target} REUSE_FROM taper_test_main)
    set(thread_counts ${taper_test_threads})
  endif()

  foreach(source IN LISTS sources)
    test_stem(stem "${source}")
    set(command ${target})
    if(NOT arg_ALONE) # the tests of a source that is alone may lie in a file that it includes
      cmake_path(GET source FILENAME file)
      list(APPEND command --source=${file})
    endif()
    foreach(threads IN LISTS thread_counts)
      set(entry ${folder}.${stem})
      set(environment "")
      if(NOT threads STREQUAL "none")
        # Tests may have more threads than the machine has cores, so waiting threads must sleep. They sleep half of the
        # time, so each test counts as one processor: two at a time end sooner than one after the other.
        set(environment "OMP_NUM_THREADS=${threads};OMP_PROC_BIND=false;OMP_WAIT_POLICY=passive;OMP_DYNAMIC=false")
        set(option "--kokkos-num-threads=${threads}")
      endif()
      if(NOT thread_counts MATCHES "^(none|1)$")
        string(APPEND entry ".t${threads}")
      endif()
      add_test(NAME ${entry} COMMAND ${command} ${option})
      set_tests_properties(${entry} PROPERTIES LABELS "${folder}" TIMEOUT ${arg_TIMEOUT} ENVIRONMENT "${environment}")
    endforeach()
  endforeach()
endfunction()
