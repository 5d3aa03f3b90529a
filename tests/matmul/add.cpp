// SPDX-License-Identifier: Apache-2.0
#include <taper/matmul/add.hpp>

#include <support/error_message.hpp>
#include <support/products.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace taper::matmul;
using taper::testing::message_of;
using taper::testing::TestMatrix;

constexpr bool has_simd =
    taper::matmul::detail::simd_entries < taper::matmul::detail::ExplicitSimd < double >>> 1;

template <class Space>
struct Add : ::testing::Test {
  /// All choices of engine, scheduler and explicit_simd that add() takes.
  static std::vector<Options> choices() {
    std::vector<Options> choices;
    for (auto const engine_name : names<Engine>()) {
      Engine const engine = *parse<Engine>(engine_name);
      bool const forks = engine == Engine::fork_join || engine == Engine::combined;
      for (auto const scheduler_name : names<Scheduler>()) {
        Scheduler const scheduler = *parse<Scheduler>(scheduler_name);
        bool const counts = forks || scheduler == Options{}.scheduler;
        if (!adds(engine) || !counts || !taper::testing::runs_scheduler<Space>(scheduler)) {
          continue;
        }
        choices.push_back({.engine = engine, .scheduler = scheduler});
        if (has_simd) {
          choices.push_back({.engine = engine, .scheduler = scheduler, .explicit_simd = true});
        }
      }
    }
    return choices;
  }
};
TYPED_TEST_SUITE(Add, taper::testing::HostBackends, taper::testing::BackendNames);

TYPED_TEST(Add, SumsMatricesOfAnyShapeAndLayout) {
  std::mt19937_64 random(1);
  auto const orders = taper::testing::orders();
  for (Options options : TestFixture::choices()) {
    for (int repeat = 0; repeat < 20; ++repeat) {
      options.threshold = 1 + static_cast<std::int64_t>(random() % 8);
      std::size_t const m = random() % 30;
      std::size_t const n = random() % 30;
      TestMatrix<double> const a(m, n, orders[random() % orders.size()]);
      TestMatrix<double> const b(m, n, orders[random() % orders.size()]);
      TestMatrix<double> const c(m, n, orders[random() % orders.size()]);
      auto const entry = [&](std::size_t, std::size_t) {
        return static_cast<double>(random() % 100);
      };
      a.fill(entry);
      b.fill(entry);
      Report const report =
          add(TypeParam{}, 2.0, a.const_view(), -3.0, b.const_view(), c.view(), options);
      EXPECT_EQ(report.operations, m * n);
      EXPECT_NE(report.engine, Engine::automatic);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
          wrong += c(i, j) != 2 * a(i, j) - 3 * b(i, j) ? 1u : 0u;
        }
      }
      EXPECT_EQ(wrong, 0u) << taper::testing::describe(options) << ' ' << m << " x " << n;
      EXPECT_TRUE(c.gaps_are_untouched());
    }
  }
}

TYPED_TEST(Add, SumsVectorsAlsoInPlace) {
  using Vector = Kokkos::View<float*, Kokkos::HostSpace>;
  for (Options options : TestFixture::choices()) {
    options.threshold = 3;
    for (std::size_t const n : {std::size_t{0}, std::size_t{1}, std::size_t{1000}}) {
      Vector const a("a", n);
      Vector const b("b", n);
      for (std::size_t i = 0; i < n; ++i) {
        a(i) = static_cast<float>(i);
        b(i) = static_cast<float>(2 * i);
      }
      add(TypeParam{}, 1.0f, a, 1.0f, b, a, options);
      add(TypeParam{}, 1.0f, a, 1.0f, a, a, options);
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_EQ(a(i), static_cast<float>(6 * i)) << taper::testing::describe(options);
      }
    }
  }
}

/// Registers, and the entries that are left over at their ends, in rows that begin anywhere.
TYPED_TEST(Add, RoundsSumsOnceInRowsOfAnyLength) {
  using Vector = Kokkos::View<float*, Kokkos::HostSpace>;
  std::mt19937_64 random(2);
  std::uniform_real_distribution<float> entry(-1, 1);
  for (Options const& options : TestFixture::choices()) {
    for (std::size_t n = 0; n < 40; ++n) {
      Vector const memory("memory", 3 * n + 3);
      for (std::size_t i = 0; i < memory.extent(0); ++i) {
        memory(i) = entry(random);
      }
      auto const part = [&](std::size_t first) {
        return Kokkos::subview(memory, std::pair(first, first + n));
      };
      auto const a = part(0), b = part(n + 1), c = part(2 * n + 2);
      float const before = memory(n);
      float const between = memory(2 * n + 1);
      add(TypeParam{}, 1.0f, a, 1.0f, b, c, options);
      for (std::size_t i = 0; i < n; ++i) {
        float const sum = a(i) + b(i);
        ASSERT_EQ(c(i), sum) << taper::testing::describe(options) << " n " << n << " entry " << i;
      }
      EXPECT_EQ(memory(n), before) << "the entry after A";
      EXPECT_EQ(memory(2 * n + 1), between) << "the entry before C";
    }
  }
}

