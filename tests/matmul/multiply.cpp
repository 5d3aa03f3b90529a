// SPDX-License-Identifier: Apache-2.0
#include <taper/matmul/matmul.hpp>

#include <support/error_message.hpp>
#include <support/products.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace taper::matmul;
using taper::testing::describe;
using taper::testing::message_of;
using taper::testing::Order;
using taper::testing::TestMatrix;

template <class Space>
struct Multiply : ::testing::Test {};
TYPED_TEST_SUITE(Multiply, taper::testing::HostBackends, taper::testing::BackendNames);

template <class T>
struct Problem {
  TestMatrix<T> a;
  TestMatrix<T> b;
  TestMatrix<T> c;

  Problem(std::size_t m, std::size_t n, std::size_t k, Order a_order = {}, Order b_order = {},
          Order c_order = {})
      : a(m, k, a_order), b(k, n, b_order), c(m, n, c_order) {}

  /// Fills in small integers, so that every engine's sums are exact.
  void fill(std::mt19937_64& random) const {
    auto const entry = [&](std::size_t, std::size_t) {
      return static_cast<T>(random() % 9) - T(4);
    };
    a.fill(entry);
    b.fill(entry);
    c.fill(entry);
  }

  /// Expects C to equal the definition to the bit (any NaN for NaN), and the memory between its
  /// entries to be unchanged.
  template <class Space>
  void expect_product(Space const& where, T alpha, T beta, Options const& options) const {
    if (beta == 0) {
      c.fill([](std::size_t, std::size_t) { return std::numeric_limits<T>::quiet_NaN(); });
    }
    auto const expected = taper::testing::product_by_definition(alpha, a, b, beta, c);
    Report const report =
        multiply(where, alpha, a.const_view(), b.const_view(), beta, c.view(), options);
    EXPECT_NE(report.engine, Engine::automatic);
    EXPECT_EQ(report.operations, 2 * a.rows() * a.columns() * b.columns());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < c.rows(); ++i) {
      for (std::size_t j = 0; j < c.columns(); ++j) {
        T const should_be = expected[i * c.columns() + j];
        wrong += c(i, j) != should_be && !(std::isnan(c(i, j)) && std::isnan(should_be)) ? 1u : 0u;
      }
    }
    EXPECT_EQ(wrong, 0u) << describe(options) << ", " << a.rows() << " x " << a.columns()
                         << " times " << b.rows() << " x " << b.columns() << ", alpha " << alpha
                         << ", beta " << beta;
    EXPECT_TRUE(c.gaps_are_untouched()) << describe(options);
  }
};

template <class T, class Space>
void random_products(Space const& where, std::uint64_t seed, int repeats) {
  std::mt19937_64 random(seed);
  std::size_t const extents[] = {0, 1, 2, 3, 5, 7, 8, 13, 16, 31, 32, 33, 47, 61, 64};
  auto const pick = [&](auto const& from) { return from[random() % std::size(from)]; };
  auto const orders = taper::testing::orders();
  for (Options options : taper::testing::host_choices<Space>()) {
    for (int repeat = 0; repeat < repeats; ++repeat) {
      options.block = 1 + static_cast<std::int64_t>(random() % 24);
      options.threshold = 1 + static_cast<std::int64_t>(random() % 24);
      Problem<T> const problem(pick(extents), pick(extents), pick(extents), pick(orders),
                               pick(orders), pick(orders));
      problem.fill(random);
      problem.expect_product(where, static_cast<T>(random() % 4) - T(1),
                             static_cast<T>(random() % 3) - T(1), options);
    }
  }
}

TYPED_TEST(Multiply, IsExactForSmallIntegersOfDouble) {
  random_products<double>(TypeParam{}, 1, 8);
}

TYPED_TEST(Multiply, IsExactForSmallIntegersOfFloat) {
  random_products<float>(TypeParam{}, 2, 4);
}

