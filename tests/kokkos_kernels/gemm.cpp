// SPDX-License-Identifier: Apache-2.0
//
// KokkosBlas::gemm and every engine check each other, on real numbers and on integers. The engines
// of a GPU run on the host, by the functions behind the front door.
#include <taper/matmul/matmul.hpp>

#include <support/products.hpp>

#include <KokkosBlas3_gemm.hpp>
#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <type_traits>

namespace {

using namespace taper::matmul;

template <class T>
using ByColumns = Kokkos::View<T**, Kokkos::LayoutLeft, Kokkos::HostSpace>;

/// C = A B by Kokkos Kernels, and |A| |B|, the unit of the errors.
template <class T, class Space>
struct Reference {
  ByColumns<T> a;
  ByColumns<T> b;
  ByColumns<T> c;
  ByColumns<T> magnitude;
  T largest_magnitude = 0;

  template <class Entry>
  Reference(Space const& where, std::size_t m, std::size_t n, std::size_t k, Entry const& entry)
      : a("a", m, k), b("b", k, n), c("c", m, n), magnitude("magnitude", m, n) {
    ByColumns<T> const abs_a("abs_a", m, k);
    ByColumns<T> const abs_b("abs_b", k, n);
    auto const fill = [&](ByColumns<T> const& x, ByColumns<T> const& abs_x) {
      for (std::size_t i = 0; i < x.extent(0); ++i) {
        for (std::size_t j = 0; j < x.extent(1); ++j) {
          x(i, j) = entry();
          abs_x(i, j) = std::abs(x(i, j));
        }
      }
    };
    fill(a, abs_a);
    fill(b, abs_b);
    KokkosBlas::gemm(where, "N", "N", T(1), a, b, T(0), c);
    KokkosBlas::gemm(where, "N", "N", T(1), abs_a, abs_b, T(0), magnitude);
    where.fence();
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        largest_magnitude = std::max(largest_magnitude, magnitude(i, j));
      }
    }
  }

  /// The number of entries of `other` that differ by more than the sum of both bounds: 2 (k + 4)
  /// roundings of |A| |B|. Strassen's and Winograd's bound is one of norms, and grows by at most 18
  /// per level; so does the bound here.
  std::size_t wrong(ByColumns<T> const& other, Report const& report) const {
    double const unit = std::numeric_limits<T>::epsilon() / 2;
    double const roundings = 2 * (static_cast<double>(a.extent(1)) + 4);
    bool const by_norm = report.engine == Engine::strassen || report.engine == Engine::winograd;
    double const growth = by_norm ? std::pow(18.0, static_cast<double>(report.levels)) : 1;
    std::size_t count = 0;
    for (std::size_t i = 0; i < c.extent(0); ++i) {
      for (std::size_t j = 0; j < c.extent(1); ++j) {
        double const scale = by_norm ? largest_magnitude : magnitude(i, j);
        double const error = std::abs(static_cast<double>(other(i, j)) - c(i, j));
        count += !(error <= growth * roundings * unit * scale) ? 1 : 0;  // NaN is wrong
      }
    }
    return count;
  }
};

template <class Space>
struct KokkosKernelsGemm : ::testing::Test {};
TYPED_TEST_SUITE(KokkosKernelsGemm, taper::testing::HostBackends, taper::testing::BackendNames);

/// Calls visit(options, report, product) for the product of each engine.
template <class T, class Space, class Visit>
void for_each_engine(Space const& where, Reference<T, Space> const& reference, Visit const& visit) {
  auto choices = taper::testing::host_choices<Space>();
  choices.push_back({.engine = Engine::vendor});
  for (Options options : choices) {
    options.threshold = 8;
    options.block = 16;
    ByColumns<T> const c("c", reference.c.extent(0), reference.c.extent(1));
    Report const report = multiply(where, T(1), reference.a, reference.b, T(0), c, options);
    visit(options, report, c);
  }
  for (auto const engine : {Engine::team_tiled, Engine::register_blocked, Engine::streamed}) {
    Options const options{.engine = engine, .streams = 1, .stream_tile = 16};
    ByColumns<T> const c("c", reference.c.extent(0), reference.c.extent(1));
    // As the front door does for contiguous columns: C^T = B^T A^T.
    Matrix<T const> const left = matrix_of(reference.b).transposed();
    Matrix<T const> const right = matrix_of(reference.a).transposed();
    Matrix<T> const out = matrix_of(c).transposed();
    Report const report = engine == Engine::streamed
                              ? device::stream(where, T(1), left, right, T(0), out, options)
                              : device::multiply(where, T(1), left, right, T(0), out, options);
    EXPECT_EQ(report.engine, engine);
    visit(options, report, c);
  }
}

template <class T, class Space>
void compare_products(Space const& where) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<T> real(-1, 1);
  std::size_t const shapes[][3] = {{1, 1, 1}, {33, 17, 40}, {64, 64, 64}, {5, 90, 61}};
  for (auto const& [m, n, k] : shapes) {
    Reference<T, Space> const reals(where, m, n, k, [&] { return real(random); });
    for_each_engine(where, reals, [&](Options const& options, Report const& report, auto const& c) {
      EXPECT_EQ(reals.wrong(c, report), 0u)
          << taper::testing::describe(options) << ' ' << m << " x " << n << " x " << k;
      c(m / 2, n / 2) += T(1);
      EXPECT_EQ(reals.wrong(c, report), 1u) << "one entry is wrong";
    });
    Reference<T, Space> const integers(where, m, n, k,
                                       [&] { return static_cast<T>(random() % 9) - T(4); });
    for_each_engine(where, integers, [&](Options const& options, Report const&, auto const& c) {
      std::size_t different = 0;
      for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
          different += c(i, j) != integers.c(i, j) ? 1u : 0u;
        }
      }
      EXPECT_EQ(different, 0u) << taper::testing::describe(options);
    });
  }
}

TYPED_TEST(KokkosKernelsGemm, AgreesWithEveryEngineInDouble) {
  compare_products<double>(TypeParam{});
}

TYPED_TEST(KokkosKernelsGemm, AgreesWithEveryEngineInFloat) {
  compare_products<float>(TypeParam{});
}

/// The vendor of this program is Kokkos Kernels, also where other programs have a BLAS.
TYPED_TEST(KokkosKernelsGemm, IsTheVendor) {
  EXPECT_EQ((vendor::library_for<TypeParam, vendor::linked>()), vendor::kokkos_kernels);
}

}  // namespace
