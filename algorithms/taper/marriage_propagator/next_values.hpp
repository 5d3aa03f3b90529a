// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/bit_fields.hpp>
#include <taper/marriage_propagator/domains.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::marriage_propagator::detail {

/// The next values that a proposer must try, with their receivers, in one cache line. The values
/// that are left of a long list are scattered over it, so this saves cache misses.
///
/// Used by: the serial propagator. The parallel one computes them for it on a GPU.
///
/// No value that must be tried lies between the first and the last entry. Zero entries are empty.
struct NextValues {
  static constexpr std::uint32_t size = 8;
  /// The value plus one, and the pair as the receiver sees it (ReversePair).
  using Entry = BitFields<Word, 22, 21, 21>;

  Word entries[size];

  /// The position after the entry's value; 0 if the entry is empty.
  KOKKOS_FUNCTION static std::uint32_t next_position(Word entry) {
    return static_cast<std::uint32_t>(Entry::get<0>(entry));
  }
  KOKKOS_FUNCTION static ReversePair reverse(Word entry) {
    return {static_cast<std::uint32_t>(Entry::get<1>(entry)),
            static_cast<std::uint32_t>(Entry::get<2>(entry))};
  }
};

/// The next values of `proposer` from `begin` on: those in its domain, and those in its row
/// `missing` (HostState::missing). After the last value of the domain the entries hold the value n:
/// the list is exhausted.
///
/// Values that an offer removed are left out. Their receivers certainly reject, since offers only
/// fall.
template <class Id>
KOKKOS_FUNCTION NextValues find_next_values(SideView<Id> const& proposers, Word const* missing,
                                            std::uint32_t proposer, std::uint32_t begin) {
  Word const* const present = proposers.rows[proposer];
  std::uint32_t left = proposers.count[proposer];
  std::uint32_t word = proposers.proposed[proposer] / word_bits;
  for (; word * word_bits < begin; ++word) {
    for (Word passed = present[word] & bits_below(begin, word); passed != 0; passed &= passed - 1) {
      --left;
    }
  }
  NextValues next_values;
  std::uint32_t filled = 0;
  for (word = begin / word_bits; word < proposers.words() && left > 0 && filled < NextValues::size;
       ++word) {
    Word values = (present[word] | missing[word]) & ~bits_below(begin, word);
    for (; values != 0 && left > 0 && filled < NextValues::size; values &= values - 1) {
      std::uint32_t const value =
          word * word_bits +
          static_cast<std::uint32_t>(Kokkos::Experimental::countr_zero_builtin(values));
      ReversePair const reverse = proposers.reverse(proposer, value);
      next_values.entries[filled++] =
          NextValues::Entry::pack(value + 1, reverse.person, reverse.value);
      left -= (present[word] & bit_of(value)) != 0 ? 1u : 0u;
    }
  }
  for (; filled < NextValues::size; ++filled) {
    next_values.entries[filled] = NextValues::Entry::pack(proposers.n + 1, 0u, 0u);
  }
  return next_values;
}

}  // namespace taper::marriage_propagator::detail
