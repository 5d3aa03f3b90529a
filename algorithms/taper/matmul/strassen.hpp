// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/fork_join.hpp>
#include <taper/matmul/matrix.hpp>
#include <taper/matmul/recursion.hpp>
#include <taper/matmul/rounding.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

// The engines strassen and winograd: seven products of quadrants instead of eight at each level,
// n^2.807 operations.
//
// Error to first order, for square matrices of n = 2^r n0. u is the unit roundoff, n0 the
// threshold, k the kernel's constant in its bound k u |a|.|b|, and ||.|| the largest entry:
//   Strassen  ||C - AB|| <= ((n / n0)^log2(12) (k n0 + 5 n0) - 5 n) u ||A|| ||B||
//   Winograd  ||C - AB|| <= ((n / n0)^log2(18) (k n0 + 6 n0) - 6 n) u ||A|| ||B||
// An entry that is small compared with ||A|| ||B|| may have no correct digit.
// Source: Higham, "Accuracy and Stability of Numerical Algorithms", 2002, Theorems 23.2 and 23.3,
//   from Brent (1970) and Bini and Lotti (1980).
//
// Odd extents: the last row, column or step of k is peeled off, and the kernel multiplies it
// (Huss-Lederman et al., "Implementation of Strassen's algorithm for matrix multiplication", SC
// 1996).

namespace taper::matmul::detail {

/// The quadrants 11, 12, 21, 22 of a matrix with even extents.
template <class T>
std::array<Matrix<T>, 4> quadrants(Matrix<T> const& x) {
  std::int64_t const m = x.rows / 2;
  std::int64_t const n = x.columns / 2;
  return {x.block(0, 0, m, n), x.block(0, n, m, n), x.block(m, 0, m, n), x.block(m, n, m, n)};
}

/// Strassen's form (1969).
///
/// Each function handles one row of each quadrant, with contiguous entries. It reads the quadrants
/// once and computes all sums of A (add_left), all sums of B (add_right), or all quadrants of C
/// (combine). Arrays are indexed by product, 0 to 6.
struct StrassenForm {
  static constexpr int sums = 5;
  /// The factors of product p: the index of a sum, or `sums` plus that of a quadrant.
  static constexpr int left[7] = {0, 1, 5, 8, 2, 3, 4};
  static constexpr int right[7] = {0, 5, 1, 2, 8, 3, 4};

  template <class T>
  static void add_left(std::int64_t n, std::array<T const*, 4> const& in,
                       std::array<T*, sums> const& out) {
    T const* KOKKOS_RESTRICT const a11 = in[0];
    T const* KOKKOS_RESTRICT const a12 = in[1];
    T const* KOKKOS_RESTRICT const a21 = in[2];
    T const* KOKKOS_RESTRICT const a22 = in[3];
    T* KOKKOS_RESTRICT const s0 = out[0];
    T* KOKKOS_RESTRICT const s1 = out[1];
    T* KOKKOS_RESTRICT const s2 = out[2];
    T* KOKKOS_RESTRICT const s3 = out[3];
    T* KOKKOS_RESTRICT const s4 = out[4];
    for (std::int64_t i = 0; i < n; ++i) {
      s0[i] = a11[i] + a22[i];
      s1[i] = a21[i] + a22[i];
      s2[i] = a11[i] + a12[i];
      s3[i] = a21[i] - a11[i];
      s4[i] = a12[i] - a22[i];
    }
  }

  template <class T>
  static void add_right(std::int64_t n, std::array<T const*, 4> const& in,
                        std::array<T*, sums> const& out) {
    T const* KOKKOS_RESTRICT const b11 = in[0];
    T const* KOKKOS_RESTRICT const b12 = in[1];
    T const* KOKKOS_RESTRICT const b21 = in[2];
    T const* KOKKOS_RESTRICT const b22 = in[3];
    T* KOKKOS_RESTRICT const t0 = out[0];
    T* KOKKOS_RESTRICT const t1 = out[1];
    T* KOKKOS_RESTRICT const t2 = out[2];
    T* KOKKOS_RESTRICT const t3 = out[3];
    T* KOKKOS_RESTRICT const t4 = out[4];
    for (std::int64_t i = 0; i < n; ++i) {
      t0[i] = b11[i] + b22[i];
      t1[i] = b12[i] - b22[i];
      t2[i] = b21[i] - b11[i];
      t3[i] = b11[i] + b12[i];
      t4[i] = b21[i] + b22[i];
    }
  }

