// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/fork_join.hpp>
#include <taper/matmul/kernels.hpp>
#include <taper/matmul/matrix.hpp>
#include <taper/matmul/options.hpp>
#include <taper/matmul/report.hpp>
#include <taper/matmul/workers.hpp>
#include <taper/stop.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace taper::matmul::detail {

/// The state of one recursive product: options, temporaries, and per worker a scratch buffer and a
/// counter. All branches share it.
/// Used by: halving.hpp, strassen.hpp.
template <class T>
class Recursion {
 public:
  Recursion(Options const& options, std::int64_t largest_leaf, std::int64_t workers,
            BufferPool<T>& buffers)
      : threshold(largest_leaf), temporaries(options.temporaries),
        two_temporaries(options.two_temporaries), memory(buffers),
        kernel_(options.kernel), stop_{options.stop},
        per_worker_(static_cast<std::size_t>(workers)) {}

  std::int64_t const threshold;  ///< extents up to it are not halved
  bool const temporaries;        ///< Options::temporaries
  bool const two_temporaries;    ///< Options::two_temporaries
  /// Set if there are too few base cases for all workers: then each base case is parallel.
  bool parallel_leaves = false;
  BufferPool<T>& memory;  ///< of temporaries

  /// Calls f(first, count) in parallel for ranges of the lines 0 .. lines-1. A line has `length`
  /// entries, and a range about `grain`. If the run is stopped, it leaves ranges out.
  template <class F>
  void for_line_ranges(Fork& fork, std::int64_t lines, std::int64_t length, F const& f) const {
    constexpr std::int64_t grain = 1 << 15;
    std::int64_t const lines_per_range =
        std::max<std::int64_t>(1, grain / std::max<std::int64_t>(1, length));
    fork.each(std::int64_t{0}, (lines + lines_per_range - 1) / lines_per_range,
              [&](std::int64_t range, Fork&) {
                std::int64_t const first = range * lines_per_range;
                if (!stop_.is_set()) {
                  f(first, std::min(lines_per_range, lines - first));
                }
              });
  }

  /// A base case, C = alpha A B + beta C: one call of the kernel; or, if parallel_leaves, several
  /// ranges of rows in parallel. Does nothing if an extent is 0, or the run is stopped.
  void leaf(Fork& fork, T alpha, Matrix<T const> a, Matrix<T const> b, T beta, Matrix<T> c) {
    if (c.rows == 0 || c.columns == 0 || a.columns == 0 || stop_.is_set()) {
      return;
    }
    ++per_worker_[fork.worker()].kernel_calls;
    std::int64_t const scratch = kernel_scratch_entries<T>(kernel_, c.rows, c.columns, a.columns);
    if (!parallel_leaves) {
      run_kernel(kernel_, scratch_of(fork, scratch), alpha, a, b, beta, c, stop_);
    } else if (kernel_ == Kernel::packed) {
      // Not the worker's own scratch: while it waits here for other workers, it may run another
      // base case that uses it.
      typename BufferPool<T>::Loan const panels(memory, scratch);
      multiply_in_panels(
          [&](std::int64_t count, auto const& f) {
            fork.each(std::int64_t{0}, count, [&](std::int64_t i, Fork&) { f(i); });
          },
          fork.workers(), panels.data(), alpha, a, b, beta, c, stop_);
    } else {
      std::int64_t const ranges = std::min<std::int64_t>(c.rows, 4 * fork.workers());
      fork.each(std::int64_t{0}, ranges, [&](std::int64_t range, Fork&) {
        std::int64_t const first = c.rows * range / ranges;
        std::int64_t const rows = c.rows * (range + 1) / ranges - first;
        run_kernel<T>(kernel_, nullptr, alpha, a.block(first, 0, rows, a.columns), b, beta,
                      c.block(first, 0, rows, c.columns), stop_);
      });
    }
  }

  /// Adds the kernel calls and the scratch of all workers to the report.
  void add_to(Report& report) const {
    report.scratch_bytes = memory.bytes();
    for (PerWorker const& worker : per_worker_) {
      report.kernel_calls += worker.kernel_calls;
      report.scratch_bytes += worker.scratch.bytes();
    }
  }

 private:
  struct alignas(64) PerWorker {
    Buffer<T> scratch;
    std::uint64_t kernel_calls = 0;
  };

  T* scratch_of(Fork const& fork, std::int64_t entries) {
    Buffer<T>& scratch = per_worker_[fork.worker()].scratch;
    if (scratch.entries() < entries) {
      scratch = Buffer<T>(entries);
    }
    return scratch.data();
  }

  Kernel const kernel_;
  StopFlag const stop_;
  std::vector<PerWorker> per_worker_;
};

/// A temporary matrix with contiguous rows, in a borrowed buffer.
///
/// Rows begin at cache lines, an odd number of lines apart. With a power of two they would all fall
/// into the same few sets of a cache.
template <class T>
class TemporaryMatrix {
 public:
  TemporaryMatrix(BufferPool<T>& memory, std::int64_t rows, std::int64_t columns)
      : memory_(memory, rows * pitch(columns)), matrix_{memory_.data(), rows, columns,
                                                        pitch(columns), 1} {}

  Matrix<T> const& operator*() const { return matrix_; }

 private:
  static constexpr std::int64_t pitch(std::int64_t columns) {
    constexpr std::int64_t line = 64 / sizeof(T);
    return ((columns + line - 1) / line | 1) * line;
  }

  typename BufferPool<T>::Loan memory_;
  Matrix<T> matrix_;
};

/// to = beta to + first + second, on the calling thread. Rows of the temporaries are contiguous.
template <class T>
void add_two(Matrix<T const> first, Matrix<T const> second, T beta, Matrix<T> to) {
  for (std::int64_t i = 0; i < to.rows; ++i) {
    T const* KOKKOS_RESTRICT const x = &first(i, 0);
    T const* KOKKOS_RESTRICT const y = &second(i, 0);
    T* KOKKOS_RESTRICT const z = &to(i, 0);
    if (to.column_stride == 1) {  // the compiler vectorises this loop
      for (std::int64_t j = 0; j < to.columns; ++j) {
        z[j] = scaled(beta, z[j]) + (x[j] + y[j]);
      }
    } else {
      for (std::int64_t j = 0; j < to.columns; ++j) {
        T& entry = z[j * to.column_stride];
        entry = scaled(beta, entry) + (x[j] + y[j]);
      }
    }
  }
}

/// to += from, for `count` rows from row `first`.
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
