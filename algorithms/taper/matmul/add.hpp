// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/error.hpp>
#include <taper/fork_join.hpp>
#include <taper/matmul/matrix.hpp>
#include <taper/matmul/options.hpp>
#include <taper/matmul/report.hpp>
#include <taper/matmul/require.hpp>
#include <taper/matmul/workers.hpp>
#include <taper/place.hpp>
#include <taper/region.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

namespace taper::matmul {
namespace detail {

/// C = alpha A + beta B of matrices of equal extents: the GPU kernel, entry by entry, and the work
/// of a host thread, run().
template <class T>
struct Addition {
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

  Addition block(std::int64_t i, std::int64_t j, std::int64_t m, std::int64_t n) const {
    return {alpha, a.block(i, j, m, n), beta, b.block(i, j, m, n), c.block(i, j, m, n)};
  }
  Addition transposed() const {
    return {alpha, a.transposed(), beta, b.transposed(), c.transposed()};
  }

  /// Computes all of C on the calling thread.
  void run() const {
    bool const contiguous = a.column_stride == 1 && b.column_stride == 1 && c.column_stride == 1;
    for (std::int64_t i = 0; i < c.rows; ++i) {
      T const* const x = &a(i, 0);
      T const* const y = &b(i, 0);
      T* const z = &c(i, 0);
      if (contiguous) {  // the compiler vectorises this loop
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

  /// Halves the longer extent until a block has at most `max_entries` entries. Runs the blocks by
  /// forks.
  void fork(Fork& forker, std::int64_t max_entries) const {
    if (c.rows * c.columns <= max_entries) {
      return run();
    }
    bool const by_rows = c.rows >= c.columns;
    std::int64_t const m = by_rows ? c.rows / 2 : c.rows;
    std::int64_t const n = by_rows ? c.columns : c.columns / 2;
    Addition const first = block(0, 0, m, n);
    Addition const second = by_rows ? block(m, 0, c.rows - m, n) : block(0, n, m, c.columns - n);
    forker([&](Fork& inner) { first.fork(inner, max_entries); },
           [&](Fork& inner) { second.fork(inner, max_entries); });
  }
};

/// Adds with one range of rows per worker, or of columns if there are few rows. On a GPU: with one
/// thread per entry.
template <class Exec, class T>
void add_by_rows(Exec const& where, Addition<T> sum) {
  if constexpr (is_gpu<Exec>) {
    Kokkos::parallel_for("taper::matmul::add",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(
                             where, 0, sum.c.rows * sum.c.columns),
                         sum);
    where.fence("taper::matmul::add: wait for the sum");
  } else {
    bool const by_rows = sum.c.rows >= std::min(sum.c.columns, worker_count(where));
    std::int64_t const extent = by_rows ? sum.c.rows : sum.c.columns;
    std::int64_t const ranges = std::min(extent, worker_count(where));
    for_each_item(where, "taper::matmul::add", ranges, [&](std::int64_t, std::int64_t range) {
      std::int64_t const first = extent * range / ranges;
      std::int64_t const count = extent * (range + 1) / ranges - first;
      (by_rows ? sum.block(first, 0, count, sum.c.columns) : sum.block(0, first, sum.c.rows, count))
          .run();
    });
  }
}

/// The View as a matrix; a vector becomes a matrix of one row.
template <class View>
Matrix<typename View::value_type> vector_or_matrix(View const& view) {
  if constexpr (View::rank == 1) {
    auto const n = static_cast<std::int64_t>(view.extent(0));
    return {view.data(), 1, n, n, static_cast<std::int64_t>(view.stride(0))};
  } else {
    return matrix_of(view);
  }
}

/// True if two matrices of equal extents share entries, but are not the same matrix.
template <class T>
bool overlap_partially(Matrix<T const> const& x, Matrix<T const> const& y) {
  bool const same =
      x.data == y.data && x.row_stride == y.row_stride && x.column_stride == y.column_stride;
  return !same && overlap(x, y);
}

}  // namespace detail

/// C = alpha A + beta B of vectors or matrices, of float or double, in any layouts (Section 8.3.1).
///
/// Engines: serial; rows (also automatic), one range per worker, on a GPU one thread per entry;
///   fork_join, which halves the longer extent down to blocks of threshold^2 entries (default
///   threshold 512).
/// Equivalent to: the serial loop, to the bit.
/// Requires: no other work uses the three Views. C may be A or B.
/// Cost: O(m n), bound by memory bandwidth: more workers help only if one core does not saturate
///   it.
/// Async: returns with the instances in `place` fenced.
/// Throws: taper::Error if extents disagree, C partially overlaps A or B, or for other engines.
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
                "add: the device of `place` must reach A, B and C");
  std::string const function = "taper::matmul::add";
  detail::Addition<T> sum{alpha, detail::vector_or_matrix(a), beta, detail::vector_or_matrix(b),
                          detail::vector_or_matrix(c)};
  auto const fits = [&](Matrix<T const> const& x) {
    return x.rows == sum.c.rows && x.columns == sum.c.columns;
  };
  TAPER_REQUIRE(fits(sum.a) && fits(sum.b),
                function + ": A, B and C must have equal extents, but A is " +
                    detail::extents(sum.a) + ", B is " + detail::extents(sum.b) + " and C is " +
                    detail::extents(sum.c));
  TAPER_REQUIRE(
      !detail::overlap_partially<T>(sum.a, sum.c) && !detail::overlap_partially<T>(sum.b, sum.c),
      function + ": C must be A or B or share no entry with them, but it overlaps one in part");
  detail::require_options(function, options);
  auto const engine = options.engine == Engine::automatic ? Engine::rows : options.engine;
  bool const known = engine == Engine::rows ||
                     (!is_gpu<Exec> && (engine == Engine::serial || engine == Engine::fork_join));
  TAPER_REQUIRE(known, function + ": engine " + std::string(to_string(engine)) +
                           " does not add on " + Exec::name() + "; use rows");

  Region const region(function);
  auto const& where = device_of(place);
  if (!sum.c.has_contiguous_rows() && sum.c.has_contiguous_columns()) {
    sum = sum.transposed();
  }
  if (sum.c.rows > 0 && sum.c.columns > 0) {
    if (engine == Engine::rows) {
      detail::add_by_rows(where, sum);
    } else if constexpr (!is_gpu<Exec>) {
      if (engine == Engine::serial) {
        sum.run();
      } else {
        std::int64_t const threshold = options.threshold.value_or(512);
        std::int64_t const max_entries = threshold < (std::int64_t{1} << 31)
                                             ? threshold * threshold
                                             : sum.c.rows * sum.c.columns;
        fork_join(where, options.scheduler, [&](Fork& fork) { sum.fork(fork, max_entries); });
      }
    }
  }
  return {.engine = engine,
          .operations =
              static_cast<std::uint64_t>(sum.c.rows) * static_cast<std::uint64_t>(sum.c.columns)};
}

}  // namespace taper::matmul
