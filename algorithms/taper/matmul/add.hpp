// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/error.hpp>
#include <taper/fork_join.hpp>
#include <taper/matmul/explicit_simd.hpp>
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

/// The GPU kernel of an Addition, entry by entry. It is a type of its own, since nvcc accepts no
/// kernel whose type depends on a SIMD register of the host.
template <class T>
struct AddEntries {
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
};

/// C = alpha A + beta B of matrices of equal extents: the work of a host thread, run(), and its
/// parts. Simd: the register of explicit_simd.
template <class T, class Simd>
struct Addition {
  T alpha;
  Matrix<T const> a;
  T beta;
  Matrix<T const> b;
  Matrix<T> c;
  bool explicit_simd;  ///< of rows whose entries are contiguous in A, B and C

  Addition block(std::int64_t i, std::int64_t j, std::int64_t m, std::int64_t n) const {
    return {alpha,        a.block(i, j, m, n), beta, b.block(i, j, m, n), c.block(i, j, m, n),
            explicit_simd};
  }
  Addition transposed() const {
    return {alpha, a.transposed(), beta, b.transposed(), c.transposed(), explicit_simd};
  }

  /// The number of parts that each worker gets one of, and one of these parts: a range of rows, or
  /// of columns if there are few rows.
  std::int64_t parts(std::int64_t workers) const {
    return std::min(std::max(c.rows, std::min(c.columns, workers)), workers);
  }
  Addition part(std::int64_t index, std::int64_t count) const {
    bool const by_rows = c.rows >= count;
    std::int64_t const extent = by_rows ? c.rows : c.columns;
    std::int64_t const first = extent * index / count;
    std::int64_t const size = extent * (index + 1) / count - first;
    return by_rows ? block(first, 0, size, c.columns) : block(0, first, c.rows, size);
  }

  /// Computes all of C on the calling thread.
  void run() const {
    bool const contiguous = a.column_stride == 1 && b.column_stride == 1 && c.column_stride == 1;
    for (std::int64_t i = 0; i < c.rows; ++i) {
      T const* const x = &a(i, 0);
      T const* const y = &b(i, 0);
      T* const z = &c(i, 0);
      if (contiguous) {
        add_row(x, y, z);
      } else {
        for (std::int64_t j = 0; j < c.columns; ++j) {
          z[j * c.column_stride] = alpha * x[j * a.column_stride] + beta * y[j * b.column_stride];
        }
      }
    }
  }

