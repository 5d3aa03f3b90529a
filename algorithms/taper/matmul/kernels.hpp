// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/matmul/loops.hpp>
#include <taper/matmul/matrix.hpp>
#include <taper/matmul/options.hpp>
#include <taper/matmul/panels.hpp>
#include <taper/stop.hpp>

#include <cstdint>

// Calls the kernel that Options::kernel names. The error bounds stand beside the kernels, in
// loops.hpp and panels.hpp.
// Used by: host.hpp, recursion.hpp.

namespace taper::matmul::detail {

/// The scratch, in entries, that the kernel needs for an m x n product of depth k or a smaller one.
/// It must begin at a cache line.
template <class T>
std::int64_t kernel_scratch_entries(Kernel kernel, std::int64_t m, std::int64_t n, std::int64_t k) {
  return kernel == Kernel::packed ? PanelPlan<T>::scratch_entries(m, n, k) : 0;
}

/// C = alpha A B + beta C on the calling thread, or a part of it if the flag is set. Requires:
/// extents of at least 1.
template <class T>
void run_kernel(Kernel kernel, T* scratch, T alpha, Matrix<T const> a, Matrix<T const> b, T beta,
                Matrix<T> c, StopFlag stop) {
  switch (kernel) {
  case Kernel::ijk:
    return multiply_ijk<PlainSum>(alpha, a, b, beta, c, stop);
  case Kernel::ikj:
    return multiply_ikj(alpha, a, b, beta, c, stop);
  case Kernel::kahan:
    return multiply_ijk<KahanSum>(alpha, a, b, beta, c, stop);
  case Kernel::neumaier:
    return multiply_ijk<NeumaierSum>(alpha, a, b, beta, c, stop);
  case Kernel::pairwise:
    return multiply_ijk<PairwiseSum>(alpha, a, b, beta, c, stop);
  case Kernel::packed:
    return multiply_in_panels(
        [](std::int64_t count, auto const& f) {
          for (std::int64_t i = 0; i < count; ++i) {
            f(i);
          }
        },
        1, scratch, alpha, a, b, beta, c, stop);
  }
}

}  // namespace taper::matmul::detail
