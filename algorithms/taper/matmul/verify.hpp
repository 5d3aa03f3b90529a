// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/matmul/double_double.hpp>
#include <taper/matmul/matrix.hpp>
#include <taper/matmul/options.hpp>
#include <taper/matmul/report.hpp>
#include <taper/random.hpp>
#include <taper/region.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

// Verification of products. It is independent of the engines: products here follow the definition,
// in twice the precision of double.
// Used by: taper verify, taper run, tests, perf.

namespace taper::matmul {

/// The distance of a result from the exact product.
struct Residual {
  double scaled = 0;  ///< in units of one rounding error; see scaled_residual()
  double bound = 0;   ///< the largest value that rounding alone can cause; see error_bound()

  /// True if the result is right up to rounding. False for NaN.
  bool within() const { return scaled <= bound; }
};

/// The unit roundoff u: the largest relative error of one rounding.
template <class T>
inline constexpr double unit_roundoff = std::numeric_limits<T>::epsilon() / 2;

namespace detail {

/// |difference| in units of u * size; infinite if it is NaN.
template <class T>
KOKKOS_FUNCTION double in_units_of_rounding(double difference, double size) {
  double const distance = Kokkos::abs(difference);
  if (distance == 0) {
    return 0;
  }
  double const unit = unit_roundoff<T> * size + double(Kokkos::Experimental::denorm_min_v<T>);
  double const units = distance / unit;
  return units >= 0 ? units : Kokkos::Experimental::infinity_v<double>;
}

/// A random vector of +1 and -1; entry j belongs to column j.
struct RandomSigns {
  RandomStream random;

  KOKKOS_FUNCTION double operator()(std::int64_t j) const {
    return (random.at(static_cast<std::uint64_t>(j)) >> 63) == 0 ? 1 : -1;
  }
};

/// For row i of B: the sum of its entries times the signs, and the sum of their absolute values.
template <class T, class Sums, class Sizes>
struct SignedRowSums {
  Matrix<T const> b;
  RandomSigns signs;
  Sums sums;
  Sizes sizes;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    DoubleDouble sum;
    double size = 0;
    for (std::int64_t j = 0; j < b.columns; ++j) {
      double const entry = b(i, j);
      sum.add(signs(j) * entry);
      size += Kokkos::abs(entry);
    }
    sums(i) = sum;
    sizes(i) = size;
  }
};

/// For row i of C - alpha A B - beta `before`: the row times the signs, in units of u times the sum
/// of the absolute values of its terms. If `norm` is not 0, it takes the place of |alpha| |A| |B|.
template <class T, class Sums, class Sizes>
struct ResidualRow {
  Matrix<T const> a;
  Matrix<T const> before;
  Matrix<T const> c;
  double alpha;
  double beta;
  RandomSigns signs;
  Sums sums;
  Sizes sizes;
  double norm;

  KOKKOS_FUNCTION void operator()(std::int64_t i, double& worst) const {
    DoubleDouble product;
    double size = 0;
    for (std::int64_t k = 0; k < a.columns; ++k) {
      double const entry = a(i, k);
      product.add_product(entry, sums(k));
      size += Kokkos::abs(entry) * sizes(k);
    }
    size = norm != 0 ? norm : Kokkos::abs(alpha) * size;
    DoubleDouble difference;
    for (std::int64_t j = 0; j < c.columns; ++j) {
      difference.add(signs(j) * c(i, j));
      if (beta != 0) {
        double const entry = before(i, j);
        difference.add_product(-beta * signs(j), entry);
        size += Kokkos::abs(beta * entry);
      }
    }
    if (alpha != 0) {
      difference.add_product(-alpha, product);
    }
    worst = Kokkos::max(worst, in_units_of_rounding<T>(difference.value(), size));
  }
};

/// The largest absolute value of an entry of row i.
template <class T>
struct LargestEntry {
  Matrix<T const> x;

  KOKKOS_FUNCTION void operator()(std::int64_t i, double& largest) const {
    for (std::int64_t j = 0; j < x.columns; ++j) {
      largest = Kokkos::max(largest, Kokkos::abs(double(x(i, j))));
    }
  }
};

/// The error of entry (i, j) of C, compared with its definition.
template <class T>
struct EntryError {
  Matrix<T const> a;
  Matrix<T const> b;
  Matrix<T const> before;
  Matrix<T const> c;
  double alpha;
  double beta;

  KOKKOS_FUNCTION void operator()(std::int64_t entry, double& worst) const {
    std::int64_t const i = entry / c.columns;
    std::int64_t const j = entry % c.columns;
    DoubleDouble product;
    double size = 0;
    for (std::int64_t k = 0; k < a.columns && alpha != 0; ++k) {
      double const x = a(i, k);
      double const y = b(k, j);
      product.add_product(x, y);
      size += Kokkos::abs(x * y);
    }
    DoubleDouble difference{c(i, j), 0};
    difference.add_product(-alpha, product);
    size *= Kokkos::abs(alpha);
    if (beta != 0) {
      difference.add_product(-beta, double(before(i, j)));
      size += Kokkos::abs(beta * before(i, j));
    }
    worst = Kokkos::max(worst, in_units_of_rounding<T>(difference.value(), size));
  }
};

template <class Space>
using RowRange = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;

template <class Space, class T>
double largest_entry(Space const& where, Matrix<T const> const& x) {
  double largest = 0;
  Kokkos::parallel_reduce("taper::matmul::largest_entry", RowRange<Space>(where, 0, x.rows),
                          LargestEntry<T>{x}, Kokkos::Max<double>(largest));
  where.fence("taper::matmul::largest_entry: wait for the norm");
  return largest;
}

}  // namespace detail

