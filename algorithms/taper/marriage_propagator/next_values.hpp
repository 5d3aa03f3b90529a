// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/marriage_propagator/domains.hpp>
#include <taper/packed.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::marriage_propagator::detail {

/// The next few values that a proposer has to try, and whom they mean, in one cache line: what is
/// left of a long list lies scattered over it. Between the first and the last entry there is no
/// other. Entries that are zero stand for none.
struct Window {
  static constexpr std::uint32_t size = 8;
  /// One more than the value, and the twin.
  using Try = Packed<Word, 22, 21, 21>;

  Word tries[size];

  KOKKOS_FUNCTION static std::uint32_t end(Word entry) {
    return static_cast<std::uint32_t>(Try::get<0>(entry));
  }
  KOKKOS_FUNCTION static Twin twin(Word entry) {
    return {static_cast<std::uint32_t>(Try::get<1>(entry)),
            static_cast<std::uint32_t>(Try::get<2>(entry))};
  }
};

/// The window from value `begin` on: what is there, and what is missing, as far as there is anything
/// else to come to; then n, for nobody. Whatever else is gone, a receiver's offer has taken out, who
/// is certain to refuse: offers only fall.
template <class Id>
KOKKOS_FUNCTION Window window_from(Side<Id> const& proposers, Word const* missing,
                                   std::uint32_t proposer, std::uint32_t begin) {
  Word const* const present = proposers.rows[proposer];
  std::uint32_t left = proposers.count[proposer];
  std::uint32_t word = proposers.first[proposer] / word_bits;
  for (; word * word_bits < begin; ++word) {
    for (Word passed = present[word] & bits_below(begin, word); passed != 0; passed &= passed - 1) {
      --left;
    }
  }
  Window window;
  std::uint32_t filled = 0;
  for (word = begin / word_bits; word < proposers.words() && left > 0 && filled < Window::size;
       ++word) {
    Word values = (present[word] | missing[word]) & ~bits_below(begin, word);
    for (; values != 0 && left > 0 && filled < Window::size; values &= values - 1) {
      std::uint32_t const value =
          word * word_bits +
          static_cast<std::uint32_t>(Kokkos::Experimental::countr_zero_builtin(values));
      Twin const twin = proposers.twin(proposer, value);
      window.tries[filled++] = Window::Try::pack(value + 1, twin.person, twin.value);
      left -= (present[word] & bit_of(value)) != 0 ? 1 : 0;
    }
  }
  for (; filled < Window::size; ++filled) {
    window.tries[filled] = Window::Try::pack(proposers.n + 1, 0u, 0u);
  }
  return window;
}

}  // namespace taper::marriage_propagator::detail
