# SPDX-License-Identifier: Apache-2.0
#
# The vendors' dense products, for whoever wants them beside the library, which needs none. Part of the
# installed package too.

# taper_find_vendor(NAME [STATIC_ONLY]): the target Taper::NAME, if what it needs is there.
#   blas            the system's BLAS for hosts and, with CUDA, cuBLAS
#   kokkos_kernels  KokkosBlas::gemm, for every backend that Kokkos Kernels was built for
# Where a BLAS keeps 64-bit integers in its interface, or is to be another than the first one found, set
# BLA_VENDOR, as FindBLAS has it. BLA_STATIC asks for static libraries; a cuBLAS that is there as a shared one
# alone is taken all the same, but not with STATIC_ONLY.
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
        message(STATUS "Taper: cuBLAS is there as a shared library only, and static ones are wanted: left out; "
                       "Taper_ENABLE_BLAS=ON takes it")
      endif()
    endif()
  elseif(name STREQUAL "kokkos_kernels")
    find_package(KokkosKernels QUIET CONFIG)
    if(TARGET Kokkos::kokkoskernels)
      set(libraries Kokkos::kokkoskernels)
      set(definitions TAPER_WITH_KOKKOS_KERNELS)
    endif()
  endif()
  if(libraries)
    add_library(Taper::${name} INTERFACE IMPORTED GLOBAL)
    target_link_libraries(Taper::${name} INTERFACE Taper::taper ${libraries})
    target_compile_definitions(Taper::${name} INTERFACE ${definitions})
  endif()
endfunction()
