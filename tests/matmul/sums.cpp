// SPDX-License-Identifier: Apache-2.0
//
// Tests the error bounds in loops.hpp on sums with cancellation. Compiled twice: sums_fast_math.cpp
// includes this file and is compiled with -ffast-math, which must not remove the compensation.
#include <taper/matmul/loops.hpp>

#include <taper/matmul/generate.hpp>
#include <taper/matmul/panels.hpp>
#include <taper/matmul/verify.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace {

using namespace taper::matmul;
using Host = Kokkos::DefaultHostExecutionSpace;

template <class T>
struct Factors {
  using View = Kokkos::View<T**, Kokkos::LayoutRight, Kokkos::HostSpace>;
  View a;
  View b;
  View c;

  Factors(std::int64_t n, std::int64_t k, double condition)
      : a("a", static_cast<std::size_t>(n), static_cast<std::size_t>(k)),
        b("b", static_cast<std::size_t>(k), static_cast<std::size_t>(n)),
        c("c", static_cast<std::size_t>(n), static_cast<std::size_t>(n)) {
    Workload const workload{.family = Family::ill_conditioned, .condition = condition};
    generate(Host{}, workload, Factor::left, a);
    generate(Host{}, workload, Factor::right, b);
  }

  double error() const { return largest_error(Host{}, 1, a, b, 0, c, c); }
};

/// The largest error of an entry, in units of u |a|.|b|.
template <class Sum, class T>
double error_of(Factors<T> const& x) {
  detail::multiply_ijk<Sum, T>(T(1), matrix_of(x.a), matrix_of(x.b), T(0), matrix_of(x.c));
  return x.error();
}

template <class T>
void stay_within_bounds(double condition) {
  for (std::int64_t const k : {2, 100, 2000}) {
    Factors<T> const x(6, k, condition);
    auto const depth = static_cast<double>(k);
    double const u = unit_roundoff<T>;
    double const run = detail::PairwiseSum::run;
    double const second_order = 2 * depth * depth * u;
    EXPECT_LE(error_of<detail::PlainSum>(x), depth);
    EXPECT_LE(error_of<detail::KahanSum>(x), 3 + second_order);
    // u |sum| is below u |a|.|b|.
    EXPECT_LE(error_of<detail::NeumaierSum>(x), 2 + second_order);
    EXPECT_LE(error_of<detail::PairwiseSum>(x),
              run + std::max(0.0, std::ceil(std::log2(depth / run))));
    detail::multiply_ikj<T>(T(1), matrix_of(x.a), matrix_of(x.b), T(0), matrix_of(x.c));
    EXPECT_LE(x.error(), depth);
  }
}

TEST(Sums, StayWithinTheirBoundsInDouble) {
  for (double const condition : {1e2, 1e8, 1e15, 1e25}) {
    stay_within_bounds<double>(condition);
  }
}

TEST(Sums, StayWithinTheirBoundsInFloat) {
  for (double const condition : {1e2, 1e6, 1e12}) {
    stay_within_bounds<float>(condition);
  }
}

/// The error, in units of epsilon, of a sum of 1 and k summands that are below half a unit of it. A
/// plain sum loses all of them.
template <class Sum, class T>
T lost_by(std::int64_t k) {
  T const small = std::numeric_limits<T>::epsilon() / 4;
  std::vector<T> a(static_cast<std::size_t>(k) + 1, small);
  a.front() = 1;
  std::vector<T> const b(a.size(), T(1));
  T const sum = Sum::dot(detail::DotOperands<T>{a.data(), b.data(), 1, 1}, 0, k + 1);
  T const exact = 1 + static_cast<T>(k) * small;
  return std::abs(sum - exact) / std::numeric_limits<T>::epsilon();
}

template <class T>
void keep_small_summands() {
  std::int64_t const k = 4000;
  EXPECT_LE((lost_by<detail::KahanSum, T>(k)), 1);
  EXPECT_LE((lost_by<detail::NeumaierSum, T>(k)), 1);
  EXPECT_LE((lost_by<detail::PairwiseSum, T>(k)), 8);
#ifndef __FAST_MATH__
  EXPECT_GT((lost_by<detail::PlainSum, T>(k)), 900) << "the case must be hard for a plain sum";
#endif
}

TEST(Sums, CompensatedSumsKeepSmallSummands) {
  keep_small_summands<double>();
  keep_small_summands<float>();
}

/// 1 + 2^100 + 1 - 2^100: Kahan's sum loses the ones, Neumaier's does not.
TEST(Sums, NeumaiersSumSurvivesALargerSummand) {
  std::vector<double> const a{1, 0x1p100, 1, -0x1p100};
  std::vector<double> const b(4, 1.0);
  detail::DotOperands<double> const x{a.data(), b.data(), 1, 1};
  EXPECT_EQ(detail::NeumaierSum::dot(x, 0, 4), 2);
  EXPECT_EQ(detail::KahanSum::dot(x, 0, 4), 0);
}

/// Twice the precision suffices for a reference: the rounding error of a product in double is
/// exact.
TEST(DoubleDouble, IsExactForSumsThatDoubleRounds) {
  DoubleDouble sum;
  sum.add_product(1 + 0x1p-30, 1 + 0x1p-30);
  sum.add(-1);
  sum.add(-0x1p-29);
  EXPECT_EQ(sum.value(), 0x1p-60);
  DoubleDouble large;
  large.add(0x1p80);
  large.add(1);
  large.add_product(0x1p-20, DoubleDouble{0x1p20, 0x1p-20});
  large.add(-0x1p80);
  EXPECT_EQ(large.value(), 2 + 0x1p-40);
}

}  // namespace