/// Extents above those of panels, blocks and vectors, and not multiples of them.
TYPED_TEST(Multiply, IsExactAcrossPanelsAndBlocks) {
  TypeParam const where;
  std::mt19937_64 random(3);
  std::size_t const extents[][3] = {{397, 130, 1031}, {5, 4111, 3}, {211, 223, 227}, {1, 1, 2000}};
  for (auto const& [m, n, k] : extents) {
    Problem<double> const problem(m, n, k);
    problem.fill(random);
    for (auto const engine : {Engine::packed, Engine::rows, Engine::tiled, Engine::strassen,
                              Engine::winograd, Engine::fork_join}) {
      problem.expect_product(where, 1.0, 0.0, {.engine = engine, .threshold = 50});
    }
  }
}

TYPED_TEST(Multiply, IsExactForTheSmallestAndForHugeThresholds) {
  TypeParam const where;
  std::mt19937_64 random(4);
  Problem<double> const problem(9, 10, 11);
  problem.fill(random);
  for (Options options : taper::testing::host_choices<TypeParam>()) {
    for (std::int64_t const size :
         {std::int64_t{1}, std::numeric_limits<std::int64_t>::max() / 2}) {
      options.threshold = size;
      options.block = std::min<std::int64_t>(size, 1'000'000'000);
      problem.expect_product(where, 1.0, 1.0, options);
    }
  }
}

/// Infinities and a NaN reach the rows and the column of C that depend on them, and nothing else.
TYPED_TEST(Multiply, InfinityAndNaNReachOnlyEntriesThatDependOnThem) {
  TypeParam const where;
  std::mt19937_64 random(5);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (Options options : taper::testing::host_choices<TypeParam>()) {
    options.threshold = 5;
    options.block = 7;
    Problem<double> const problem(21, 22, 23);
    problem.fill(random);
    problem.a(3, 4) = infinity;
    problem.a(17, 0) = -infinity;
    problem.b(11, 20) = std::numeric_limits<double>::quiet_NaN();
    problem.expect_product(where, 1.0, 0.0, options);
  }
  Problem<double> const overflow(2, 2, 2);
  overflow.a.fill([](std::size_t, std::size_t) { return 1e200; });
  overflow.b.fill([](std::size_t, std::size_t) { return 1e200; });
  for (Options const& options : taper::testing::host_choices<TypeParam>()) {
    overflow.expect_product(where, 1.0, 0.0, options);
  }
}

TYPED_TEST(Multiply, TakesViewsOfAnyLayoutAndBlocksOfOneMatrix) {
  TypeParam const where;
  using Range = std::pair<std::size_t, std::size_t>;
  Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> const whole("whole", 6, 9);
  Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace> const left("left", 3, 3);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      whole(i, j) = static_cast<double>(i + 2 * j);
      left(i, j) = static_cast<double>(3 * i) - static_cast<double>(j);
    }
  }
  auto const a = Kokkos::subview(whole, Range(0, 3), Range(0, 3));
  auto const c = Kokkos::subview(whole, Range(0, 3), Range(4, 7));
  multiply(where, 1.0, a, left, 0.0, c, {.engine = Engine::packed});
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        sum += a(i, k) * left(k, j);
      }
      EXPECT_EQ(c(i, j), sum);
    }
    EXPECT_EQ(whole(i, 3), 0);
    EXPECT_EQ(whole(i, 7), 0);
  }
}

TYPED_TEST(Multiply, ReportsEngineLevelsAndKernelCalls) {
  TypeParam const where;
  std::mt19937_64 random(6);
  Problem<double> const problem(64, 64, 64);
  problem.fill(random);
  auto const run = [&](Options options) {
    options.scheduler = taper::Scheduler::serial;
    return multiply(where, 1.0, problem.a.view(), problem.b.view(), 0.0, problem.c.view(), options);
  };
  Report report = run({.engine = Engine::fork_join, .kernel = Kernel::ikj, .threshold = 16});
  EXPECT_EQ(report.engine, Engine::fork_join);
  EXPECT_EQ(report.levels, 2u);
  EXPECT_EQ(report.kernel_calls, 64u);
  EXPECT_GT(report.scratch_bytes, 64u * 64u * 8u);
  report = run({.engine = Engine::winograd, .kernel = Kernel::ikj, .threshold = 16});
  EXPECT_EQ(report.levels, 2u);
  EXPECT_EQ(report.kernel_calls, 49u);
  report = run({.engine = Engine::tiled, .kernel = Kernel::ijk, .block = 16});
  EXPECT_EQ(report.kernel_calls, 64u);
  problem.a(0, 0) = std::numeric_limits<double>::infinity();
  EXPECT_EQ(run({.engine = Engine::strassen, .threshold = 16}).engine, Engine::fork_join)
      << "differences would spread the infinity";
}

