// SPDX-License-Identifier: Apache-2.0
#pragma once

// Explicit SIMD instructions for additions, by Kokkos SIMD: AVX2, as in Section 8.3.1.
// Used by: add.hpp.

// A Kokkos that was built for no architecture, as Debian's, has only scalars in <Kokkos_SIMD.hpp>.
// Its header for AVX2 needs no more than the compiler's flag, but must be included first.
#if defined(__AVX2__) && !defined(KOKKOS_SIMD_HPP)
#include <Kokkos_SIMD_AVX2.hpp>
#endif
#include <Kokkos_SIMD.hpp>

#include <cstdint>

namespace taper::matmul::detail {

/// A SIMD register of T: AVX2 if this translation unit is compiled for it, else what Kokkos was
/// built for. Functions that depend on it take it as a template argument, so that translation units
/// with different flags instantiate different functions (one-definition rule).
#if defined(KOKKOS_SIMD_AVX2_HPP)
template <class T>
using ExplicitSimd = Kokkos::Experimental::basic_simd<
    T, Kokkos::Experimental::simd_abi::avx2_fixed_size<32 / sizeof(T)>>;
#else
template <class T>
using ExplicitSimd = Kokkos::Experimental::simd<T>;
#endif

/// The entries of a register; 1: there are no SIMD instructions.
template <class Simd>
inline constexpr std::int64_t simd_entries = static_cast<std::int64_t>(Simd::size());

template <class Simd, class T>
Simd load(T const* from) {
  return Simd(from, Kokkos::Experimental::element_aligned_tag{});
}

template <class Simd, class T>
void store(Simd const& entries, T* to) {
  constexpr Kokkos::Experimental::element_aligned_tag unaligned{};
  if constexpr (requires { simd_unchecked_store(entries, to, unaligned); }) {
    simd_unchecked_store(entries, to, unaligned);
  } else {
    entries.copy_to(to, unaligned);  // Kokkos before 5.0
  }
}

}  // namespace taper::matmul::detail
