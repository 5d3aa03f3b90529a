// SPDX-License-Identifier: Apache-2.0
#include <support/backends.hpp>
#include <support/products.hpp>
#include <support/stop_at_launch.hpp>
#include <taper/matmul/matmul.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <thread>
#include <vector>

namespace {

using namespace taper::matmul;
using taper::Status;
using taper::testing::describe;
using taper::testing::StopAtLaunch;
using taper::testing::TestMatrix;

/// A product whose C is NaN where nothing was written.
struct Product {
  TestMatrix<double> a;
  TestMatrix<double> b;
  TestMatrix<double> c;

  Product(std::size_t m, std::size_t n, std::size_t k) : a(m, k, {}), b(k, n, {}), c(m, n, {}) {
    a.fill([](std::size_t i, std::size_t j) { return static_cast<double>((i + 2 * j) % 5); });
    b.fill([](std::size_t i, std::size_t j) { return static_cast<double>((3 * i + j) % 7); });
    c.fill([](std::size_t, std::size_t) { return std::numeric_limits<double>::quiet_NaN(); });
  }

  template <class Place>
  Report run(Place const& place, Options const& options) const {
    return multiply(place, 1.0, a.const_view(), b.const_view(), 0.0, c.view(), options);
  }
  bool is_untouched(std::size_t i, std::size_t j) const { return std::isnan(c(i, j)); }
  std::size_t untouched() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < c.rows(); ++i) {
      for (std::size_t j = 0; j < c.columns(); ++j) {
        count += is_untouched(i, j) ? 1u : 0u;
      }
    }
    return count;
  }
};

std::vector<Options> engines() {
  using enum Engine;
  return {{serial, Kernel::kahan},
          {serial, Kernel::packed},
          {.engine = rows, .kernel = Kernel::ikj},
          {.engine = tiled, .kernel = Kernel::ijk, .block = 16},
          {.engine = fork_join, .kernel = Kernel::neumaier},
          {.engine = fork_join, .kernel = Kernel::pairwise, .scheduler = taper::Scheduler::serial},
          {.engine = strassen, .kernel = Kernel::ikj, .threshold = 32},
          {.engine = winograd, .kernel = Kernel::ikj, .threshold = 32},
          {.engine = packed},
          {.engine = automatic}};
}

template <class Space>
struct MatmulStop : ::testing::Test {};
TYPED_TEST_SUITE(MatmulStop, taper::testing::HostBackends, taper::testing::BackendNames);

TYPED_TEST(MatmulStop, BeforeTheCallNothingIsWritten) {
  std::atomic<bool> flag{true};
  Product const product(70, 80, 90);
  for (auto options : engines()) {
    options.stop = &flag;
    EXPECT_EQ(product.run(TypeParam{}, options).status, Status::stopped);
    EXPECT_EQ(product.untouched(), 70u * 80u) << describe(options);
  }
  flag = false;
  for (auto options : engines()) {
    options.stop = &flag;
    EXPECT_EQ(product.run(TypeParam{}, options).status, Status::solved);
    auto const expected =
        taper::testing::product_by_definition(1.0, product.a, product.b, 0.0, product.c);
    for (std::size_t i = 0; i < product.c.rows(); ++i) {
      for (std::size_t j = 0; j < product.c.columns(); ++j) {
        ASSERT_EQ(product.c(i, j), expected[i * product.c.columns() + j]) << describe(options);
      }
    }
    product.c.fill([](std::size_t, std::size_t) { return std::nan(""); });
  }
}

/// Another thread stops products that would take seconds or minutes. Entries that are left show that
/// they ended.
TYPED_TEST(MatmulStop, AnotherThreadEndsAProduct) {
  constexpr std::size_t n = 3000;
  Product const product(n, n, n);
  for (auto options : engines()) {
    if (options.engine == Engine::automatic || options.engine == Engine::packed) {
      continue;  // they may be done before on many threads
    }
    std::atomic<bool> flag{false};
    options.stop = &flag;
    std::thread setter([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      flag = true;
    });
    auto const report = product.run(TypeParam{}, options);
    setter.join();
    EXPECT_EQ(report.status, Status::stopped) << describe(options);
    EXPECT_GT(product.untouched(), 0u) << describe(options);
    product.c.fill([](std::size_t, std::size_t) { return std::nan(""); });
  }
}

TYPED_TEST(MatmulStop, PanelsEndAfterAStep) {
  Product const product(40, 40, 4 * detail::PanelPlan<double>::depth);
  StopAtLaunch const stop(2);  // the panels of the second step
  EXPECT_EQ(product.run(TypeParam{}, {.engine = Engine::packed, .stop = stop.flag()}).status,
            Status::stopped);
  EXPECT_LE(stop.launches_after(), 1u);
  double const first_step = product.c(0, 0);
  double sum = 0;
  for (std::size_t k = 0; k < detail::PanelPlan<double>::depth; ++k) {
    sum += product.a(0, k) * product.b(k, 0);
  }
  EXPECT_EQ(first_step, sum);
}

template <class Space>
struct StreamedStop : ::testing::Test {};
TYPED_TEST_SUITE(StreamedStop, taper::testing::Backends, taper::testing::BackendNames);

TYPED_TEST(StreamedStop, EndsAfterATile) {
  Product const product(64, 64, 32);
  std::vector<TypeParam> const where(1);
  StopAtLaunch const stop(0);
  device::stream_over(std::span<TypeParam const>(where), device::CallingThread{}, 1.0,
                      matrix_of(product.a.const_view()), matrix_of(product.b.const_view()), 0.0,
                      matrix_of(product.c.view()), {.stream_tile = 16, .stop = stop.flag()});
  EXPECT_TRUE(product.is_untouched(63, 0));
  EXPECT_GE(product.untouched(), 14u * 16u * 16u);
}

}  // namespace
