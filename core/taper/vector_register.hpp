// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <utility>

// SIMD registers of the host.
// Used by: the packed matrix product, and the membership filter of stable marriage.

namespace taper {

// The size of a register, and the number of registers, of the target of this translation unit. The
// headers are compiled with their user's -march.
#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
inline constexpr int vector_registers = 32;
#elif defined(__AVX__)
inline constexpr int vector_bytes = 32;
inline constexpr int vector_registers = 16;
#elif defined(__aarch64__) || defined(__VSX__)
inline constexpr int vector_bytes = 16;
inline constexpr int vector_registers = 32;
#else
inline constexpr int vector_bytes = 16;
inline constexpr int vector_registers = 16;
#endif

/// `bytes` of T in one SIMD register, with the ordinary operators entry by entry. A scalar operand
/// counts as a vector of equal entries.
///
/// The width is a template argument: translation units with different -march then instantiate
/// different types, and no inline function has two definitions under one name.
template <class T, int bytes = vector_bytes>
using VectorRegister [[gnu::vector_size(bytes)]] = T;

namespace detail {
template <int... I, class F>
[[gnu::always_inline]] inline void unrolled(std::integer_sequence<int, I...>, F&& f) {
  (f(std::integral_constant<int, I>{}), ...);
}
}  // namespace detail

/// Calls f(0), ..., f(n-1) with constant arguments. An array that f indexes by them can stay in
/// registers, whether or not the compiler would unroll a loop.
template <int n, class F>
[[gnu::always_inline]] inline void unrolled(F&& f) {
  detail::unrolled(std::make_integer_sequence<int, n>{}, f);
}

}  // namespace taper
