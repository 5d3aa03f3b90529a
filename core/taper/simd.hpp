// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

// Vectors of adjacent entries of a row: one memory access of a GPU, one vectorised loop of a host.
// Used by: stable marriage, preferences/, and the GPU kernels of matrix products.

namespace taper {

/// `size` consecutive entries of an array of T. may_alias: an access to it is also an access to
/// those entries.
///
/// A vector of up to 16 bytes is aligned to its size, and a GPU loads or stores it in one access. A
/// larger vector has the alignment of T; it is for loops that a host compiler vectorises.
template <class T, std::uint32_t size_>
requires std::is_arithmetic_v<T>
struct [[gnu::may_alias]] alignas(size_ * sizeof(T) <= 16 ? size_ * sizeof(T)
                                                          : alignof(T)) SimdVector {
  static constexpr std::uint32_t size = size_;
  T entries[size];
};

/// True if `entries` is aligned for a vector V.
template <class V, class T>
KOKKOS_FORCEINLINE_FUNCTION bool is_aligned_for(T const* entries) {
  return reinterpret_cast<std::uintptr_t>(entries) % alignof(V) == 0;
}

/// The vector that starts at `entries`. Requires: is_aligned_for<V>(entries).
template <class V, class T>
KOKKOS_FORCEINLINE_FUNCTION V const& vector_at(T const* entries) {
  return *reinterpret_cast<V const*>(entries);
}
template <class V, class T>
KOKKOS_FORCEINLINE_FUNCTION V& vector_at(T* entries) {
  return *reinterpret_cast<V*>(entries);
}

/// A vector of T that any_below() and any_equal() accept. Eight 16-bit entries are stored as the
/// four words that a GPU loads. As eight entries they would take eight registers.
template <std::unsigned_integral T, std::uint32_t size>
using ComparisonVector = std::conditional_t<sizeof(T) == 2 && size == 8,
                                            SimdVector<std::uint32_t, 4>, SimdVector<T, size>>;

/// Entry `k` of a vector of T.
template <std::unsigned_integral T, std::uint32_t size>
KOKKOS_FORCEINLINE_FUNCTION T entry_of(ComparisonVector<T, size> const& vector, std::uint32_t k) {
  if constexpr (std::is_same_v<ComparisonVector<T, size>, SimdVector<T, size>>) {
    return vector.entries[k];
  } else {
    return static_cast<T>(vector.entries[k / 2] >> (k % 2 * 16));
  }
}

/// Replaces entry `k` of a vector of T.
template <std::unsigned_integral T, std::uint32_t size>
KOKKOS_FORCEINLINE_FUNCTION void set_entry(ComparisonVector<T, size>& vector, std::uint32_t k,
                                           T value) {
  if constexpr (std::is_same_v<ComparisonVector<T, size>, SimdVector<T, size>>) {
    vector.entries[k] = value;
  } else {
    std::uint32_t const shift = k % 2 * 16;
    std::uint32_t& word = vector.entries[k / 2];
    word = (word & ~(0xffffu << shift)) | static_cast<std::uint32_t>(value) << shift;
  }
}

namespace detail {

/// The minimum of each of the two 16-bit entries in a word.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t min_of_halves(std::uint32_t one, std::uint32_t other) {
  KOKKOS_IF_ON_HOST((std::uint32_t const low = Kokkos::min(one & 0xffffu, other & 0xffffu);
                     return Kokkos::min(one >> 16, other >> 16) << 16 | low;))
  KOKKOS_IF_ON_DEVICE((return __vminu2(one, other);))
}

}  // namespace detail

/// True if some entry of `one` is less than the same entry of `other`.
template <class T, std::uint32_t size>
KOKKOS_FORCEINLINE_FUNCTION bool any_below(ComparisonVector<T, size> const& one,
                                           ComparisonVector<T, size> const& other) {
  if constexpr (std::is_same_v<ComparisonVector<T, size>, SimdVector<T, size>>) {
    T any = 0;  // of type T: with another width, g++ does not vectorise the loop
    for (std::uint32_t k = 0; k < size; ++k) {
      any |= static_cast<T>(one.entries[k] < other.entries[k]);
    }
    return any != 0;
  } else {
    std::uint32_t any = 0;
    for (std::uint32_t k = 0; k < one.size; ++k) {
      any |= detail::min_of_halves(one.entries[k], other.entries[k]) ^ other.entries[k];
    }
    return any != 0;
  }
}

/// True if some entry equals `first` or `second`.
template <class T, std::uint32_t size>
KOKKOS_FORCEINLINE_FUNCTION bool any_equal(ComparisonVector<T, size> const& vector, T first,
                                           T second) {
  if constexpr (std::is_same_v<ComparisonVector<T, size>, SimdVector<T, size>>) {
    T any = 0;
    for (std::uint32_t k = 0; k < size; ++k) {
      any |= static_cast<T>((vector.entries[k] == first) | (vector.entries[k] == second));
    }
    return any != 0;
  } else {
    // Each half starts at 1, and becomes 0 if an entry of that half is equal.
    constexpr std::uint32_t both = 0x10001;
    std::uint32_t differ = both;
    for (std::uint32_t k = 0; k < vector.size; ++k) {
      differ = detail::min_of_halves(differ, vector.entries[k] ^ (first * both));
    }
    if (second != first) {
      for (std::uint32_t k = 0; k < vector.size; ++k) {
        differ = detail::min_of_halves(differ, vector.entries[k] ^ (second * both));
      }
    }
    return differ != both;
  }
}

/// A row of entries, divided into aligned vectors V, and single entries before and after them.
template <class V>
struct AlignedRow {
  std::uint32_t head;     ///< single entries before the first vector
  std::uint32_t vectors;  ///< the number of vectors
  std::uint32_t singles;  ///< all single entries, before and after the vectors

  template <class T>
  KOKKOS_FUNCTION AlignedRow(T const* row, std::uint32_t n) {
    std::uint32_t const past =
        static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(row) % alignof(V) / sizeof(T));
    constexpr std::uint32_t step = alignof(V) / sizeof(T);
    head = past == 0 ? 0 : Kokkos::min(n, step - past);
    vectors = (n - head) / V::size;
    singles = n - vectors * V::size;
  }

  /// The position in the row of vector `i`.
  KOKKOS_FUNCTION std::uint32_t start_of(std::uint32_t i) const { return head + i * V::size; }
  /// The position in the row of single entry `i`.
  KOKKOS_FUNCTION std::uint32_t position_of_single(std::uint32_t i) const {
    return i < head ? i : i + vectors * V::size;
  }
};

}  // namespace taper
