// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/fork_join.hpp>
#include <taper/matmul/kernels.hpp>
#include <taper/matmul/matrix.hpp>
#include <taper/matmul/options.hpp>
#include <taper/matmul/report.hpp>
#include <taper/matmul/workers.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace taper::matmul::detail {

/// What all branches of a recursion share, and what each worker has of his own.
template <class T>
class Recursion {
 public:
  Recursion(Options const& options, std::int64_t largest_leaf, std::int64_t workers,
            Temporaries<T>& lent)
      : threshold(largest_leaf), temporaries(options.temporaries), memory(lent),
        kernel_(options.kernel), own_(static_cast<std::size_t>(workers)) {}

  std::int64_t const threshold;
  bool const temporaries;
  /// Base cases are so few that each is cut up for all workers.
  bool parallel_leaves = false;
  Temporaries<T>& memory;

  /// Calls f(first, count) for ranges of `lines` that have about `grain` entries each, in parallel.
  template <class F>
  static void by_lines(Fork& fork, std::int64_t lines, std::int64_t length, F const& f) {
    constexpr std::int64_t grain = 1 << 15;
    std::int64_t const some = std::max<std::int64_t>(1, grain / std::max<std::int64_t>(1, length));
    fork.each(std::int64_t{0}, (lines + some - 1) / some, [&](std::int64_t range, Fork&) {
      std::int64_t const first = range * some;
      f(first, std::min(some, lines - first));
    });
  }

  /// A base case: one call of the kernel, or one for each of a few ranges of rows.
  void leaf(Fork& fork, T alpha, Matrix<T const> a, Matrix<T const> b, T beta, Matrix<T> c) {
    if (c.rows == 0 || c.columns == 0 || a.columns == 0) {
      return;
    }
    ++own_[fork.worker()].kernel_calls;
    std::int64_t const scratch = kernel_scratch_entries<T>(kernel_, c.rows, c.columns, a.columns);
    if (!parallel_leaves) {
      run_kernel(kernel_, scratch_of(fork, scratch), alpha, a, b, beta, c);
    } else if (kernel_ == Kernel::packed) {
      // Not the worker's: while he waits for others here he may run another base case.
      typename Temporaries<T>::Loan const panels(memory, scratch);
      multiply_packed(
          [&](std::int64_t count, auto const& f) {
            fork.each(std::int64_t{0}, count, [&](std::int64_t i, Fork&) { f(i); });
          },
          fork.workers(), panels.data(), alpha, a, b, beta, c);
    } else {
      std::int64_t const ranges = std::min<std::int64_t>(c.rows, 4 * fork.workers());
      fork.each(std::int64_t{0}, ranges, [&](std::int64_t range, Fork&) {
        std::int64_t const first = c.rows * range / ranges;
        std::int64_t const rows = c.rows * (range + 1) / ranges - first;
        run_kernel<T>(kernel_, nullptr, alpha, a.block(first, 0, rows, a.columns), b, beta,
                      c.block(first, 0, rows, c.columns));
      });
    }
  }

  void count(Report& report) const {
    report.scratch_bytes = memory.bytes();
    for (Own const& own : own_) {
      report.kernel_calls += own.kernel_calls;
      report.scratch_bytes += own.scratch.bytes();
    }
  }

 private:
  struct alignas(64) Own {
    Buffer<T> scratch;
    std::uint64_t kernel_calls = 0;
  };

  T* scratch_of(Fork const& fork, std::int64_t entries) {
    Buffer<T>& scratch = own_[fork.worker()].scratch;
    if (scratch.entries() < entries) {
      scratch = Buffer<T>(entries);
    }
    return scratch.data();
  }

  Kernel const kernel_;
  std::vector<Own> own_;
};

/// A temporary matrix with contiguous rows in borrowed memory. Its rows begin a cache line, and not all
/// in the same few sets of a cache, as rows of a power of two would.
template <class T>
class TemporaryMatrix {
 public:
  TemporaryMatrix(Temporaries<T>& memory, std::int64_t rows, std::int64_t columns)
      : memory_(memory, rows * pitch(columns)), matrix_{memory_.data(), rows, columns,
                                                        pitch(columns), 1} {}

  Matrix<T> const& operator*() const { return matrix_; }

 private:
  static constexpr std::int64_t pitch(std::int64_t columns) {
    constexpr std::int64_t line = 64 / sizeof(T);
    return ((columns + line - 1) / line | 1) * line;
  }

  typename Temporaries<T>::Loan memory_;
  Matrix<T> matrix_;
};

/// to += from, entry by entry, along rows.
template <class T>
void add_rows(Matrix<T const> from, Matrix<T> to, std::int64_t first, std::int64_t count) {
  for (std::int64_t i = first; i < first + count; ++i) {
    T const* KOKKOS_RESTRICT const x = &from(i, 0);
    T* KOKKOS_RESTRICT const y = &to(i, 0);
    if (from.column_stride == 1 && to.column_stride == 1) {
      for (std::int64_t j = 0; j < to.columns; ++j) {
        y[j] += x[j];
      }
    } else {
      for (std::int64_t j = 0; j < to.columns; ++j) {
        y[j * to.column_stride] += x[j * from.column_stride];
      }
    }
  }
}

}  // namespace taper::matmul::detail
