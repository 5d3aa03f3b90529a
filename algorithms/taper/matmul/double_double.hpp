// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/matmul/rounding.hpp>

#include <Kokkos_Core.hpp>

namespace taper::matmul {

/// Accumulates a sum of products in twice the precision of double.
/// Used by: verify.hpp (residuals) and generate.hpp.
///
/// Error of a sum of k products before it is rounded to one double: about
/// u |sum| + k^2 u^2 (sum of |products|), u = 2^-53. Products of floats are exact.
/// Source: Dot2 of Ogita, Rump and Oishi, "Accurate sum and dot product", SIAM J. Sci. Comput.
///   26(6), 2005; TwoSum is Knuth's, TwoProduct by fused multiply-add.
struct DoubleDouble {
  double high = 0;  ///< the sum, rounded
  double low = 0;   ///< the sum of its rounding errors

  KOKKOS_FUNCTION void add(double x) {
    double const sum = rounded(high + x);
    double const added = rounded(sum - high);  // the part of x that is in `sum`
    low += rounded(rounded(high - rounded(sum - added)) + rounded(x - added));
    high = sum;
  }

  KOKKOS_FUNCTION void add_product(double x, double y) {
    double const product = rounded(x * y);
    add(product);
    low += Kokkos::fma(x, y, -product);
  }

  /// Adds x * y, with y in twice the precision.
  KOKKOS_FUNCTION void add_product(double x, DoubleDouble const& y) {
    add_product(x, y.high);
    low += x * y.low;
  }

  KOKKOS_FUNCTION double value() const { return high + low; }
};

}  // namespace taper::matmul
