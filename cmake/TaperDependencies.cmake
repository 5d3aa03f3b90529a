# SPDX-License-Identifier: Apache-2.0
#
# The driver's dependencies besides Kokkos. The targets Taper_yaml and Taper_fmt hide that versions of these libraries
# name their targets differently.

# taper_find_optional(OPTION PACKAGE): finds the package if OPTION is AUTO or ON; if it is ON, the package must exist.
macro(taper_find_optional option package)
  if(${option} STREQUAL "AUTO")
    find_package(${package} QUIET)
  elseif(${option})
    find_package(${package} REQUIRED)
  endif()
endmacro()

set(ZLIB_USE_STATIC_LIBS ${Taper_STATIC_DEPENDENCIES})
find_package(ZLIB REQUIRED)
find_package(CLI11 CONFIG REQUIRED)
find_package(fmt CONFIG REQUIRED)
find_package(nlohmann_json CONFIG REQUIRED)
find_package(yaml-cpp CONFIG REQUIRED)

add_library(Taper_fmt INTERFACE)
target_link_libraries(
  Taper_fmt INTERFACE $<IF:$<BOOL:${Taper_STATIC_DEPENDENCIES}>,fmt::fmt-header-only,fmt::fmt>)

add_library(Taper_yaml INTERFACE)
if(TARGET yaml-cpp::yaml-cpp)
  set(_taper_yaml yaml-cpp::yaml-cpp)
else()
  set(_taper_yaml yaml-cpp)
endif()
if(Taper_STATIC_DEPENDENCIES)
  find_library(Taper_YAML_ARCHIVE libyaml-cpp.a REQUIRED)
  mark_as_advanced(Taper_YAML_ARCHIVE)
  get_target_property(_taper_yaml_include ${_taper_yaml} INTERFACE_INCLUDE_DIRECTORIES)
  target_include_directories(Taper_yaml SYSTEM INTERFACE ${_taper_yaml_include})
  target_link_libraries(Taper_yaml INTERFACE "${Taper_YAML_ARCHIVE}")
else()
  target_link_libraries(Taper_yaml INTERFACE ${_taper_yaml})
endif()

# Optional: reads GraphML and GEXF.
set(Taper_ENABLE_EXPAT AUTO CACHE STRING "Read GraphML and GEXF with Expat: ON, OFF, or AUTO, if it is there")
set_property(CACHE Taper_ENABLE_EXPAT PROPERTY STRINGS AUTO ON OFF)
taper_find_optional(Taper_ENABLE_EXPAT EXPAT)
if(Taper_ENABLE_EXPAT AND EXPAT_FOUND)
  add_library(Taper_expat INTERFACE)
  if(Taper_STATIC_DEPENDENCIES)
    find_library(Taper_EXPAT_ARCHIVE libexpat.a)
    mark_as_advanced(Taper_EXPAT_ARCHIVE)
  endif()
  if(Taper_EXPAT_ARCHIVE)
    target_include_directories(Taper_expat SYSTEM INTERFACE ${EXPAT_INCLUDE_DIRS})
    target_link_libraries(Taper_expat INTERFACE "${Taper_EXPAT_ARCHIVE}")
  else()
    target_link_libraries(Taper_expat INTERFACE EXPAT::EXPAT)
  endif()
endif()
