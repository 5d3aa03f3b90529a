# SPDX-License-Identifier: Apache-2.0
#
# Taper::mpi: Taper::taper with the headers that include <mpi.h>, and MPI. The headers use MPI 3 in C; the C++ bindings
# that MPI had before are not compiled.
set(MPI_CXX_SKIP_MPICXX ON)
find_package(MPI 3.0 COMPONENTS CXX)
if(NOT MPI_CXX_FOUND)
  message(FATAL_ERROR "Taper_ENABLE_MPI is ON, but CMake found no MPI 3: install one (Debian: mpich or libopenmpi-dev), "
                      "set MPI_CXX_COMPILER to its mpicxx, or set Taper_ENABLE_MPI=OFF.")
endif()

add_library(taper_mpi INTERFACE)
add_library(Taper::mpi ALIAS taper_mpi)
set_target_properties(taper_mpi PROPERTIES EXPORT_NAME mpi)
target_link_libraries(taper_mpi INTERFACE taper MPI::MPI_CXX)
target_sources(taper_mpi INTERFACE FILE_SET HEADERS BASE_DIRS algorithms FILES ${taper_mpi_headers})

# Options of mpiexec for tests: as root, and with more processes than cores. MPICH needs none.
execute_process(COMMAND "${MPIEXEC_EXECUTABLE}" --version OUTPUT_VARIABLE _taper_mpiexec ERROR_QUIET)
set(taper_mpiexec_options "")
if(_taper_mpiexec MATCHES "Open MPI|OpenRTE")
  set(taper_mpiexec_options --allow-run-as-root --oversubscribe)
endif()
unset(_taper_mpiexec)
