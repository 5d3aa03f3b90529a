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

// Independent of the engines: nothing here multiplies matrices but the definition, in twice the
// precision.

namespace taper::matmul {

/// How far a result is from the product, in units of what one rounding makes of it, and what rounding
/// alone may come to.
struct Residual {
  double scaled = 0;
  double bound = 0;

  /// NaN is within no bound.
  bool within() const { return scaled <= bound; }
};

/// u: a result is rounded by at most u of itself.
template <class T>
inline constexpr double unit_roundoff = std::numeric_limits<T>::epsilon() / 2;

namespace detail {

/// |difference| in units of u * size; infinite where it is no number.
template <class T>
KOKKOS_FUNCTION double in_units(double difference, double size) {
  double const distance = Kokkos::abs(difference);
  if (distance == 0) {
    return 0;
  }
  constexpr double least = std::numeric_limits<T>::denorm_min();
  double const unit = unit_roundoff<T> * size + least;
  double const units = distance / unit;
  return units >= 0 ? units : Kokkos::Experimental::infinity_v<double>;
}

/// One of +1 and -1 for each column.
struct Signs {
  RandomStream random;

  KOKKOS_FUNCTION double operator()(std::int64_t j) const {
    return (random.at(static_cast<std::uint64_t>(j)) >> 63) == 0 ? 1 : -1;
  }
};

/// Row i of B times the signs, and the sum of its sizes.
template <class T, class Sums, class Sizes>
struct SumRows {
  Matrix<T const> b;
  Signs signs;
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

/// Row i of C - alpha A B - beta `before`, times the signs, in units of what it is made of; or, where
/// `norm` is not 0, of u times that.
template <class T, class Sums, class Sizes>
struct ResidualRow {
  Matrix<T const> a;
  Matrix<T const> before;
  Matrix<T const> c;
  double alpha;
  double beta;
  Signs signs;
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
    worst = Kokkos::max(worst, in_units<T>(difference.value(), size));
  }
};

template <class T>
struct LargestEntry {
  Matrix<T const> x;

  KOKKOS_FUNCTION void operator()(std::int64_t i, double& largest) const {
    for (std::int64_t j = 0; j < x.columns; ++j) {
      largest = Kokkos::max(largest, Kokkos::abs(double(x(i, j))));
    }
  }
};

/// Entry (i, j) of C against its definition.
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
    worst = Kokkos::max(worst, in_units<T>(difference.value(), size));
  }
};

template <class Space>
using Lines = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;

template <class Space, class T>
double largest_entry(Space const& where, Matrix<T const> const& x) {
  double largest = 0;
  Kokkos::parallel_reduce("taper::matmul::largest_entry", Lines<Space>(where, 0, x.rows),
                          LargestEntry<T>{x}, Kokkos::Max<double>(largest));
  where.fence("taper::matmul::largest_entry: the norm has arrived");
  return largest;
}

}  // namespace detail

/// The error bound of an engine in units of u |A| |B|, entry by entry: k products and their sum one
/// after the other, which none of them exceeds, times alpha, plus beta C. Of strassen and winograd, in
/// units of u times the largest entries of A and of B; see strassen.hpp.
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

/// Whether C = alpha A B + beta `before`, up to rounding: both sides times random vectors of +1 and
/// -1, in twice the precision, the largest entry of the difference.
///
/// `before` is not read where beta = 0; A and B are not where alpha = 0. `report` is the product's: the
/// bound depends on engine and levels.
/// Ensures: a right product is within the bound. Of a row with an entry that is wrong by more than the
///   bound allows the sum of its row, each of `rounds` vectors shows as much with a probability of at
///   least 1/2; of a row with one wrong entry, always.
/// Requires: extents that fit, and finite entries; views that `where` reaches.
/// Cost: rounds * O(m k + k n + m n); 24 bytes for each of k.
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
  bool const by_norm = result.bound > static_cast<double>(a.columns) + 3;
  double const norm = by_norm
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
    detail::Signs const signs{RandomStream(seed, static_cast<std::uint64_t>(round))};
    Kokkos::parallel_for("taper::matmul::sum_rows",
                         detail::Lines<Space>(where, 0, static_cast<std::int64_t>(inner)),
                         detail::SumRows<T, Sums, Sizes>{b, signs, sums, sizes});
    double worst = 0;
    Kokkos::parallel_reduce(
        "taper::matmul::residual", detail::Lines<Space>(where, 0, c.rows),
        detail::ResidualRow<T, Sums, Sizes>{left, before, c, alpha, beta, signs, sums, sizes, norm},
        Kokkos::Max<double>(worst));
    where.fence("taper::matmul::residual: the largest entry has arrived");
    result.scaled = std::max(result.scaled, worst);
  }
  return result;
}

/// The largest error of an entry of C, in units of u (|alpha| |A| |B| + |beta| |before|) there; each
/// entry is computed anew, in twice the precision. The bounds in loops.hpp are in these units.
///
/// Requires, Async: as scaled_residual().
/// Cost: O(m n k), some ten times as slow as plain loops.
template <class Space, class AView, class BView, class BeforeView, class CView>
double largest_error(Space const& where, double alpha, AView const& a, BView const& b, double beta,
                     BeforeView const& before, CView const& c) {
  using T = typename CView::non_const_value_type;
  Region const region("taper::matmul::largest_error");
  detail::EntryError<T> const error{matrix_of(a), matrix_of(b), matrix_of(before),
                                    matrix_of(c), alpha,        beta};
  double worst = 0;
  Kokkos::parallel_reduce("taper::matmul::largest_error",
                          detail::Lines<Space>(where, 0, error.c.rows * error.c.columns), error,
                          Kokkos::Max<double>(worst));
  where.fence("taper::matmul::largest_error: the largest error has arrived");
  return worst;
}

}  // namespace taper::matmul
