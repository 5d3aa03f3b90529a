// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/error.hpp>
#include <taper/fork_join.hpp>
#include <taper/matmul/halving.hpp>
#include <taper/matmul/kernels.hpp>
#include <taper/matmul/matrix.hpp>
#include <taper/matmul/options.hpp>
#include <taper/matmul/panels.hpp>
#include <taper/matmul/recursion.hpp>
#include <taper/matmul/report.hpp>
#include <taper/matmul/rounding.hpp>
#include <taper/matmul/strassen.hpp>
#include <taper/matmul/workers.hpp>
#include <taper/place.hpp>
#include <taper/stop.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// Host engines. All compute C = alpha A B + beta C. C has contiguous rows, or neither contiguous
/// rows nor contiguous columns: the front door transposes other products.
/// Used by: taper::matmul::multiply(), through host::multiply() below.
namespace taper::matmul::host {

/// Algorithms 1 to 3: one call of the kernel on the calling thread.
template <class T>
Report serial(T alpha, Matrix<T const> a, Matrix<T const> b, T beta, Matrix<T> c,
              Options const& options) {
  detail::Buffer<T> const scratch(
      detail::kernel_scratch_entries<T>(options.kernel, c.rows, c.columns, a.columns));
  detail::run_kernel(options.kernel, scratch.data(), alpha, a, b, beta, c, {options.stop});
  return {.kernel_calls = 1, .scratch_bytes = scratch.bytes()};
}

/// Algorithm 4 ("vanilla"): each worker computes one range of rows of C.
template <class Exec, class T>
Report rows(Exec const& where, T alpha, Matrix<T const> a, Matrix<T const> b, T beta, Matrix<T> c,
            Options const& options) {
  std::int64_t const ranges = std::min(c.rows, detail::worker_count(where));
  std::int64_t const max_rows = (c.rows + ranges - 1) / ranges;
  std::int64_t const entries =
      detail::kernel_scratch_entries<T>(options.kernel, max_rows, c.columns, a.columns);
  detail::Buffer<T> const scratch(ranges * entries);
  detail::for_each_item(where, "taper::matmul::rows", ranges,
                        [&](std::int64_t worker, std::int64_t range) {
                          std::int64_t const first = c.rows * range / ranges;
                          std::int64_t const count = c.rows * (range + 1) / ranges - first;
                          detail::run_kernel(options.kernel, scratch.data() + worker * entries,
                                             alpha, a.block(first, 0, count, a.columns), b, beta,
                                             c.block(first, 0, count, c.columns), {options.stop});
                        });
  return {.kernel_calls = static_cast<std::uint64_t>(ranges), .scratch_bytes = scratch.bytes()};
}

/// Algorithm 5: workers take square blocks of C, each a sum of products of blocks. Blocks at the
/// edges may be smaller.
template <class Exec, class T>
Report tiled(Exec const& where, T alpha, Matrix<T const> a, Matrix<T const> b, T beta, Matrix<T> c,
             Options const& options) {
  std::int64_t const size = options.block;
  auto const blocks = [size](std::int64_t extent) { return (extent + size - 1) / size; };
  auto const clip = [size](std::int64_t begin, std::int64_t extent) {
    return std::min(size, extent - begin);
  };
  std::int64_t const entries = detail::kernel_scratch_entries<T>(
      options.kernel, clip(0, c.rows), clip(0, c.columns), clip(0, a.columns));
  detail::Buffer<T> const scratch(detail::worker_count(where) * entries);
  std::int64_t const across = blocks(c.columns);
  std::int64_t const items = blocks(c.rows) * across;
  detail::for_each_item(
      where, "taper::matmul::tiled", items, [&](std::int64_t worker, std::int64_t item) {
        std::int64_t const i = item / across * size;
        std::int64_t const j = item % across * size;
        auto const out = c.block(i, j, clip(i, c.rows), clip(j, c.columns));
        for (std::int64_t k = 0; k < a.columns && !StopFlag{options.stop}.is_set(); k += size) {
          std::int64_t const depth = clip(k, a.columns);
          detail::run_kernel(options.kernel, scratch.data() + worker * entries, alpha,
                             a.block(i, k, out.rows, depth), b.block(k, j, depth, out.columns),
                             k == 0 ? beta : T(1), out, {options.stop});
        }
      });
  return {.kernel_calls = static_cast<std::uint64_t>(items * blocks(a.columns)),
          .scratch_bytes = scratch.bytes()};
}

/// Packed panels and register tiles on all workers; see panels.hpp.
template <class Exec, class T>
Report packed(Exec const& where, T alpha, Matrix<T const> a, Matrix<T const> b, T beta, Matrix<T> c,
              StopFlag stop) {
  detail::Buffer<T> const scratch(
      detail::PanelPlan<T>::scratch_entries(c.rows, c.columns, a.columns));
  detail::multiply_in_panels(
      [&](std::int64_t count, auto const& f) {
        detail::for_each_item(where, "taper::matmul::packed", count,
                              [&](std::int64_t, std::int64_t item) { f(item); });
      },
      detail::worker_count(where), scratch.data(), alpha, a, b, beta, c, stop);
  return {.scratch_bytes = scratch.bytes()};
}

/// The engines fork_join, strassen and winograd.
///
/// strassen and winograd call the kernel once if no extent is to be halved. They fall back to
/// fork_join if alpha or an entry of A or B is not finite: see all_finite().
template <class Exec, class T>
Report recursive(Exec const& where, T alpha, Matrix<T const> a, Matrix<T const> b, T beta,
                 Matrix<T> c, Options const& options, detail::BufferPool<T>& memory) {
  std::int64_t const threshold = threshold_of(options);
  std::int64_t const workers =
      options.scheduler == Scheduler::serial ? 1 : detail::worker_count(where);
  std::uint64_t const fast_levels =
      options.engine == Engine::fork_join
          ? 0
          : detail::seven_product_levels(std::min({c.rows, c.columns, a.columns}), threshold);
  detail::Recursion<T> shared(options, threshold, workers, memory);
  Report report{.engine = options.engine};
  fork_join(where, options.scheduler, [&](Fork& fork) {
    if (options.engine == Engine::fork_join) {
      report.levels = detail::halving_levels(std::max({c.rows, c.columns, a.columns}), threshold);
      return detail::multiply_by_halving(shared, fork, alpha, a, b, beta, c);
    }
    report.levels = fast_levels;
    if (fast_levels == 0) {
      return shared.leaf(fork, alpha, a, b, beta, c);
    }
    if (!is_finite(alpha) || !all_finite(shared, fork, a) || !all_finite(shared, fork, b)) {
      report.engine = Engine::fork_join;
      report.levels = detail::halving_levels(std::max({c.rows, c.columns, a.columns}), threshold);
      return detail::multiply_by_halving(shared, fork, alpha, a, b, beta, c);
    }
    // 7^levels base cases balance over the workers only if there are many. Else each is parallel.
    std::uint64_t leaves = 1;
    for (std::uint64_t level = 0; level < fast_levels && leaves < 1'000'000; ++level) {
      leaves *= 7;
    }
    shared.parallel_leaves = workers > 1 && leaves < 16 * static_cast<std::uint64_t>(workers);
    if (options.engine == Engine::strassen) {
      detail::multiply_fast<detail::StrassenForm>(shared, fork, fast_levels, alpha, a, b, beta, c);
    } else {
      detail::multiply_fast<detail::WinogradForm>(shared, fork, fast_levels, alpha, a, b, beta, c);
    }
  });
  shared.add_to(report);
  return report;
}

/// C = beta C: the product if alpha = 0 or k = 0.
template <class Exec, class T>
void scale(Exec const& where, T beta, Matrix<T> c) {
  detail::for_each_item(where, "taper::matmul::scale", c.rows, [&](std::int64_t, std::int64_t i) {
    for (std::int64_t j = 0; j < c.columns; ++j) {
      c(i, j) = detail::scaled(beta, c(i, j));
    }
  });
}

/// Runs the engine that `options` name; automatic means packed. The front door handles vendor.
/// Throws: taper::Error if the engine needs a GPU, or only adds.
template <class Exec, class T>
Report multiply(Exec const& where, T alpha, Matrix<T const> a, Matrix<T const> b, T beta,
                Matrix<T> c, Options options, detail::BufferPool<T>& memory) {
  if (options.engine == Engine::automatic) {
    options.engine = Engine::packed;
  }
  TAPER_REQUIRE(runs_on_host(options.engine), "taper::matmul::multiply: engine " +
                                                  std::string(to_string(options.engine)) +
                                                  " needs a GPU, and the place is " + Exec::name());
  TAPER_REQUIRE(multiplies(options.engine), "taper::matmul::multiply: engine " +
                                                std::string(to_string(options.engine)) +
                                                " only adds; see taper::matmul::add");
  Report report;
  if (c.rows == 0 || c.columns == 0) {
    // nothing to write
  } else if (alpha == 0 || a.columns == 0) {
    scale(where, beta, c);
  } else {
    switch (options.engine) {
    case Engine::serial:
      report = serial(alpha, a, b, beta, c, options);
      break;
    case Engine::rows:
      report = rows(where, alpha, a, b, beta, c, options);
      break;
    case Engine::tiled:
      report = tiled(where, alpha, a, b, beta, c, options);
      break;
    case Engine::packed:
      report = packed(where, alpha, a, b, beta, c, {options.stop});
      break;
    default:
      report = recursive(where, alpha, a, b, beta, c, options, memory);
    }
  }
  if (report.engine == Engine::automatic) {
    report.engine = options.engine;
  }
  return report;
}

}  // namespace taper::matmul::host
