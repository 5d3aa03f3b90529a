// SPDX-License-Identifier: Apache-2.0
#pragma once

// A BLAS on the host has its own threads, independent of those of Kokkos.

#if defined(TAPER_WITH_BLAS) && defined(__GNUC__)
// Defined if the BLAS is OpenBLAS.
extern "C" void openblas_set_num_threads(int) __attribute__((weak));
#endif

namespace taper::support {

/// Sets the number of threads of the BLAS. No effect on a BLAS other than OpenBLAS.
inline void set_blas_threads([[maybe_unused]] int threads) {
#if defined(TAPER_WITH_BLAS) && defined(__GNUC__)
  if (openblas_set_num_threads != nullptr) {
    openblas_set_num_threads(threads);
  }
#endif
}

}  // namespace taper::support
