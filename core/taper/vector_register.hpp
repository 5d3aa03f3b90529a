// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <utility>

namespace taper {

// What the target of this translation unit has: the library is compiled with its user's -march.
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

/// `bytes` of T that the compiler keeps in a register and computes with entry by entry, by the
/// ordinary operators; a scalar counts as a vector of itself. The width is an argument, so that
/// code for one width never stands for another's under the same name.
template <class T, int bytes = vector_bytes>
using VectorRegister [[gnu::vector_size(bytes)]] = T;

namespace detail {
template <int... I, class F>
[[gnu::always_inline]] inline void unrolled(std::integer_sequence<int, I...>, F&& f) {
  (f(std::integral_constant<int, I>{}), ...);
}
}  // namespace detail

/// f(0), ..., f(n-1) with constant arguments: an array that is indexed by them can live in
/// registers, whatever the compiler would have made of a loop.
template <int n, class F>
[[gnu::always_inline]] inline void unrolled(F&& f) {
  detail::unrolled(std::make_integer_sequence<int, n>{}, f);
}

}  // namespace taper
