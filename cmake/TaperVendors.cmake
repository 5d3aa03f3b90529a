# SPDX-License-Identifier: Apache-2.0
#
# Optional vendor libraries for dense matrix products; Taper itself needs none. Also part of the installed package.

# taper_find_vendor(NAME [STATIC_ONLY]): defines the target Taper::NAME if its libraries are found.
#   blas            the system's BLAS for hosts and, with CUDA, cuBLAS
#   kokkos_kernels  KokkosBlas::gemm, for every backend that Kokkos Kernels was built for; it must belong to this Kokkos
# Set BLA_VENDOR (see FindBLAS) to choose a BLAS, or if its interface has 64-bit integers. BLA_STATIC prefers static
# libraries. If cuBLAS exists only as a shared library, it is used, except with STATIC_ONLY.
function(taper_find_vendor name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "STATIC_ONLY" "" "")
  if(TARGET Taper::${name})
    return()
  endif()
  set(libraries "")
  set(definitions "")
  if(name STREQUAL "blas")
    find_package(BLAS QUIET)
    if(TARGET BLAS::BLAS)
      list(APPEND libraries BLAS::BLAS)
      list(APPEND definitions TAPER_WITH_BLAS)
    endif()
    if(Kokkos_ENABLE_CUDA)
      find_package(CUDAToolkit QUIET)
      set(cublas CUDA::cublas)
      if(BLA_STATIC AND (arg_STATIC_ONLY OR TARGET CUDA::cublas_static))
        set(cublas CUDA::cublas_static)
      endif()
      if(TARGET ${cublas})
        list(APPEND libraries ${cublas})
        list(APPEND definitions TAPER_WITH_CUBLAS)
      elseif(TARGET CUDA::cublas)
        message(STATUS "Taper: cuBLAS is not used, because only a shared library was found; "
                       "set Taper_ENABLE_BLAS=ON to use it")
      endif()
    endif()
  elseif(name STREQUAL "kokkos_kernels")
    find_package(KokkosKernels QUIET CONFIG HINTS "${Kokkos_DIR}/../KokkosKernels")
    foreach(target IN ITEMS Kokkos::kokkoskernels KokkosKernels::all_libs) # upstream's name, and Trilinos'
      if(TARGET ${target} AND NOT libraries)
        set(libraries ${target})
        set(definitions TAPER_WITH_KOKKOS_KERNELS)
      endif()
    endforeach()
  endif()
  if(libraries)
    add_library(Taper::${name} INTERFACE IMPORTED GLOBAL)
    target_link_libraries(Taper::${name} INTERFACE Taper::taper ${libraries})
    target_compile_definitions(Taper::${name} INTERFACE ${definitions})
  endif()
endfunction()
