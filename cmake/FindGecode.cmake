# SPDX-License-Identifier: Apache-2.0
#
# Finds Gecode with its FlatZinc front end; Gecode has no CMake package of its own. Defines the target Gecode::gecode
# with all its libraries, and Gecode_PRESOLVER_LIBRARY_DIR, its folder of MiniZinc libraries.

find_path(Gecode_INCLUDE_DIR gecode/kernel.hh)
set(_gecode_required Gecode_INCLUDE_DIR)
foreach(_library IN ITEMS flatzinc driver gist search minimodel set float int kernel support)
  find_library(Gecode_${_library}_LIBRARY gecode${_library})
  list(APPEND _gecode_required Gecode_${_library}_LIBRARY)
  list(APPEND _gecode_libraries "${Gecode_${_library}_LIBRARY}")
  mark_as_advanced(Gecode_${_library}_LIBRARY)
endforeach()
find_path(Gecode_PRESOLVER_LIBRARY_DIR fzn_all_different_int.mzn PATH_SUFFIXES share/minizinc/gecode_presolver)
mark_as_advanced(Gecode_INCLUDE_DIR Gecode_PRESOLVER_LIBRARY_DIR)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Gecode REQUIRED_VARS ${_gecode_required})
if(Gecode_FOUND AND NOT TARGET Gecode::gecode)
  add_library(Gecode::gecode INTERFACE IMPORTED)
  target_include_directories(Gecode::gecode INTERFACE "${Gecode_INCLUDE_DIR}")
  target_link_libraries(Gecode::gecode INTERFACE ${_gecode_libraries})
endif()