  /// Products 0, 2, 4, 6 are written to C's quadrants 11, 12, 21, 22, and combine() replaces them.
  /// `rest` are products 1, 3 and 5, in temporaries.
  static constexpr int in_c[4] = {0, 2, 4, 6};
  static constexpr int elsewhere[3] = {1, 3, 5};
  template <class T>
  static void combine(std::int64_t n, std::array<T*, 4> const& c,
                      std::array<T const*, 3> const& rest) {
    T* KOKKOS_RESTRICT const c11 = c[0];
    T* KOKKOS_RESTRICT const c12 = c[1];
    T* KOKKOS_RESTRICT const c21 = c[2];
    T* KOKKOS_RESTRICT const c22 = c[3];
    T const* KOKKOS_RESTRICT const p1 = rest[0];
    T const* KOKKOS_RESTRICT const p3 = rest[1];
    T const* KOKKOS_RESTRICT const p5 = rest[2];
    for (std::int64_t i = 0; i < n; ++i) {
      T const p0 = c11[i];
      T const p2 = c12[i];
      T const p4 = c21[i];
      T const p6 = c22[i];
      c11[i] = p0 + p3[i] - p4 + p6;
      c12[i] = p2 + p4;
      c21[i] = p1[i] + p3[i];
      c22[i] = p0 - p1[i] + p2 + p5[i];
    }
  }
};

/// Winograd's variant (1971): 15 additions, with 4 sums of A (S) and 4 of B (T). The products in
/// order: A11 B11, A12 B21, S4 B22, A22 T4, S1 T1, S2 T2, S3 T3. Members as in StrassenForm.
struct WinogradForm {
  static constexpr int sums = 4;
  static constexpr int left[7] = {4, 5, 3, 7, 0, 1, 2};
  static constexpr int right[7] = {4, 6, 7, 3, 0, 1, 2};

  template <class T>
  static void add_left(std::int64_t n, std::array<T const*, 4> const& in,
                       std::array<T*, sums> const& out) {
    T const* KOKKOS_RESTRICT const a11 = in[0];
    T const* KOKKOS_RESTRICT const a12 = in[1];
    T const* KOKKOS_RESTRICT const a21 = in[2];
    T const* KOKKOS_RESTRICT const a22 = in[3];
    T* KOKKOS_RESTRICT const s1 = out[0];
    T* KOKKOS_RESTRICT const s2 = out[1];
    T* KOKKOS_RESTRICT const s3 = out[2];
    T* KOKKOS_RESTRICT const s4 = out[3];
    for (std::int64_t i = 0; i < n; ++i) {
      T const sum = a21[i] + a22[i];
      T const less = sum - a11[i];
      s1[i] = sum;
      s2[i] = less;
      s3[i] = a11[i] - a21[i];
      s4[i] = a12[i] - less;
    }
  }

  template <class T>
  static void add_right(std::int64_t n, std::array<T const*, 4> const& in,
                        std::array<T*, sums> const& out) {
    T const* KOKKOS_RESTRICT const b11 = in[0];
    T const* KOKKOS_RESTRICT const b12 = in[1];
    T const* KOKKOS_RESTRICT const b21 = in[2];
    T const* KOKKOS_RESTRICT const b22 = in[3];
    T* KOKKOS_RESTRICT const t1 = out[0];
    T* KOKKOS_RESTRICT const t2 = out[1];
    T* KOKKOS_RESTRICT const t3 = out[2];
    T* KOKKOS_RESTRICT const t4 = out[3];
    for (std::int64_t i = 0; i < n; ++i) {
      T const difference = b12[i] - b11[i];
      T const less = b22[i] - difference;
      t1[i] = difference;
      t2[i] = less;
      t3[i] = b22[i] - b12[i];
      t4[i] = less - b21[i];
    }
  }

