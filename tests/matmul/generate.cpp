// SPDX-License-Identifier: Apache-2.0
#include <taper/matmul/generate.hpp>

#include <support/backends.hpp>
#include <support/error_message.hpp>
#include <taper/matmul/options.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>

namespace {

using namespace taper::matmul;

template <class Space>
struct Generate : ::testing::Test {
  /// The factor that generate() makes on `Space`, copied to the host.
  template <class T, class Layout = Kokkos::LayoutRight>
  static auto make(Workload const& workload, Factor factor, std::size_t rows, std::size_t columns) {
    Kokkos::View<T**, Layout, typename Space::memory_space> const view("factor", rows, columns);
    generate(Space{}, workload, factor, view);
    Kokkos::View<T**, Layout, Kokkos::HostSpace> const host("host", rows, columns);
    Kokkos::deep_copy(host, view);
    return host;
  }
};
TYPED_TEST_SUITE(Generate, taper::testing::Backends, taper::testing::BackendNames);

TYPED_TEST(Generate, IsTheSameInEveryLayoutAndOnEveryBackend) {
  for (auto const name : names<Family>()) {
    Workload const workload{.family = *parse<Family>(name), .seed = 5};
    for (auto const factor : {Factor::left, Factor::right}) {
      auto const right = TestFixture::template make<double>(workload, factor, 20, 30);
      auto const left =
          TestFixture::template make<double, Kokkos::LayoutLeft>(workload, factor, 20, 30);
      auto const serial = Generate<Kokkos::DefaultHostExecutionSpace>::template make<double>(
          workload, factor, 20, 30);
      for (std::size_t i = 0; i < 20; ++i) {
        for (std::size_t j = 0; j < 30; ++j) {
          ASSERT_EQ(right(i, j), left(i, j)) << name;
          ASSERT_EQ(right(i, j), serial(i, j)) << name;
        }
      }
    }
  }
}

TYPED_TEST(Generate, UniformFillsItsInterval) {
  auto const x = TestFixture::template make<float>({}, Factor::left, 100, 100);
  double sum = 0;
  double least = 1;
  double largest = -1;
  for (std::size_t e = 0; e < x.span(); ++e) {
    double const entry = x.data()[e];
    sum += entry;
    least = std::min(least, entry);
    largest = std::max(largest, entry);
  }
  EXPECT_GE(least, -1);
  EXPECT_LT(least, -0.99);
  EXPECT_GT(largest, 0.99);
  EXPECT_LT(largest, 1);
  EXPECT_LT(std::abs(sum / 10'000), 0.03);
}

TYPED_TEST(Generate, IntegersTakeAllValues) {
  auto const x = TestFixture::template make<double>({.family = Family::integers, .largest = 3},
                                                    Factor::right, 30, 30);
  std::set<double> seen(x.data(), x.data() + x.span());
  EXPECT_EQ(seen, (std::set<double>{-3, -2, -1, 0, 1, 2, 3}));
}

/// Uses long double: its 64 bits hold products of two floats exactly, and their sums accurately
/// enough.
TYPED_TEST(Generate, IllConditionedSumsHaveTheirCondition) {
  for (double const condition : {1e3, 1e6, 1e9}) {
    Workload const workload{.family = Family::ill_conditioned, .condition = condition};
    auto const a = TestFixture::template make<float>(workload, Factor::left, 5, 300);
    auto const b = TestFixture::template make<float>(workload, Factor::right, 300, 4);
    for (std::size_t i = 0; i < 5; ++i) {
      for (std::size_t j = 0; j < 4; ++j) {
        long double sum = 0;
        long double size = 0;
        for (std::size_t k = 0; k < 300; ++k) {
          auto const product = static_cast<long double>(a(i, k)) * b(k, j);
          sum += product;
          size += std::abs(product);
        }
        double const found = static_cast<double>(2 * size / std::abs(sum));
        EXPECT_GT(found, condition / 100);
        EXPECT_LT(found, condition * 1000);
      }
    }
  }
}

TYPED_TEST(Generate, RefusesParametersOutOfRange) {
  auto const error = [](Workload const& workload) {
    return taper::testing::message_of(
        [&] { TestFixture::template make<double>(workload, Factor::left, 2, 2); });
  };
  EXPECT_EQ(error({.largest = 0}), "taper::matmul::generate: largest = 0 must be at least 1");
  EXPECT_EQ(error({.condition = 0.5}),
            "taper::matmul::generate: condition = 0.500000 must be at least "
            "1 and at most 1e30");
  EXPECT_EQ(error({.condition = std::nan("")}),
            "taper::matmul::generate: condition = nan must be at least 1 and at most 1e30");
}

TEST(Options, NamesParseToTheirEnumerators) {
  for (auto const name : names<Engine>()) {
    EXPECT_EQ(to_string(*parse<Engine>(name)), name);
  }
  for (auto const name : names<Kernel>()) {
    EXPECT_EQ(to_string(*parse<Kernel>(name)), name);
  }
  EXPECT_EQ(parse<taper::Scheduler>("pool"), taper::Scheduler::pool);
  EXPECT_EQ(parse<Engine>("Packed"), std::nullopt);
  EXPECT_EQ(names<Family>().size(), 3u);
}

TEST(Options, RungsRunOnTheirBackend) {
  std::set<std::string_view> seen;
  for (Rung const& rung : ladder()) {
    EXPECT_TRUE(seen.insert(rung.name).second) << rung.name;
    EXPECT_EQ(rung.backend != Rung::Backend::gpu, runs_on_host(rung.options.engine)) << rung.name;
    EXPECT_EQ(rung.backend != Rung::Backend::host, runs_on_gpu(rung.options.engine)) << rung.name;
    EXPECT_GE(default_threshold(rung.options.engine, rung.options.kernel), 1);
  }
}

}  // namespace
