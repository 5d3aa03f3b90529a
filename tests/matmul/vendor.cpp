// SPDX-License-Identifier: Apache-2.0
#include <taper/matmul/matmul.hpp>

#include <support/error_message.hpp>
#include <support/products.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <string>

namespace {

using namespace taper::matmul;
using taper::testing::TestMatrix;

template <class Space>
struct Vendor : ::testing::Test {};
TYPED_TEST_SUITE(Vendor, taper::testing::Backends, taper::testing::BackendNames);

/// A matrix in memory that `Space` reaches, with the layout of the host matrix: the host matrix
/// itself, or a copy on the device.
template <class Space, class T>
class OnSpace {
 public:
  using View = Kokkos::View<T**, Kokkos::LayoutStride, typename Space::memory_space,
                            Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  explicit OnSpace(TestMatrix<T> const& on_host)
      : on_host_(on_host.memory()),
        on_space_(Kokkos::create_mirror_view_and_copy(typename Space::memory_space{}, on_host_)),
        view_(on_space_.data(), on_host.view().layout()) {}

  View const& view() const { return view_; }
  void fetch() const { Kokkos::deep_copy(on_host_, on_space_); }

 private:
  using Memory = typename TestMatrix<T>::Memory;
  Memory on_host_;
  decltype(Kokkos::create_mirror_view_and_copy(typename Space::memory_space{}, Memory{})) on_space_;
  View view_;
};

template <class T, class Space>
void random_products(Space const& where) {
  std::mt19937_64 random(1);
  auto const orders = taper::testing::orders();
  auto const pick = [&] { return orders[random() % orders.size()]; };
  auto const entry = [&](std::size_t, std::size_t) { return static_cast<T>(random() % 9) - T(4); };
  for (int repeat = 0; repeat < 200; ++repeat) {
    std::size_t const m = random() % 20;
    std::size_t const n = random() % 20;
    std::size_t const k = random() % 20;
    TestMatrix<T> const a(m, k, pick());
    TestMatrix<T> const b(k, n, pick());
    TestMatrix<T> const c(m, n, pick());
    a.fill(entry);
    b.fill(entry);
    c.fill(entry);
    T const alpha = static_cast<T>(random() % 3) - T(1);
    T const beta = static_cast<T>(random() % 3) - T(1);
    // NaN in the matrices that must not be read.
    auto const nan = [](std::size_t, std::size_t) { return std::numeric_limits<T>::quiet_NaN(); };
    if (beta == 0) {
      c.fill(nan);
    }
    if (alpha == 0) {
      a.fill(nan);
      b.fill(nan);
    }
    auto const expected = taper::testing::product_by_definition(alpha, a, b, beta, c);
    OnSpace<Space, T> const left(a);
    OnSpace<Space, T> const right(b);
    for (auto const engine : {Engine::vendor, Engine::automatic}) {
      TestMatrix<T> const to(m, n, pick());
      to.fill([&](std::size_t i, std::size_t j) { return c(i, j); });
      OnSpace<Space, T> const out(to);
      Report const report =
          multiply(where, alpha, left.view(), right.view(), beta, out.view(), {.engine = engine});
      out.fetch();
      EXPECT_EQ(report.engine, Engine::vendor);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
          wrong += to(i, j) != expected[i * n + j] ? 1u : 0u;
        }
      }
      EXPECT_EQ(wrong, 0u) << m << " x " << k << " times " << k << " x " << n << ", alpha " << alpha
                           << ", beta " << beta;
      EXPECT_TRUE(to.gaps_are_untouched());
    }
  }
}

TYPED_TEST(Vendor, IsExactForSmallIntegersInAnyOrder) {
  if constexpr (vendor::is_available<TypeParam, vendor::linked>) {
    random_products<double>(TypeParam{});
    random_products<float>(TypeParam{});
  } else {
    GTEST_SKIP() << "no vendor's library is linked for " << TypeParam::name();
  }
}

/// Without a library, whatever this program links, the error says how to get one.
TYPED_TEST(Vendor, ErrorNamesTheLibrariesToLink) {
  using View = typename OnSpace<TypeParam, double>::View;
  TestMatrix<double> const square(2, 2, {});
  OnSpace<TypeParam, double> const x(square);
  TestMatrix<double> const other(2, 2, {});
  OnSpace<TypeParam, double> const y(other);
  auto const message = taper::testing::message_of([&] {
    multiply<TypeParam, View, View, View, vendor::none>(TypeParam{}, 1.0, x.view(), x.view(), 0.0,
                                                        y.view(), {.engine = Engine::vendor});
  });
  EXPECT_EQ(message, "taper::matmul::multiply: engine vendor is not linked for " +
                         std::string(TypeParam::name()) +
                         "; link Taper::blas or Taper::kokkos_kernels beside Taper::taper");
}

}  // namespace