  static constexpr int in_c[4] = {1, 4, 5, 6};
  static constexpr int elsewhere[3] = {0, 2, 3};
  template <class T>
  static void combine(std::int64_t n, std::array<T*, 4> const& c,
                      std::array<T const*, 3> const& rest) {
    T* KOKKOS_RESTRICT const c11 = c[0];
    T* KOKKOS_RESTRICT const c12 = c[1];
    T* KOKKOS_RESTRICT const c21 = c[2];
    T* KOKKOS_RESTRICT const c22 = c[3];
    T const* KOKKOS_RESTRICT const p0 = rest[0];
    T const* KOKKOS_RESTRICT const p2 = rest[1];
    T const* KOKKOS_RESTRICT const p3 = rest[2];
    for (std::int64_t i = 0; i < n; ++i) {
      T const p1 = c11[i];
      T const p4 = c12[i];
      T const u2 = p0[i] + c21[i];
      T const u3 = u2 + c22[i];
      c11[i] = p0[i] + p1;
      c12[i] = u2 + p4 + p2[i];
      c21[i] = u3 - p3[i];
      c22[i] = u3 + p4;
    }
  }
};

/// The factors that the products take from A, or from B: its quadrants, and sums of them in
/// temporaries. The temporaries have the orientation of the matrix, by rows or by columns.
template <class Form, class T>
class Factors {
 public:
  /// add(n, quadrants, sums) computes one line of every sum; see StrassenForm::add_left().
  template <class Add>
  Factors(Recursion<T>& shared, Fork& fork, Matrix<T const> const& matrix, Add const& add)
      : by_columns_(matrix.column_stride != 1), quadrants_(quadrants(matrix)) {
    for (auto& quadrant : quadrants_) {
      quadrant = lines_of(quadrant);
    }
    std::int64_t const lines = quadrants_[0].rows;
    std::int64_t const length = quadrants_[0].columns;
    for (auto& sum : sums_) {
      sum.emplace(shared.memory, lines, length);
    }
    shared.for_line_ranges(fork, lines, length, [&](std::int64_t first, std::int64_t count) {
      for (std::int64_t i = first; i < first + count; ++i) {
        std::array<T const*, 4> in;
        for (std::size_t q = 0; q < in.size(); ++q) {
          in[q] = &quadrants_[q](i, 0);
        }
        std::array<T*, Form::sums> out;
        for (std::size_t s = 0; s < out.size(); ++s) {
          out[s] = &(**sums_[s])(i, 0);
        }
        add(length, in, out);
      }
    });
  }

  /// Sum `index`; or from Form::sums on the quadrants 11, 12, 21, 22.
  Matrix<T const> operator[](int index) const {
    auto const i = static_cast<std::size_t>(index);
    return lines_of(i < sums_.size() ? Matrix<T const>(**sums_[i]) : quadrants_[i - sums_.size()]);
  }

 private:
  /// Converts between the orientation of the matrix and contiguous rows; it is its own inverse.
  Matrix<T const> lines_of(Matrix<T const> const& x) const {
    return by_columns_ ? x.transposed() : x;
  }