/// One level of fork_join: the memory says which options were followed. Algorithm 6 has two
/// temporaries of the size of C, Taper's form has one. In place there is none, whatever
/// two_temporaries says.
TYPED_TEST(Multiply, TakesTheTemporariesThatTheOptionsName) {
  TypeParam const where;
  std::mt19937_64 random(7);
  Problem<double> const problem(64, 64, 64);
  problem.fill(random);
  auto const scratch_bytes = [&](bool temporaries, bool two_temporaries) {
    return multiply(where, 1.0, problem.a.view(), problem.b.view(), 0.0, problem.c.view(),
                    {.engine = Engine::fork_join,
                     .kernel = Kernel::ikj,
                     .scheduler = taper::Scheduler::serial,
                     .threshold = 32,
                     .temporaries = temporaries,
                     .two_temporaries = two_temporaries})
        .scratch_bytes;
  };
  std::uint64_t const in_place = scratch_bytes(false, false);
  std::uint64_t const one = scratch_bytes(true, false) - in_place;
  EXPECT_GE(one, 64u * 64u * sizeof(double));
  EXPECT_LT(one, 2 * 64u * 64u * sizeof(double));
  EXPECT_EQ(scratch_bytes(true, true), in_place + 2 * one);
  EXPECT_EQ(scratch_bytes(false, true), in_place);
}

TYPED_TEST(Multiply, RefusesArgumentsThatDoNotFit) {
  TypeParam const where;
  using View = Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;
  View const a("a", 3, 4);
  View const b("b", 4, 5);
  View const c("c", 3, 5);
  auto const error = [&](View const& x, View const& y, View const& z, Options const& options = {}) {
    return message_of([&] { multiply(where, 1.0, x, y, 0.0, z, options); });
  };
  EXPECT_EQ(error(a, a, c),
            "taper::matmul::multiply: A is 3 x 4 and B is 3 x 4: A must have as many columns as B "
            "has rows");
  EXPECT_EQ(error(a, b, a),
            "taper::matmul::multiply: C is 3 x 4, but the product of A (3 x 4) and B (4 x 5) is "
            "3 x 5");
  View const square("square", 4, 4);
  View const other("other", 4, 4);
  EXPECT_EQ(error(square, other, square), "taper::matmul::multiply: C (4 x 4) shares memory with A "
                                          "(4 x 4), which is read while C is written");
  EXPECT_EQ(error(other, square, square), "taper::matmul::multiply: C (4 x 4) shares memory with B "
                                          "(4 x 4), which is read while C is written");
  EXPECT_EQ(error(a, b, c, {.threshold = 0}),
            "taper::matmul::multiply: threshold = 0 must be at least 1");
  EXPECT_EQ(error(a, b, c, {.block = -3}),
            "taper::matmul::multiply: block = -3 must be at least 1");
  EXPECT_EQ(error(a, b, c, {.streams = 0}),
            "taper::matmul::multiply: streams = 0 must be at least 1");
  EXPECT_EQ(error(a, b, c, {.engine = Engine::register_blocked}),
            "taper::matmul::multiply: engine register_blocked needs a GPU, and the place is " +
                std::string(TypeParam::name()));
  EXPECT_EQ(error(a, square, View("c", 3, 4)), "no taper::Error was thrown");
}

}  // namespace
