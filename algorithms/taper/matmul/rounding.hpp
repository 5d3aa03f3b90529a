// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Macros.hpp>

#include <bit>
#include <cstdint>
#include <type_traits>

namespace taper::matmul {

/// `value`, rounded, and nothing that is computed from it is simplified through it. Compensated sums
/// are made of differences that are 0 in exact arithmetic, and a compiler that was told to treat
/// rounding as exact (-ffast-math, -fassociative-math) would drop them; one that contracts a product
/// and a sum (-ffp-contract=fast, the default of g++) would use the product unrounded in one place and
/// rounded in another.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T rounded(T value) {
#if defined(__CUDA_ARCH__)
  return value;  // nvcc contracts, but reassociates nothing; see two_product()
#elif defined(__CUDACC__)
  T volatile kept = value;  // nvcc's front end knows neither of the two below
  return kept;
#elif defined(__clang__)
  return __arithmetic_fence(value);
#elif defined(__GNUC__) && __GNUC__ >= 12
  return __builtin_assoc_barrier(value);
#else
  T volatile kept = value;
  return kept;
#endif
}

/// Neither infinite nor no number, by its bits: -ffast-math makes a constant of std::isfinite.
template <class T>
constexpr bool is_finite(T value) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  constexpr Bits exponent = sizeof(T) == 8 ? Bits(0x7FF0000000000000u) : Bits(0x7F800000u);
  return (std::bit_cast<Bits>(value) & exponent) != exponent;
}

}  // namespace taper::matmul
