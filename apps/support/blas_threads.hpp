// SPDX-License-Identifier: Apache-2.0
#pragma once

// A host's BLAS has threads of its own, whatever Kokkos has.

#if defined(TAPER_WITH_BLAS) && defined(__GNUC__)
// OpenBLAS' own, where that is the BLAS.
extern "C" void openblas_set_num_threads(int) __attribute__((weak));
#endif

namespace taper::support {

/// So many threads for the BLAS, if it is one that can be told.
inline void set_blas_threads([[maybe_unused]] int threads) {
#if defined(TAPER_WITH_BLAS) && defined(__GNUC__)
  if (openblas_set_num_threads != nullptr) {
    openblas_set_num_threads(threads);
  }
#endif
}

}  // namespace taper::support