  /// Adds a row of contiguous entries.
  void add_row(T const* x, T const* y, T* z) const {
    std::int64_t j = 0;
    if (explicit_simd) {
      Simd const by_alpha(alpha);
      Simd const by_beta(beta);
      for (constexpr auto step = simd_entries<Simd>; j + step <= c.columns; j += step) {
        store(by_alpha * load<Simd>(x + j) + by_beta * load<Simd>(y + j), z + j);
      }
    }
    for (; j < c.columns; ++j) {  // the compiler vectorises this loop
      z[j] = alpha * x[j] + beta * y[j];
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

/// Adds with one part per worker. On a GPU: with one thread per entry.
template <class Exec, class T, class Simd>
void add_by_rows(Exec const& where, Addition<T, Simd> const& sum) {
  if constexpr (is_gpu<Exec>) {
    Kokkos::parallel_for("taper::matmul::add",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(
                             where, 0, sum.c.rows * sum.c.columns),
                         AddEntries<T>{sum.alpha, sum.a, sum.beta, sum.b, sum.c});
    where.fence("taper::matmul::add: wait for the sum");
  } else {
    std::int64_t const parts = sum.parts(worker_count(where));
    for_each_item(where, "taper::matmul::add", parts,
                  [&](std::int64_t, std::int64_t index) { sum.part(index, parts).run(); });
  }
}

/// Adds by forks: of halves only, or of one part per worker and then of its halves.
template <class Exec, class T, class Simd>
void add_by_forks(Exec const& where, Addition<T, Simd> const& sum, Options const& options) {
  std::int64_t const threshold = options.threshold.value_or(512);
  std::int64_t const max_entries =
      threshold < (std::int64_t{1} << 31) ? threshold * threshold : sum.c.rows * sum.c.columns;
  fork_join(where, options.scheduler, [&](Fork& fork) {
    if (options.engine == Engine::fork_join) {
      return sum.fork(fork, max_entries);
    }
    std::int64_t const parts = sum.parts(fork.workers());
    fork.each(std::int64_t{0}, parts, [&](std::int64_t index, Fork& inner) {
      sum.part(index, parts).fork(inner, max_entries);
    });
  });
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

/// Checks the arguments of add() but the types. Throws taper::Error.
template <class Exec, class Simd, class T>
void require_sum(Addition<T, Simd> const& sum, Options const& options) {
  std::string const function = "taper::matmul::add";
  auto const fits = [&](Matrix<T const> const& x) {
    return x.rows == sum.c.rows && x.columns == sum.c.columns;
  };
  TAPER_REQUIRE(fits(sum.a) && fits(sum.b),
                function + ": A, B and C must have equal extents, but A is " + extents(sum.a) +
                    ", B is " + extents(sum.b) + " and C is " + extents(sum.c));
  TAPER_REQUIRE(!overlap_partially<T>(sum.a, sum.c) && !overlap_partially<T>(sum.b, sum.c),
                function +
                    ": C must be A or B or share no entry with them, but it overlaps one in part");
  require_options(function, options);
  TAPER_REQUIRE(options.engine == Engine::rows || (!is_gpu<Exec> && adds(options.engine)),
                function + ": engine " + std::string(to_string(options.engine)) +
                    " does not add on " + Exec::name() + "; use rows");
  TAPER_REQUIRE(!options.explicit_simd || (!is_gpu<Exec> && simd_entries<Simd> > 1),
                function +
                    ": explicit_simd needs a host and SIMD instructions, such as those of "
                    "-march=native; " +
                    Exec::name() + " has none in this program");
}

}  // namespace detail

/// C = alpha A + beta B of vectors or matrices, of float or double, in any layouts (Section 8.3.1).
///
/// Engines: serial; rows (also automatic), one range of rows per worker ("vanilla"), on a GPU one
///   thread per entry; fork_join, which halves the longer extent down to blocks of threshold^2
///   entries (default threshold 512); combined, one range of rows per worker and in it fork_join.
/// Options: scheduler and threshold of fork_join and combined; explicit_simd on a host.
/// Equivalent to: the serial loop; to the bit if the products alpha A and beta B are exact.
///   Otherwise the last bit may differ with explicit_simd: a compiler that fuses a product with the
///   sum may choose the other product there.
/// Requires: no other work uses the three Views. C may be A or B.
/// Cost: O(m n), bound by memory bandwidth: more workers help only if one core does not saturate
///   it.
/// Async: returns with the instances in `place` fenced.
/// Throws: taper::Error if extents disagree, C partially overlaps A or B, for other engines, or if
///   there are no SIMD instructions for explicit_simd.
template <Place P, class AView, class BView, class CView,
          class Simd = detail::ExplicitSimd<typename CView::non_const_value_type>>
Report add(P const& place, typename CView::non_const_value_type alpha, AView const& a,
           typename CView::non_const_value_type beta, BView const& b, CView const& c,
           Options options = {}) {
  using T = typename CView::value_type;
  using Exec = DeviceOf<P>;
  static_assert(!std::is_const_v<T>, "add: C is written");
  static_assert(AView::rank == CView::rank && BView::rank == CView::rank,
                "add: three vectors or three matrices");
  static_assert(Kokkos::SpaceAccessibility<Exec, typename AView::memory_space>::accessible &&
                    Kokkos::SpaceAccessibility<Exec, typename BView::memory_space>::accessible &&
                    Kokkos::SpaceAccessibility<Exec, typename CView::memory_space>::accessible,
                "add: the device of `place` must reach A, B and C");
  detail::Addition<T, Simd> sum{alpha,
                                detail::vector_or_matrix(a),
                                beta,
                                detail::vector_or_matrix(b),
                                detail::vector_or_matrix(c),
                                options.explicit_simd};
  if (options.engine == Engine::automatic) {
    options.engine = Engine::rows;
  }
  detail::require_sum<Exec, Simd>(sum, options);

  Region const region("taper::matmul::add");
  auto const& where = device_of(place);
  if (!sum.c.has_contiguous_rows() && sum.c.has_contiguous_columns()) {
    sum = sum.transposed();
  }
  if (sum.c.rows > 0 && sum.c.columns > 0) {
    if (options.engine == Engine::rows) {
      detail::add_by_rows(where, sum);
    } else if constexpr (!is_gpu<Exec>) {
      if (options.engine == Engine::serial) {
        sum.run();
      } else {
        detail::add_by_forks(where, sum, options);
      }
    }
  }
  return {.engine = options.engine,
          .operations =
              static_cast<std::uint64_t>(sum.c.rows) * static_cast<std::uint64_t>(sum.c.columns)};
}

}  // namespace taper::matmul
