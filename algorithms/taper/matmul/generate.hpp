// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/error.hpp>
#include <taper/matmul/double_double.hpp>
#include <taper/matmul/family.hpp>
#include <taper/matmul/matrix.hpp>
#include <taper/random.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace taper::matmul {
namespace detail {

/// A number from the random `word`: uniform in [-1, 1), with as many random bits as T holds.
template <class T>
KOKKOS_FUNCTION constexpr T symmetric(std::uint64_t word) {
  constexpr int bits = std::is_same_v<T, double> ? 53 : 24;
  constexpr double half = static_cast<double>(std::uint64_t{1} << (bits - 1));
  return static_cast<T>((static_cast<double>(word >> (64 - bits)) - half) / half);
}

/// Entry number `entry` of an independent factor, in the order of rows.
template <class T>
struct GenerateEntry {
  Matrix<T> x;
  RandomStream random;
  std::uint32_t largest;  ///< 0: uniform reals

  KOKKOS_FUNCTION void operator()(std::int64_t entry) const {
    std::uint64_t const word = random.at(static_cast<std::uint64_t>(entry));
    T& to = x(entry / x.columns, entry % x.columns);
    if (largest == 0) {
      to = symmetric<T>(word);
    } else {
      std::uint64_t const values = 2 * std::uint64_t{largest} + 1;
      to = static_cast<T>(static_cast<std::int64_t>((word >> 32) * values >> 32) -
                          static_cast<std::int64_t>(largest));
    }
  }
};

/// Line i of an ill-conditioned factor, a row of A or a column of B: `vector` times a random power
/// of two from 1 to 128.
template <class T, class Vector>
struct GenerateScaled {
  Matrix<T> lines;
  Vector vector;
  RandomStream random;

  KOKKOS_FUNCTION void operator()(std::int64_t entry) const {
    std::int64_t const i = entry / lines.columns;
    std::int64_t const k = entry % lines.columns;
    double const scale =
        static_cast<double>(1u << (random.at(static_cast<std::uint64_t>(i)) >> 61));
    lines(i, k) = static_cast<T>(vector(k) * scale);
  }
};

/// Two vectors with an ill-conditioned dot product; the source is given at Family::ill_conditioned.
///
/// In the first half exponents are random, up to the square root of the condition. Each entry of
/// the second half cancels the sum so far, up to a remainder that decreases from step to step. At
/// the end the entries are shuffled.
template <class T>
std::pair<std::vector<T>, std::vector<T>> ill_conditioned_dot(std::size_t n, double condition,
                                                              RandomStream random) {
  std::vector<T> x(n);
  std::vector<T> y(n);
  double const bits = std::log2(condition) / 2;
  // Never returns 0, since the second half divides by it.
  auto const draw = [&](double exponent) {
    return symmetric<T>(random.next() | std::uint64_t{1} << 40) *
           static_cast<T>(std::exp2(std::round(exponent)));
  };
  DoubleDouble sum;
  std::size_t const half = n / 2;
  for (std::size_t i = 0; i < n; ++i) {
    if (i < half) {
      double const share = static_cast<double>(random.next() >> 11) * 0x1p-53;
      double const exponent = i == 0 ? bits + 1 : i + 1 == half ? 0 : share * bits;
      x[i] = draw(exponent);
      y[i] = draw(exponent);
    } else {
      std::size_t const steps = n - half > 1 ? n - half - 1 : 1;
      double const exponent =
          bits * (1 - static_cast<double>(i - half) / static_cast<double>(steps));
      x[i] = draw(exponent);
      y[i] = static_cast<T>((draw(exponent) - sum.value()) / x[i]);
    }
    sum.add_product(x[i], y[i]);
  }
  for (std::size_t last = n; last-- > 1;) {
    std::size_t const other = random.below(static_cast<std::uint32_t>(last + 1));
    std::swap(x[last], x[other]);
    std::swap(y[last], y[other]);
  }
  return {x, y};
}

}  // namespace detail

/// Fills one factor of a product, as Family describes it. For ill_conditioned, k is the extent that
/// both factors share. Two factors have the condition together if their seeds and conditions agree.
///
/// Async: returns with `where` fenced.
/// Throws: taper::Error if `largest` is 0 or `condition` is not in 1 .. 1e30.
template <class Space, class View>
void generate(Space const& where, Workload const& workload, Factor factor, View const& view) {
  using T = typename View::value_type;
  std::string const function = "taper::matmul::generate";
  TAPER_REQUIRE(workload.largest > 0, function + ": largest = 0 must be at least 1");
  TAPER_REQUIRE(workload.condition >= 1 && workload.condition <= 1e30,
                function + ": condition = " + std::to_string(workload.condition) +
                    " must be at least 1 and at most 1e30");
  using Entries = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;
  Matrix<T> const x = matrix_of(view);
  Entries const entries(where, 0, x.rows * x.columns);
  RandomStream const random(workload.seed, factor == Factor::left ? 0 : 1);
  if (workload.family != Family::ill_conditioned) {
    std::uint32_t const largest = workload.family == Family::integers ? workload.largest : 0;
    Kokkos::parallel_for("taper::matmul::generate", entries,
                         detail::GenerateEntry<T>{x, random, largest});
  } else {
    Matrix<T> const lines = factor == Factor::left ? x : x.transposed();
    auto const n = static_cast<std::size_t>(lines.columns);
    auto pair =
        detail::ill_conditioned_dot<T>(n, workload.condition, RandomStream(workload.seed, 2));
    auto const& chosen = factor == Factor::left ? pair.first : pair.second;
    using Vector = Kokkos::View<T*, typename Space::memory_space>;
    Vector const vector(
        Kokkos::view_alloc(where, Kokkos::WithoutInitializing, "taper::matmul::generate::vector"),
        n);
    Kokkos::deep_copy(
        where, vector,
        Kokkos::View<T const*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
            chosen.data(), n));
    Kokkos::parallel_for("taper::matmul::generate", entries,
                         detail::GenerateScaled<T, Vector>{lines, vector, random});
    where.fence("taper::matmul::generate: wait for the factor");  // host vectors end here
    return;
  }
  where.fence("taper::matmul::generate: wait for the factor");
}

}  // namespace taper::matmul
