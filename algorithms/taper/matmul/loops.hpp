// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/matmul/matrix.hpp>
#include <taper/matmul/rounding.hpp>
#include <taper/stop.hpp>

#include <Kokkos_Macros.hpp>

#include <cmath>
#include <cstdint>

// The plain loops, on one thread. They end after a row of C if the flag is set.
// Used by: kernels.hpp.
//
// Error bounds hold for one entry of C = A B, to first order in the unit roundoff u (2^-53 or
// 2^-24). |a|.|b| is the sum over k of |A(i,k)| |B(k,j)|. alpha and beta add two roundings of the
// result.

namespace taper::matmul::detail {

/// beta * c, or 0 without reading c if beta = 0.
template <class T>
T scaled(T beta, T const& c) {
  return beta == 0 ? T(0) : beta * c;
}

/// The operands of a dot product: a row of A and a column of B.
template <class T>
struct DotOperands {
  T const* a;
  T const* b;
  std::int64_t a_stride;
  std::int64_t b_stride;

  T product(std::int64_t k) const { return a[k * a_stride] * b[k * b_stride]; }
};

/// The sum of Algorithm 2, term by term. Error: k u |a|.|b|.
/// Source: Higham, "Accuracy and Stability of Numerical Algorithms", 2002, (3.5).
struct PlainSum {
  template <class T>
  static T dot(DotOperands<T> const& x, std::int64_t begin, std::int64_t end) {
    T sum = 0;
    for (std::int64_t k = begin; k < end; ++k) {
      sum += x.product(k);
    }
    return sum;
  }
};

/// Algorithm 1, Kahan's sum: the rounding error of each addition corrects the next summand.
///
/// Error: 2 u |a|.|b| for the sum, independent of k, and u |a|.|b| for rounding the products; in
/// all 3 u |a|.|b| + O(k u^2) |a|.|b|.
/// Source: Kahan, "Further remarks on reducing truncation errors", CACM 8(1), 1965; Higham (4.8).
struct KahanSum {
  template <class T>
  static T dot(DotOperands<T> const& x, std::int64_t begin, std::int64_t end) {
    T sum = 0;
    T lost = 0;
    for (std::int64_t k = begin; k < end; ++k) {
      T const summand = rounded(x.product(k) - lost);
      T const next = rounded(sum + summand);
      lost = rounded(rounded(next - sum) - summand);
      sum = next;
    }
    return sum;
  }
};

/// Neumaier's sum: rounding errors are summed separately and added at the end. It is accurate also
/// if a summand is larger than the sum so far, when Kahan's sum loses the correction.
///
/// Error: u |sum| + k^2 u^2 |a|.|b| for the sum, and u |a|.|b| for rounding the products.
/// Source: Neumaier, "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen", ZAMM
///   54, 1974; the constant as for Sum2 in Ogita, Rump and Oishi, "Accurate sum and dot product",
///   SIAM J. Sci. Comput. 26(6), 2005, Proposition 4.5.
struct NeumaierSum {
  template <class T>
  static T dot(DotOperands<T> const& x, std::int64_t begin, std::int64_t end) {
    T sum = 0;
    T lost = 0;
    for (std::int64_t k = begin; k < end; ++k) {
      T const summand = rounded(x.product(k));
      T const next = rounded(sum + summand);
      T const larger = std::abs(sum) >= std::abs(summand) ? sum : summand;
      T const smaller = std::abs(sum) >= std::abs(summand) ? summand : sum;
      lost += rounded(rounded(larger - next) + smaller);
      sum = next;
    }
    return sum + lost;
  }
};

/// Pairwise sum: adds the sums of two halves, down to runs of `run` products that are summed term
/// by term. Error: (run + ceil(log2(k / run))) u |a|.|b|.
/// Source: Higham, "The accuracy of floating point summation", SIAM J. Sci. Comput. 14(4), 1993.
struct PairwiseSum {
  static constexpr std::int64_t run = 16;

  template <class T>
  static T dot(DotOperands<T> const& x, std::int64_t begin, std::int64_t end) {
    if (end - begin <= run) {
      return PlainSum::dot(x, begin, end);
    }
    std::int64_t const middle = begin + (end - begin) / 2;
    return rounded(dot(x, begin, middle)) + rounded(dot(x, middle, end));
  }
};

/// The ijk loop (Algorithm 2): a dot product for each entry. Reads B by columns.
///
/// If a compensated sum is not finite, the entry is the plain sum. The correction of an infinite
/// sum is infinity minus infinity, NaN, while the IEEE sum may be infinite.
template <class Sum, class T>
void multiply_ijk(T alpha, Matrix<T const> a, Matrix<T const> b, T beta, Matrix<T> c,
                  StopFlag stop = {}) {
  for (std::int64_t i = 0; i < c.rows && !stop.is_set(); ++i) {
    for (std::int64_t j = 0; j < c.columns; ++j) {
      DotOperands<T> const x{&a(i, 0), &b(0, j), a.column_stride, b.row_stride};
      T sum = Sum::dot(x, 0, a.columns);
      if (!is_finite(sum)) {
        sum = PlainSum::dot(x, 0, a.columns);
      }
      c(i, j) = alpha * sum + scaled(beta, c(i, j));
    }
  }
}

/// The ikj loop (Algorithm 3): adds rows of B, times an entry of A, to a row of C. Reads and writes
/// along rows. Error: k u |a|.|b|.
template <class T>
void multiply_ikj(T alpha, Matrix<T const> a, Matrix<T const> b, T beta, Matrix<T> c,
                  StopFlag stop = {}) {
  for (std::int64_t i = 0; i < c.rows && !stop.is_set(); ++i) {
    for (std::int64_t j = 0; j < c.columns; ++j) {
      c(i, j) = scaled(beta, c(i, j));
    }
    for (std::int64_t k = 0; k < a.columns; ++k) {
      T const x = alpha * a(i, k);
      T const* KOKKOS_RESTRICT const from = &b(k, 0);
      T* KOKKOS_RESTRICT const to = &c(i, 0);
      if (b.column_stride == 1 && c.column_stride == 1) {  // the compiler vectorises this loop
        for (std::int64_t j = 0; j < c.columns; ++j) {
          to[j] += x * from[j];
        }
      } else {
        for (std::int64_t j = 0; j < c.columns; ++j) {
          to[j * c.column_stride] += x * from[j * b.column_stride];
        }
      }
    }
  }
}

}  // namespace taper::matmul::detail
