// SPDX-License-Identifier: Apache-2.0
#pragma once

// Dense matrix product: the front door. The order of the first includes is that of the contents.
// Users also call add.hpp, generate.hpp and verify.hpp.

// Options and report.
#include <taper/matmul/options.hpp>
#include <taper/matmul/report.hpp>
// Matrices in any layout, and the checks of arguments.
#include <taper/matmul/matrix.hpp>
#include <taper/matmul/require.hpp>
// Host engines, from plain loops to Strassen's.
#include <taper/matmul/host.hpp>
// GPU engines.
#include <taper/matmul/device.hpp>
// The vendor's library, which automatic prefers if it is linked.
#include <taper/matmul/vendor.hpp>
// Temporaries that products share.
#include <taper/matmul/workspace.hpp>

#include <taper/backend.hpp>
#include <taper/error.hpp>
#include <taper/place.hpp>
#include <taper/region.hpp>
#include <taper/stop.hpp>

#include <Kokkos_Core.hpp>

#include <concepts>
#include <string>
#include <type_traits>

namespace taper::matmul {
namespace detail {

/// True if Exec is a GPU and the View lies in host memory: the host can access it, and it is not in
/// the GPU's own memory. Pinned and managed memory count, so a View can be in host memory and
/// reachable, too.
template <class Exec, class View>
inline constexpr bool is_in_host_memory =
    is_gpu<Exec> && !std::is_same_v<typename View::memory_space, typename Exec::memory_space> &&
    bool(Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename View::memory_space>::accessible);

/// True if kernels of Exec can access the View.
template <class Exec, class View>
inline constexpr bool
    is_reachable = bool(Kokkos::SpaceAccessibility<Exec, typename View::memory_space>::accessible);

}  // namespace detail

/// C = alpha A B + beta C, of float or double.
///
/// A is m x k, B is k x n, C is m x n; extents may be 0. The Views have rank 2, any layout and any
/// strides. If `place` is a GPU and the Views are in host memory, the product is streamed.
///
/// Equivalent to: for each entry of C the sum over k, in some order, with or without fused
///   multiply-adds. For small integers every engine gives the same bits. NaN and infinity propagate
///   as in IEEE arithmetic. As in the BLAS, beta = 0 means that C is not read, and alpha = 0 that A
///   and B are not read.
/// Error: |C - AB| <= g(k) |A| |B| entry by entry. g depends on the kernel (loops.hpp, panels.hpp).
///   strassen and winograd keep a weaker bound, in norms (strassen.hpp).
/// Requires: no other work uses the three Views.
/// Cost: 2 m n k operations; fewer with strassen and winograd.
/// Stop: if Options::stop is set, returns soon with status `stopped`; C is then undefined. Host engines
///   look at the flag before each block, plain loops before each row of C, and `streamed` before each
///   tile. A host's BLAS is then called for parts of a large product, each of about a second. A
///   product of matrices in a GPU's memory ends first.
/// Async: returns with the instances in `place` fenced; fences no others.
/// Throws: taper::Error if extents disagree, C overlaps A or B, an option is out of its range, or
///   the engine does not run on the place.
template <Place P, class AView, class BView, class CView, unsigned libraries = vendor::linked>
Report multiply(P const& place, typename CView::non_const_value_type alpha, AView const& a,
                BView const& b, typename CView::non_const_value_type beta, CView const& c,
                Options const& options,
                Workspace<typename CView::non_const_value_type>& workspace) {
  using T = typename CView::value_type;
  using Exec = DeviceOf<P>;
  static_assert(!std::is_const_v<T>, "multiply: C is written");
  static_assert(std::same_as<T, float> || std::same_as<T, double>, "multiply: float or double");
  static_assert(std::same_as<typename AView::non_const_value_type, T> &&
                    std::same_as<typename BView::non_const_value_type, T>,
                "multiply: A, B and C have one value type");
  constexpr bool in_host_memory = detail::is_in_host_memory<Exec, AView> &&
                                  detail::is_in_host_memory<Exec, BView> &&
                                  detail::is_in_host_memory<Exec, CView>;
  constexpr bool reachable = detail::is_reachable<Exec, AView> &&
                             detail::is_reachable<Exec, BView> && detail::is_reachable<Exec, CView>;
  static_assert(reachable || in_host_memory,
                "multiply: the device of `place` must reach all three matrices, or all three must "
                "be in host memory");

  std::string const function = "taper::matmul::multiply";
  Matrix<T const> const left = matrix_of(a);
  Matrix<T const> const right = matrix_of(b);
  Matrix<T> const out = matrix_of(c);
  detail::require_options(function, options);
  detail::require_product(function, left, right, out);
  Region const region(function);

  // Engines expect C with contiguous rows. If only its columns are, compute C^T = B^T A^T.
  bool const by_columns = !out.has_contiguous_rows() && out.has_contiguous_columns();
  Matrix<T const> const x = by_columns ? right.transposed() : left;
  Matrix<T const> const y = by_columns ? left.transposed() : right;
  Matrix<T> const z = by_columns ? out.transposed() : out;
  StopFlag const stop{options.stop};
  if (stop.is_set()) {
    return {.status = Status::stopped};
  }
  auto const& where = device_of(place);
  constexpr bool vendor_is_available = !in_host_memory && vendor::is_available<Exec, libraries>;
  bool const by_vendor = options.engine == Engine::vendor ||
                         (options.engine == Engine::automatic && vendor_is_available);
  Report report;
  if (by_vendor) {
    if constexpr (in_host_memory) {
      throw Error(function + ": engine vendor needs matrices in memory of " +
                  std::string(Exec::name()) +
                  ", and these are in host memory; use engine streamed, which copies them");
    } else {
      report = vendor::multiply<libraries>(where, alpha, x, y, beta, z, stop);
    }
  } else if constexpr (!is_gpu<Exec>) {
    report = host::multiply(where, alpha, x, y, beta, z, options, workspace.temporaries());
  } else if constexpr (in_host_memory) {
    report = device::stream(place, alpha, x, y, beta, z, options);
  } else {
    report = device::multiply(where, alpha, x, y, beta, z, options);
  }
  report.status = stop.is_set() ? Status::stopped : Status::solved;
  report.operations = 2 * static_cast<std::uint64_t>(out.rows) *
                      static_cast<std::uint64_t>(out.columns) *
                      static_cast<std::uint64_t>(left.columns);
  return report;
}

/// The same without a workspace: allocates the temporaries and frees them.
template <Place P, class AView, class BView, class CView, unsigned libraries = vendor::linked>
Report multiply(P const& place, typename CView::non_const_value_type alpha, AView const& a,
                BView const& b, typename CView::non_const_value_type beta, CView const& c,
                Options const& options = {}) {
  Workspace<typename CView::non_const_value_type> workspace;
  return multiply<P, AView, BView, CView, libraries>(place, alpha, a, b, beta, c, options,
                                                     workspace);
}

}  // namespace taper::matmul