/// Four entries in the place of a SIMD register. It counts the registers that are stored.
struct CountedRegister {
  static inline std::atomic<std::size_t> stored = 0;
  static constexpr std::size_t size() { return 4; }

  explicit CountedRegister(double value) : entries{value, value, value, value} {}
  template <class Tag>
  CountedRegister(double const* from, Tag) : entries{from[0], from[1], from[2], from[3]} {}
  template <class Tag>
  void copy_to(double* to, Tag) const {
    ++stored;
    std::copy(entries.begin(), entries.end(), to);
  }
  friend CountedRegister operator*(CountedRegister a, CountedRegister const& b) {
    std::transform(a.entries.begin(), a.entries.end(), b.entries.begin(), a.entries.begin(),
                   std::multiplies<>());
    return a;
  }
  friend CountedRegister operator+(CountedRegister a, CountedRegister const& b) {
    std::transform(a.entries.begin(), a.entries.end(), b.entries.begin(), a.entries.begin(),
                   std::plus<>());
    return a;
  }

  std::array<double, 4> entries;
};

/// Every engine adds with registers if and only if explicit_simd says so: two per row of 11.
TYPED_TEST(Add, UsesRegistersExactlyWithExplicitSimd) {
  using View = Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;
  constexpr std::size_t rows = 2000;  // more than workers, so that none gets a part of a row
  View const a("a", rows, 11);
  View const b("b", rows, 11);
  View const c("c", rows, 11);
  for (std::size_t i = 0; i < a.span(); ++i) {
    a.data()[i] = static_cast<double>(i);
    b.data()[i] = static_cast<double>(3 * i);
  }
  for (Engine const engine :
       {Engine::automatic, Engine::serial, Engine::rows, Engine::fork_join, Engine::combined}) {
    for (bool const explicit_simd : {false, true}) {
      Kokkos::deep_copy(c, 0);
      CountedRegister::stored = 0;
      add<TypeParam, View, View, View, CountedRegister>(
          TypeParam{}, 2.0, a, 1.0, b, c, {.engine = engine, .explicit_simd = explicit_simd});
      EXPECT_EQ(CountedRegister::stored, explicit_simd ? 2 * rows : 0u) << to_string(engine);
      for (std::size_t i = 0; i < c.span(); ++i) {
        ASSERT_EQ(c.data()[i], static_cast<double>(5 * i)) << to_string(engine);
      }
    }
  }
}

TYPED_TEST(Add, RefusesExplicitSimdWithoutInstructions) {
  using View = Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;
  using Scalars = Kokkos::Experimental::basic_simd<double, Kokkos::Experimental::simd_abi::scalar>;
  View const a("a", 4, 4);
  auto const message = message_of([&] {
    add<TypeParam, View, View, View, Scalars>(TypeParam{}, 1.0, a, 1.0, a, a,
                                              {.explicit_simd = true});
  });
  EXPECT_EQ(message, "taper::matmul::add: explicit_simd needs a host and SIMD instructions, such "
                     "as those of -march=native; " +
                         std::string(TypeParam::name()) + " has none in this program");
}

TYPED_TEST(Add, RefusesArgumentsThatDoNotFit) {
  using View = Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;
  View const a("a", 4, 4);
  View const b("b", 4, 3);
  auto const error = [&](auto const& x, auto const& y, auto const& z, Options const& options = {}) {
    return message_of([&] { add(TypeParam{}, 1.0, x, 1.0, y, z, options); });
  };
  EXPECT_EQ(error(a, b, a), "taper::matmul::add: A, B and C must have equal extents, but A is 4 x "
                            "4, B is 4 x 3 and C is 4 x 4");
  using Range = std::pair<int, int>;
  auto const top = Kokkos::subview(a, Range(0, 3), Range(0, 3));
  auto const below = Kokkos::subview(a, Range(1, 4), Range(1, 4));
  EXPECT_EQ(error(top, top, below),
            "taper::matmul::add: C must be A or B or share no entry with them, but it overlaps one "
            "in part");
  EXPECT_EQ(error(a, a, a, {.engine = Engine::strassen}),
            "taper::matmul::add: engine strassen does not add on " +
                std::string(TypeParam::name()) + "; use rows");
  EXPECT_EQ(error(a, a, a, {.threshold = 0}),
            "taper::matmul::add: threshold = 0 must be at least 1");
}

}  // namespace
