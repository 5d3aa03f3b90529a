// SPDX-License-Identifier: Apache-2.0
#pragma once

// Dense matrix product: front door and table of contents.

// What a caller chooses, and what a run tells.
#include <taper/matmul/options.hpp>
#include <taper/matmul/report.hpp>
// Matrices in any layout, and what must hold between them.
#include <taper/matmul/matrix.hpp>
#include <taper/matmul/require.hpp>
// Engines of host threads, from plain loops to Strassen's.
#include <taper/matmul/host.hpp>
// Engines of a GPU.
#include <taper/matmul/device.hpp>
// The vendor's, where one is linked: what automatic takes then.
#include <taper/matmul/vendor.hpp>
#include <taper/matmul/workspace.hpp>

#include <taper/backend.hpp>
#include <taper/contract.hpp>
#include <taper/duo.hpp>
#include <taper/region.hpp>

#include <Kokkos_Core.hpp>

#include <concepts>
#include <string>
#include <type_traits>

namespace taper::matmul {
namespace detail {

/// The other side of the bus from a GPU: memory that the host reaches, and that is not its own.
template <class Exec, class View>
inline constexpr bool is_far =
    is_gpu<Exec> && !std::is_same_v<typename View::memory_space, typename Exec::memory_space> &&
    bool(Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename View::memory_space>::accessible);

template <class Exec, class View>
inline constexpr bool
    is_near = bool(Kokkos::SpaceAccessibility<Exec, typename View::memory_space>::accessible);

}  // namespace detail

/// C = alpha A B + beta C, of float or double.
///
/// A is m x k, B is k x n, C is m x n, all extents from 0; Views of rank 2, each in any layout and
/// with any strides. Where `place` is a GPU and the Views are in host memory, the product is
/// streamed.
/// Equivalent to: for each entry, the sum over k in some order, by fused multiply-adds or not. For
///   small integers every engine gives the same bits. NaN and infinity go where IEEE arithmetic
///   takes them. As in the BLAS, C is not read where beta = 0, nor A and B where alpha = 0.
/// Error: |C - AB| <= g(k) |A| |B| entry by entry, where g depends on the kernel (kernels.hpp);
///   strassen and winograd keep a weaker bound, in norms (strassen.hpp).
/// Requires: no other work on the three Views.
/// Cost: 2 m n k operations but for strassen and winograd.
/// Async: returns with the instances in `place` fenced; touches no other.
/// Throws: taper::Error if extents disagree, C overlaps A or B, an option is out of its range, or
///   the engine is none of the place's.
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
  constexpr bool far =
      detail::is_far<Exec, AView> && detail::is_far<Exec, BView> && detail::is_far<Exec, CView>;
  constexpr bool near =
      detail::is_near<Exec, AView> && detail::is_near<Exec, BView> && detail::is_near<Exec, CView>;
  static_assert(near || far,
                "multiply: the device side of `place` must reach all three matrices, or "
                "all three must be in host memory");

  std::string const function = "taper::matmul::multiply";
  Matrix<T const> const left = matrix_of(a);
  Matrix<T const> const right = matrix_of(b);
  Matrix<T> const out = matrix_of(c);
  detail::require_options(function, options);
  detail::require_product(function, left, right, out);
  Region const region(function);

  // The transposed product where that has C's entries side by side: engines see contiguous rows.
  bool const by_columns = !out.has_contiguous_rows() && out.has_contiguous_columns();
  Matrix<T const> const x = by_columns ? right.transposed() : left;
  Matrix<T const> const y = by_columns ? left.transposed() : right;
  Matrix<T> const z = by_columns ? out.transposed() : out;
  auto const& where = device_of(place);
  constexpr bool vendor_is_there = !far && vendor::is_there<Exec, libraries>;
  bool const by_vendor =
      options.engine == Engine::vendor || (options.engine == Engine::automatic && vendor_is_there);
  Report report;
  if (by_vendor) {
    if constexpr (far) {
      throw Error(function + ": engine vendor needs matrices that " + std::string(Exec::name()) +
                  " reaches, and these are in host memory: engine streamed copies them");
    } else {
      report = vendor::multiply<libraries>(where, alpha, x, y, beta, z);
    }
  } else if constexpr (!is_gpu<Exec>) {
    report = host::multiply(where, alpha, x, y, beta, z, options, workspace.temporaries());
  } else if constexpr (far) {
    report = device::stream(place, alpha, x, y, beta, z, options);
  } else {
    report = device::multiply(where, alpha, x, y, beta, z, options);
  }
  report.operations = 2 * static_cast<std::uint64_t>(out.rows) *
                      static_cast<std::uint64_t>(out.columns) *
                      static_cast<std::uint64_t>(left.columns);
  return report;
}

/// The same, in temporaries that it allocates and frees.
template <Place P, class AView, class BView, class CView, unsigned libraries = vendor::linked>
Report multiply(P const& place, typename CView::non_const_value_type alpha, AView const& a,
                BView const& b, typename CView::non_const_value_type beta, CView const& c,
                Options const& options = {}) {
  Workspace<typename CView::non_const_value_type> workspace;
  return multiply<P, AView, BView, CView, libraries>(place, alpha, a, b, beta, c, options,
                                                     workspace);
}

}  // namespace taper::matmul
