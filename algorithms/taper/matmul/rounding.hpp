// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Macros.hpp>

#include <bit>
#include <cstdint>
#include <type_traits>

namespace taper::matmul {

/// Returns `value`, rounded to T, and keeps the compiler from simplifying expressions through it.
/// Used by: the compensated sums (loops.hpp) and DoubleDouble.
///
/// Compensated sums compute differences that are 0 in exact arithmetic. With -ffast-math or
/// -fassociative-math a compiler would drop them. With -ffp-contract=fast, the default of g++, it
/// would use a product rounded in one place and unrounded in another.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T rounded(T value) {
#if defined(__CUDA_ARCH__)
  return value;  // nvcc contracts, but does not reassociate
#elif defined(__CUDACC__)
  T volatile kept = value;  // nvcc's front end has neither of the two intrinsics below
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

/// True if `value` is neither infinite nor NaN. Tests the bits, since -ffast-math turns
/// std::isfinite into a constant.
template <class T>
constexpr bool is_finite(T value) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  constexpr Bits exponent = sizeof(T) == 8 ? Bits(0x7FF0000000000000u) : Bits(0x7F800000u);
  return (std::bit_cast<Bits>(value) & exponent) != exponent;
}

}  // namespace taper::matmul
