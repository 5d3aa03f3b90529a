# SPDX-License-Identifier: Apache-2.0
include(CMakePackageConfigHelpers)

set(_taper_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Taper")
configure_package_config_file(
  "${CMAKE_CURRENT_LIST_DIR}/TaperConfig.cmake.in" "${PROJECT_BINARY_DIR}/TaperConfig.cmake"
  INSTALL_DESTINATION "${_taper_package_dir}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(
  "${PROJECT_BINARY_DIR}/TaperConfigVersion.cmake" COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)

install(TARGETS taper EXPORT TaperTargets FILE_SET HEADERS COMPONENT library)
if(TARGET taper_mpi)
  install(TARGETS taper_mpi EXPORT TaperMpiTargets FILE_SET HEADERS COMPONENT library)
  install(EXPORT TaperMpiTargets NAMESPACE Taper:: DESTINATION "${_taper_package_dir}" COMPONENT library)
endif()
install(EXPORT TaperTargets NAMESPACE Taper:: DESTINATION "${_taper_package_dir}" COMPONENT library)
install(FILES "${PROJECT_BINARY_DIR}/TaperConfig.cmake" "${PROJECT_BINARY_DIR}/TaperConfigVersion.cmake"
              "${CMAKE_CURRENT_LIST_DIR}/TaperVendors.cmake"
        DESTINATION "${_taper_package_dir}" COMPONENT library)

# The compiled library is a component of its own: users of the headers need not build it.
if(TARGET taper_compiled)
  install(TARGETS taper_compiled EXPORT TaperCompiledTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
                                                                     COMPONENT compiled)
  install(EXPORT TaperCompiledTargets NAMESPACE Taper:: DESTINATION "${_taper_package_dir}" COMPONENT compiled)
endif()
