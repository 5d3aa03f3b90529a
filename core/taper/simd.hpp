// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace taper {

/// Neighbours in memory, a look at entries that live there as T (hence may_alias). Up to 16 bytes
/// of them are aligned as one word, and a GPU then loads or stores them in one access; more than
/// that is only a piece of an array, for a host's vector code.
template <class T, std::uint32_t size_>
requires std::is_arithmetic_v<T>
struct [[gnu::may_alias]] alignas(size_ * sizeof(T) <= 16 ? size_ * sizeof(T) : alignof(T)) Pack {
  static constexpr std::uint32_t size = size_;
  T entries[size];
};

template <class P, class T>
KOKKOS_FORCEINLINE_FUNCTION bool holds_packs(T const* entries) {
  return reinterpret_cast<std::uintptr_t>(entries) % alignof(P) == 0;
}

/// The pack that starts at `entries`, which must be aligned for it.
template <class P, class T>
KOKKOS_FORCEINLINE_FUNCTION P const& pack_at(T const* entries) {
  return *reinterpret_cast<P const*>(entries);
}
template <class P, class T>
KOKKOS_FORCEINLINE_FUNCTION P& pack_at(T* entries) {
  return *reinterpret_cast<P*>(entries);
}

/// A pack of T that is only compared. Eight 16-bit entries stay the four words that they came in,
/// or a GPU would spread them over eight registers.
template <std::unsigned_integral T, std::uint32_t size>
using Compared =
    std::conditional_t<sizeof(T) == 2 && size == 8, Pack<std::uint32_t, 4>, Pack<T, size>>;

namespace detail {

/// Entry by entry, the lesser of two 16-bit entries in each word.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t lesser_halves(std::uint32_t one, std::uint32_t other) {
  KOKKOS_IF_ON_HOST((std::uint32_t const low = Kokkos::min(one & 0xffffu, other & 0xffffu);
                     return Kokkos::min(one >> 16, other >> 16) << 16 | low;))
  KOKKOS_IF_ON_DEVICE((return __vminu2(one, other);))
}

}  // namespace detail

/// True if an entry of `one` is below its counterpart in `other`.
template <class T, std::uint32_t size>
KOKKOS_FORCEINLINE_FUNCTION bool any_below(Compared<T, size> const& one,
                                           Compared<T, size> const& other) {
  if constexpr (std::is_same_v<Compared<T, size>, Pack<T, size>>) {
    T any = 0;  // as wide as what is compared, or g++ does not vectorise the loop
    for (std::uint32_t k = 0; k < size; ++k) {
      any |= static_cast<T>(one.entries[k] < other.entries[k]);
    }
    return any != 0;
  } else {
    std::uint32_t any = 0;
    for (std::uint32_t k = 0; k < one.size; ++k) {
      any |= detail::lesser_halves(one.entries[k], other.entries[k]) ^ other.entries[k];
    }
    return any != 0;
  }
}

/// True if an entry is `this_one` or `that_one`.
template <class T, std::uint32_t size>
KOKKOS_FORCEINLINE_FUNCTION bool any_of(Compared<T, size> const& pack, T this_one, T that_one) {
  if constexpr (std::is_same_v<Compared<T, size>, Pack<T, size>>) {
    T any = 0;
    for (std::uint32_t k = 0; k < size; ++k) {
      any |= static_cast<T>((pack.entries[k] == this_one) | (pack.entries[k] == that_one));
    }
    return any != 0;
  } else {
    constexpr std::uint32_t both = 0x10001;  // a half of `differ` is 0 once it was equal
    std::uint32_t differ = both;
    for (std::uint32_t k = 0; k < pack.size; ++k) {
      differ = detail::lesser_halves(differ, pack.entries[k] ^ (this_one * both));
    }
    if (that_one != this_one) {
      for (std::uint32_t k = 0; k < pack.size; ++k) {
        differ = detail::lesser_halves(differ, pack.entries[k] ^ (that_one * both));
      }
    }
    return differ != both;
  }
}

/// A row of entries as aligned packs, and the loose entries before and after them.
template <class P>
struct PackedRow {
  std::uint32_t head;  ///< loose entries before the first pack
  std::uint32_t packs;
  std::uint32_t loose;  ///< in all

  template <class T>
  KOKKOS_FUNCTION PackedRow(T const* row, std::uint32_t n) {
    std::uint32_t const past =
        static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(row) % alignof(P) / sizeof(T));
    constexpr std::uint32_t step = alignof(P) / sizeof(T);
    head = past == 0 ? 0 : Kokkos::min(n, step - past);
    packs = (n - head) / P::size;
    loose = n - packs * P::size;
  }

  KOKKOS_FUNCTION std::uint32_t start_of(std::uint32_t pack) const { return head + pack * P::size; }
  /// Position in the row of loose entry `i`.
  KOKKOS_FUNCTION std::uint32_t position_of_loose(std::uint32_t i) const {
    return i < head ? i : i + packs * P::size;
  }
};

}  // namespace taper