/// The error bound of the engine in `report` for a product of depth k.
///
/// In units of u |A| |B|, entry by entry: the bound k of the sum of k products term by term, which
/// no engine exceeds, plus 3 for alpha and beta C. For strassen and winograd in units of u times
/// the largest entries of A and B; see strassen.hpp.
inline double error_bound(Report const& report, std::int64_t k) {
  bool const strassen = report.engine == Engine::strassen;
  double const depth = static_cast<double>(k);
  if (report.levels == 0 || (!strassen && report.engine != Engine::winograd)) {
    return depth + 3;
  }
  auto const levels = static_cast<double>(report.levels);
  double const inner = std::ceil(depth / std::exp2(levels));
  double const growth = std::pow(strassen ? 12.0 : 18.0, levels);
  double const additions = strassen ? 5.0 : 6.0;
  return growth * (inner * inner + additions * inner) + depth * (depth + 3);
}

/// Checks that C = alpha A B + beta `before`, up to rounding (Freivalds' check).
///
/// Multiplies both sides with random vectors of +1 and -1, in twice the precision, and returns the
/// largest entry of the difference. `report` must be the product's, since the bound depends on
/// engine and levels. beta = 0: does not read `before`. alpha = 0: does not read A and B.
/// Ensures: a right product is within the bound. If a row has an entry that is wrong by more than
///   the bound of its row sum, each of the `rounds` vectors finds it with a probability of at least
///   1/2. If that entry is the row's only wrong one, every vector finds it.
/// Requires: extents that fit, finite entries, and Views that `where` reaches.
/// Cost: rounds * O(m k + k n + m n) operations; 24 k bytes.
/// Async: returns with `where` fenced.
/// Source: Freivalds, "Fast probabilistic algorithms", MFCS 1979.
template <class Space, class AView, class BView, class BeforeView, class CView>
Residual scaled_residual(Space const& where, double alpha, AView const& a_view, BView const& b_view,
                         double beta, BeforeView const& before_view, CView const& c_view,
                         Report const& report, int rounds = 2, std::uint64_t seed = 1) {
  using T = typename CView::non_const_value_type;
  using Memory = typename Space::memory_space;
  Region const region("taper::matmul::scaled_residual");
  Matrix<T const> const a = matrix_of(a_view);
  Matrix<T const> const b = matrix_of(b_view);
  Matrix<T const> const before = matrix_of(before_view);
  Matrix<T const> const c = matrix_of(c_view);
  Residual result{.bound = error_bound(report, a.columns)};
  bool const is_normwise = result.bound > static_cast<double>(a.columns) + 3;
  double const norm = is_normwise
                          ? std::abs(alpha) * static_cast<double>(c.columns) *
                                detail::largest_entry(where, a) * detail::largest_entry(where, b)
                          : 0;

  using Sums = Kokkos::View<DoubleDouble*, Memory>;
  using Sizes = Kokkos::View<double*, Memory>;
  auto const inner = static_cast<std::size_t>(alpha != 0 ? a.columns : 0);
  Sums const sums(Kokkos::view_alloc(where, "taper::matmul::sums"), inner);
  Sizes const sizes(Kokkos::view_alloc(where, "taper::matmul::sizes"), inner);
  Matrix<T const> const left = alpha != 0 ? a : a.block(0, 0, a.rows, 0);
  for (int round = 0; round < rounds; ++round) {
    detail::RandomSigns const signs{RandomStream(seed, static_cast<std::uint64_t>(round))};
    Kokkos::parallel_for("taper::matmul::sum_rows",
                         detail::RowRange<Space>(where, 0, static_cast<std::int64_t>(inner)),
                         detail::SignedRowSums<T, Sums, Sizes>{b, signs, sums, sizes});
    double worst = 0;
    Kokkos::parallel_reduce(
        "taper::matmul::residual", detail::RowRange<Space>(where, 0, c.rows),
        detail::ResidualRow<T, Sums, Sizes>{left, before, c, alpha, beta, signs, sums, sizes, norm},
        Kokkos::Max<double>(worst));
    where.fence("taper::matmul::residual: wait for the largest entry");
    result.scaled = std::max(result.scaled, worst);
  }
  return result;
}

/// The largest error of an entry of C, in units of u (|alpha| |A| |B| + |beta| |before|) of that
/// entry. Computes each entry again, in twice the precision. The bounds in loops.hpp are in these
/// units.
///
/// Requires, Async: as scaled_residual().
/// Cost: O(m n k), about ten times the time of the plain loops.
template <class Space, class AView, class BView, class BeforeView, class CView>
double largest_error(Space const& where, double alpha, AView const& a, BView const& b, double beta,
                     BeforeView const& before, CView const& c) {
  using T = typename CView::non_const_value_type;
  Region const region("taper::matmul::largest_error");
  detail::EntryError<T> const error{matrix_of(a), matrix_of(b), matrix_of(before),
                                    matrix_of(c), alpha,        beta};
  double worst = 0;
  Kokkos::parallel_reduce("taper::matmul::largest_error",
                          detail::RowRange<Space>(where, 0, error.c.rows * error.c.columns), error,
                          Kokkos::Max<double>(worst));
  where.fence("taper::matmul::largest_error: wait for the largest error");
  return worst;
}

}  // namespace taper::matmul
