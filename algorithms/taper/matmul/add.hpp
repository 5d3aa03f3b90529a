// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/contract.hpp>
#include <taper/duo.hpp>
#include <taper/fork_join.hpp>
#include <taper/matmul/matrix.hpp>
#include <taper/matmul/options.hpp>
#include <taper/matmul/report.hpp>
#include <taper/matmul/require.hpp>
#include <taper/matmul/workers.hpp>
#include <taper/region.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

namespace taper::matmul {
namespace detail {

/// C = alpha A + beta B, one row or many.
template <class T>
struct Sum {
  T alpha;
  Matrix<T const> a;
  T beta;
  Matrix<T const> b;
  Matrix<T> c;

  KOKKOS_FUNCTION void operator()(std::int64_t entry) const {
    std::int64_t const i = entry / c.columns;
    std::int64_t const j = entry % c.columns;
    c(i, j) = alpha * a(i, j) + beta * b(i, j);
  }

  Sum block(std::int64_t i, std::int64_t j, std::int64_t m, std::int64_t n) const {
    return {alpha, a.block(i, j, m, n), beta, b.block(i, j, m, n), c.block(i, j, m, n)};
  }
  Sum transposed() const { return {alpha, a.transposed(), beta, b.transposed(), c.transposed()}; }

  /// All of it, by the calling thread.
  void run() const {
    bool const side_by_side = a.column_stride == 1 && b.column_stride == 1 && c.column_stride == 1;
    for (std::int64_t i = 0; i < c.rows; ++i) {
      T const* const x = &a(i, 0);
      T const* const y = &b(i, 0);
      T* const z = &c(i, 0);
      if (side_by_side) {  // what vector code is made of
        for (std::int64_t j = 0; j < c.columns; ++j) {
          z[j] = alpha * x[j] + beta * y[j];
        }
      } else {
        for (std::int64_t j = 0; j < c.columns; ++j) {
          z[j * c.column_stride] = alpha * x[j * a.column_stride] + beta * y[j * b.column_stride];
        }
      }
    }
  }

