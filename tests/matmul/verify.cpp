// SPDX-License-Identifier: Apache-2.0
#include <taper/matmul/verify.hpp>

#include <taper/matmul/double_double.hpp>
#include <taper/matmul/generate.hpp>
#include <taper/matmul/matmul.hpp>

#include <support/backends.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

namespace {

using namespace taper::matmul;
using Host = Kokkos::DefaultHostExecutionSpace;
using HostMatrix = Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;

/// Runs the verification on `Space`. The products to verify are computed on the host.
template <class Space>
struct Verify : ::testing::Test {
  template <class T>
  using View = Kokkos::View<T**, Kokkos::LayoutRight, typename Space::memory_space>;

  template <class T>
  static View<T>
  on_space(Kokkos::View<T**, Kokkos::LayoutRight, Kokkos::HostSpace> const& on_host) {
    return Kokkos::create_mirror_view_and_copy(typename Space::memory_space{}, on_host);
  }
};
TYPED_TEST_SUITE(Verify, taper::testing::Backends, taper::testing::BackendNames);

template <class T>
struct Product {
  using View = Kokkos::View<T**, Kokkos::LayoutRight, Kokkos::HostSpace>;
  View a;
  View b;
  View before;
  View c;
  Report report;
  T alpha;
  T beta;

  Product(std::size_t m, std::size_t n, std::size_t k, T alpha_, T beta_, Options options)
      : a("a", m, k), b("b", k, n), before("before", m, n), c("c", m, n), alpha(alpha_),
        beta(beta_) {
    options.scheduler = taper::Scheduler::serial;
    generate(Host{}, {}, Factor::left, a);
    generate(Host{}, {}, Factor::right, b);
    generate(Host{}, {.seed = 9}, Factor::left, before);
    Kokkos::deep_copy(c, before);
    report = multiply(Host{}, alpha, a, b, beta, c, options);
  }
};

template <class Space, class T>
Residual residual(Product<T> const& x, std::uint64_t seed = 1) {
  using Suite = Verify<Space>;
  return scaled_residual(Space{}, x.alpha, Suite::on_space(x.a), Suite::on_space(x.b), x.beta,
                         Suite::on_space(x.before), Suite::on_space(x.c), x.report, 2, seed);
}

template <class Space, class T>
void expect_right_and_wrong_told_apart(double factor) {
  for (auto const engine : {Engine::serial, Engine::packed, Engine::strassen, Engine::winograd}) {
    Product<T> const x(45, 37, 83, T(2), T(-1), {.engine = engine, .threshold = 20});
    for (std::uint64_t seed = 1; seed < 6; ++seed) {
      Residual const right = residual<Space>(x, seed);
      EXPECT_TRUE(right.within()) << to_string(engine) << ": " << right.scaled << " of "
                                  << right.bound;
      EXPECT_GT(right.scaled, 0) << "no product of reals is exact";
    }
    // Changes one entry, a row, a summand of every entry, or all entries.
    auto const spoil = [&](auto const& change) {
      Product<T> y = x;
      y.c = typename Product<T>::View("c", 45, 37);
      Kokkos::deep_copy(y.c, x.c);
      change(y.c);
      for (std::uint64_t seed = 1; seed < 6; ++seed) {
        EXPECT_FALSE(residual<Space>(y, seed).within()) << to_string(engine);
      }
    };
    T const by = static_cast<T>(factor);
    spoil([&](auto const& c) { c(44, 36) += by; });
    spoil([&](auto const& c) { c(0, 0) -= by; });
    spoil([&](auto const& c) { c(7, 3) = std::numeric_limits<T>::quiet_NaN(); });
    spoil([&](auto const& c) { c(7, 3) = std::numeric_limits<T>::infinity(); });
    spoil([&](auto const& c) {
      for (std::size_t j = 0; j < 37; ++j) {
        c(20, j) = c(21, j);
      }
    });
    spoil([&](auto const& c) {
      for (std::size_t i = 0; i < 45; ++i) {
        for (std::size_t j = 0; j < 37; ++j) {
          c(i, j) -= x.alpha * x.a(i, 40) * x.b(40, j);
        }
      }
    });
    spoil([&](auto const& c) { Kokkos::deep_copy(c, T(0)); });
  }
}

TYPED_TEST(Verify, AcceptsRightProductsAndRejectsWrongOnes) {
  expect_right_and_wrong_told_apart<TypeParam, double>(1e-6);
  expect_right_and_wrong_told_apart<TypeParam, float>(0.5);
}

TYPED_TEST(Verify, LargestErrorFindsTheWorstEntry) {
  TypeParam const where;
  auto const on_space = [](HostMatrix const& x) { return Verify<TypeParam>::on_space(x); };
  HostMatrix const a("a", 2, 1);
  HostMatrix const b("b", 1, 2);
  HostMatrix const c("c", 2, 2);
  a(0, 0) = 3;
  a(1, 0) = 5;
  b(0, 0) = 7;
  b(0, 1) = -1;
  c(0, 0) = 21;
  c(0, 1) = -3;
  c(1, 0) = 35;
  c(1, 1) = -5;
  auto const error = [&] {
    return largest_error(where, 1, on_space(a), on_space(b), 0, on_space(c), on_space(c));
  };
  EXPECT_EQ(error(), 0);
  c(1, 0) = 35 + 0x1p-45;
  EXPECT_NEAR(error(), 0x1p-45 / (0x1p-53 * 35), 1e-9);
  c(1, 1) = std::nan("");
  EXPECT_EQ(error(), std::numeric_limits<double>::infinity());
}

TYPED_TEST(Verify, EmptyProductsAreRight) {
  TypeParam const where;
  HostMatrix const none("none", 0, 3);
  HostMatrix const b("b", 3, 2);
  HostMatrix const c("c", 0, 2);
  auto const on_space = [](HostMatrix const& x) { return Verify<TypeParam>::on_space(x); };
  EXPECT_EQ(scaled_residual(where, 1, on_space(none), on_space(b), 0, on_space(c), on_space(c), {})
                .scaled,
            0);
  HostMatrix const left("left", 2, 0);
  HostMatrix const right("right", 0, 2);
  HostMatrix const zero("zero", 2, 2);
  auto const empty_sum = [&] {
    return scaled_residual(where, 1, on_space(left), on_space(right), 0, on_space(zero),
                           on_space(zero), {});
  };
  EXPECT_TRUE(empty_sum().within());
  zero(1, 1) = 1e-300;
  EXPECT_FALSE(empty_sum().within());
}

/// (1 + 2^-30)^2 - 1 - 2^-29 = 2^-60, which the rounded product has lost.
TEST(DoubleDouble, KeepsTheErrorOfAProduct) {
  double const x = 1 + std::ldexp(1.0, -30);
  DoubleDouble sum;
  sum.add_product(x, x);
  sum.add(-1 - std::ldexp(1.0, -29));
  EXPECT_EQ(sum.value(), std::ldexp(1.0, -60));
}

}  // namespace
