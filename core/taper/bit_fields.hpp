// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Macros.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <limits>

namespace taper {

/// Several unsigned fields in one word, the first in the most significant bits.
///
/// Words compare lexicographically by their fields. So one atomic minimum on the word finds the
/// least first field and carries the other fields of the same word with it.
///
/// `BitFields<std::uint64_t, 21, 21, 22>` has fields of 21, 21 and 22 bits.
///
/// Used by: the offers of stable marriage and of its propagator, and the registry of vertex cover's
/// component search.
template <std::unsigned_integral Word, unsigned... Bits>
struct BitFields {
  static_assert((Bits + ...) == std::numeric_limits<Word>::digits,
                "BitFields: the widths must add up to the width of the word");

 private:
  static constexpr std::array<unsigned, sizeof...(Bits)> widths{Bits...};

  static constexpr unsigned bits_after(std::size_t field) {
    unsigned bits = 0;
    for (std::size_t i = field + 1; i < widths.size(); ++i) {
      bits += widths[i];
    }
    return bits;
  }
  template <std::size_t I>
  static constexpr unsigned shift = bits_after(I);

 public:
  /// The largest value of field `I`.
  template <std::size_t I>
  static constexpr Word largest = std::numeric_limits<Word>::max() >>
                                  (std::numeric_limits<Word>::digits - widths[I]);

  /// The value of field `I`.
  template <std::size_t I>
  KOKKOS_FUNCTION static constexpr Word get(Word word) {
    constexpr Word mask = largest<I>;
    return (word >> shift<I>)&mask;
  }

  /// The word with these values. Requires: each value is at most the largest of its field.
  template <std::unsigned_integral... Values>
  requires(sizeof...(Values) == sizeof...(Bits)) KOKKOS_FUNCTION static constexpr Word
      pack(Values... values) {
    Word word = 0;
    ((word = shifted<Bits>(word) | static_cast<Word>(values)), ...);
    return word;
  }

 private:
  template <unsigned By>
  KOKKOS_FUNCTION static constexpr Word shifted(Word word) {
    if constexpr (By == std::numeric_limits<Word>::digits) {
      return 0;
    } else {
      return word << By;
    }
  }
};

}  // namespace taper