  /// Halves of the longer extent until a block has at most so many entries.
  void fork(Fork& forker, std::int64_t most_entries) const {
    if (c.rows * c.columns <= most_entries) {
      return run();
    }
    bool const by_rows = c.rows >= c.columns;
    std::int64_t const m = by_rows ? c.rows / 2 : c.rows;
    std::int64_t const n = by_rows ? c.columns : c.columns / 2;
    Sum const first = block(0, 0, m, n);
    Sum const second = by_rows ? block(m, 0, c.rows - m, n) : block(0, n, m, c.columns - n);
    forker([&](Fork& inner) { first.fork(inner, most_entries); },
           [&](Fork& inner) { second.fork(inner, most_entries); });
  }
};

/// Ranges of the longer extent, one for each worker.
template <class Exec, class T>
void add_by_rows(Exec const& where, Sum<T> sum) {
  if constexpr (is_gpu<Exec>) {
    Kokkos::parallel_for("taper::matmul::add",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(
                             where, 0, sum.c.rows * sum.c.columns),
                         sum);
    where.fence("taper::matmul::add: the sum is complete");
  } else {
    bool const by_rows = sum.c.rows >= std::min(sum.c.columns, workers_of(where));
    std::int64_t const extent = by_rows ? sum.c.rows : sum.c.columns;
    std::int64_t const ranges = std::min(extent, workers_of(where));
    for_each_item(where, "taper::matmul::add", ranges, [&](std::int64_t, std::int64_t range) {
      std::int64_t const first = extent * range / ranges;
      std::int64_t const count = extent * (range + 1) / ranges - first;
      (by_rows ? sum.block(first, 0, count, sum.c.columns) : sum.block(0, first, sum.c.rows, count))
          .run();
    });
  }
}

/// A vector counts as a matrix of one row.
template <class View>
Matrix<typename View::value_type> vector_or_matrix(View const& view) {
  if constexpr (View::rank == 1) {
    auto const n = static_cast<std::int64_t>(view.extent(0));
    return {view.data(), 1, n, n, static_cast<std::int64_t>(view.stride(0))};
  } else {
    return matrix_of(view);
  }
}

/// Two of the same extents share entries, and not each its own.
template <class T>
bool overlap_askew(Matrix<T const> const& x, Matrix<T const> const& y) {
  bool const same =
      x.data == y.data && x.row_stride == y.row_stride && x.column_stride == y.column_stride;
  return !same && overlap(x, y);
}

}  // namespace detail

/// C = alpha A + beta B of vectors or matrices, float or double, any layouts (Section 8.3.1).
///
/// Engines: sequential; rows (and automatic), a range for each worker, on a GPU an entry for each
///   thread; fork_join, halves of the longer extent down to blocks of threshold^2 entries, default 512.
/// Equivalent to: the sequential loop, to the bit.
/// Requires: no other work on the three Views. C may be A or B.
/// Cost: m n, bound by memory: workers gain what one core leaves of its bandwidth.
/// Async: returns with the instances in `place` fenced.
/// Throws: taper::Error if extents disagree, C overlaps A or B and is neither, or the engine is another.
template <Place P, class AView, class BView, class CView>
Report add(P const& place, typename CView::non_const_value_type alpha, AView const& a,
           typename CView::non_const_value_type beta, BView const& b, CView const& c,
           Options const& options = {}) {
  using T = typename CView::value_type;
  using Exec = DeviceOf<P>;
  static_assert(!std::is_const_v<T>, "add: C is written");
  static_assert(AView::rank == CView::rank && BView::rank == CView::rank,
                "add: three vectors or three matrices");
  static_assert(Kokkos::SpaceAccessibility<Exec, typename AView::memory_space>::accessible &&
                    Kokkos::SpaceAccessibility<Exec, typename BView::memory_space>::accessible &&
                    Kokkos::SpaceAccessibility<Exec, typename CView::memory_space>::accessible,
                "add: the device side of `place` must reach A, B and C");
  std::string const function = "taper::matmul::add";
  detail::Sum<T> sum{alpha, detail::vector_or_matrix(a), beta, detail::vector_or_matrix(b),
                     detail::vector_or_matrix(c)};
  auto const fits = [&](Matrix<T const> const& x) {
    return x.rows == sum.c.rows && x.columns == sum.c.columns;
  };
  TAPER_REQUIRE(fits(sum.a) && fits(sum.b), function + ": A is " + detail::extents(sum.a) +
                                                ", B is " + detail::extents(sum.b) + " and C is " +
                                                detail::extents(sum.c));
  TAPER_REQUIRE(!detail::overlap_askew<T>(sum.a, sum.c) && !detail::overlap_askew<T>(sum.b, sum.c),
                function + ": C overlaps A or B without being the same matrix");
  detail::require_options(function, options);
  auto const engine = options.engine == Engine::automatic ? Engine::rows : options.engine;
  bool const known =
      engine == Engine::rows ||
      (!is_gpu<Exec> && (engine == Engine::sequential || engine == Engine::fork_join));
  TAPER_REQUIRE(known, function + ": no engine " + std::string(to_string(engine)) + " adds on " +
                           Exec::name());

  Region const region(function);
  auto const& where = device_of(place);
  if (!sum.c.has_contiguous_rows() && sum.c.has_contiguous_columns()) {
    sum = sum.transposed();
  }
  if (sum.c.rows > 0 && sum.c.columns > 0) {
    if (engine == Engine::rows) {
      detail::add_by_rows(where, sum);
    } else if constexpr (!is_gpu<Exec>) {
      if (engine == Engine::sequential) {
        sum.run();
      } else {
        std::int64_t const threshold = options.threshold.value_or(512);
        std::int64_t const most = threshold < (std::int64_t{1} << 31) ? threshold * threshold
                                                                      : sum.c.rows * sum.c.columns;
        fork_join(where, options.scheduler, [&](Fork& fork) { sum.fork(fork, most); });
      }
    }
  }
  return {.engine = engine,
          .operations =
              static_cast<std::uint64_t>(sum.c.rows) * static_cast<std::uint64_t>(sum.c.columns)};
}

}  // namespace taper::matmul