  bool by_columns_;
  std::array<Matrix<T const>, 4> quadrants_;
  std::array<std::optional<TemporaryMatrix<T>>, Form::sums> sums_;
};

/// C = alpha A B by `levels` levels of seven products, then by the kernel.
///
/// Requires: A and B with contiguous rows or columns, C with contiguous rows.
/// Cost: the temporaries of an open branch are a quarter of the matrix for each sum and for three
///   products. The branches below it take a third more.
template <class Form, class T>
void multiply_seven_products(Recursion<T>& shared, Fork& fork, std::uint64_t levels, T alpha,
                             Matrix<T const> a, Matrix<T const> b, Matrix<T> c) {
  if (levels == 0) {
    return shared.leaf(fork, alpha, a, b, T(0), c);
  }
  std::int64_t const m = c.rows / 2 * 2;
  std::int64_t const n = c.columns / 2 * 2;
  std::int64_t const k = a.columns / 2 * 2;
  {
    Factors<Form, T> const left(shared, fork, a.block(0, 0, m, k), [](auto const&... arguments) {
      Form::template add_left<T>(arguments...);
    });
    Factors<Form, T> const right(shared, fork, b.block(0, 0, k, n), [](auto const&... arguments) {
      Form::template add_right<T>(arguments...);
    });
    auto const out = quadrants(c.block(0, 0, m, n));
    std::array<std::optional<TemporaryMatrix<T>>, 3> rest;
    std::array<Matrix<T>, 7> products;
    for (std::size_t q = 0; q < out.size(); ++q) {
      products[static_cast<std::size_t>(Form::in_c[q])] = out[q];
    }
    for (std::size_t r = 0; r < rest.size(); ++r) {
      rest[r].emplace(shared.memory, m / 2, n / 2);
      products[static_cast<std::size_t>(Form::elsewhere[r])] = **rest[r];
    }
    fork.each(0, 7, [&](int p, Fork& inner) {
      multiply_seven_products<Form>(shared, inner, levels - 1, alpha, left[Form::left[p]],
                                    right[Form::right[p]], products[static_cast<std::size_t>(p)]);
    });
    shared.for_line_ranges(fork, m / 2, n / 2, [&](std::int64_t first, std::int64_t count) {
      for (std::int64_t i = first; i < first + count; ++i) {
        Form::template combine<T>(n / 2,
                                  {&out[0](i, 0), &out[1](i, 0), &out[2](i, 0), &out[3](i, 0)},
                                  {&(**rest[0])(i, 0), &(**rest[1])(i, 0), &(**rest[2])(i, 0)});
      }
    });
  }
  // The peeled row, column and step of k; each is empty if its extent is even.
  shared.leaf(fork, alpha, a.block(0, k, m, a.columns - k), b.block(k, 0, b.rows - k, n), T(1),
              c.block(0, 0, m, n));
  shared.leaf(fork, alpha, a.block(0, 0, m, a.columns), b.block(0, n, b.rows, b.columns - n), T(0),
              c.block(0, n, m, c.columns - n));
  shared.leaf(fork, alpha, a.block(m, 0, a.rows - m, a.columns), b, T(0),
              c.block(m, 0, c.rows - m, c.columns));
}

/// The depth of the recursion of multiply_seven_products(): it halves until the shortest extent is
/// at most the threshold.
inline std::uint64_t seven_product_levels(std::int64_t shortest, std::int64_t threshold) {
  std::uint64_t levels = 0;
  for (; shortest > threshold; shortest /= 2) {
    ++levels;
  }
  return levels;
}

/// True if all entries are finite. Otherwise the caller must not use these forms: differences of
/// quadrants would spread an infinity, as NaN, to entries of C that do not depend on it.
template <class T>
bool all_finite(Recursion<T>& shared, Fork& fork, Matrix<T const> const& x) {
  Matrix<T const> const lines = x.column_stride != 1 ? x.transposed() : x;
  std::atomic<bool> finite{true};
  shared.for_line_ranges(fork, lines.rows, lines.columns,
                         [&](std::int64_t first, std::int64_t count) {
                           bool all = true;
                           for (std::int64_t i = first; i < first + count; ++i) {
                             for (std::int64_t j = 0; j < lines.columns; ++j) {
                               all &= is_finite(lines(i, j));
                             }
                           }
                           if (!all) {
                             // relaxed: all threads store the same value, and the join
                             // publishes it before the load below.
                             finite.store(false, std::memory_order_relaxed);
                           }
                         });
  return finite.load(std::memory_order_relaxed);
}

/// C = alpha A B + beta C by Form, for any strides: copies operands whose rows and columns are not
/// contiguous, and computes into a temporary if beta is not 0 or C's rows are not contiguous.
template <class Form, class T>
void multiply_fast(Recursion<T>& shared, Fork& fork, std::uint64_t levels, T alpha,
                   Matrix<T const> a, Matrix<T const> b, T beta, Matrix<T> c) {
  std::array<std::optional<TemporaryMatrix<T>>, 3> copies;
  auto const with_lines = [&](Matrix<T const> const& x, std::optional<TemporaryMatrix<T>>& copy) {
    if (x.column_stride == 1 || x.row_stride == 1) {
      return x;
    }
    copy.emplace(shared.memory, x.rows, x.columns);
    shared.for_line_ranges(fork, x.rows, x.columns, [&](std::int64_t first, std::int64_t count) {
      for (std::int64_t i = first; i < first + count; ++i) {
        for (std::int64_t j = 0; j < x.columns; ++j) {
          (**copy)(i, j) = x(i, j);
        }
      }
    });
    return Matrix<T const>(**copy);
  };
  a = with_lines(a, copies[0]);
  b = with_lines(b, copies[1]);
  if (beta == 0 && c.column_stride == 1) {
    return multiply_seven_products<Form>(shared, fork, levels, alpha, a, b, c);
  }
  copies[2].emplace(shared.memory, c.rows, c.columns);
  Matrix<T> const product = **copies[2];
  multiply_seven_products<Form>(shared, fork, levels, alpha, a, b, product);
  shared.for_line_ranges(fork, c.rows, c.columns, [&](std::int64_t first, std::int64_t count) {
    for (std::int64_t i = first; i < first + count; ++i) {
      for (std::int64_t j = 0; j < c.columns; ++j) {
        c(i, j) = product(i, j) + scaled(beta, c(i, j));
      }
    }
  });
}

}  // namespace taper::matmul::detail
