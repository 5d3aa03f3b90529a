// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/marriage_propagator/domains.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::marriage_propagator::detail {

/// Takes `mask` out of word `word` of a person's row; what was there of it.
TAPER_EITHER_SIDE
template <class Id, class Books>
KOKKOS_FUNCTION Word take(Side<Id> const& side, Books& books, std::uint32_t person,
                          std::uint32_t word, Word mask) {
  Word const taken = books.take(side.rows(person, word), mask);
  if (taken != 0) {
    std::uint32_t const left = books.subtract(side.count[person], count_bits(taken));
    books.lost(side, person, word, taken, left);
  }
  return taken;
}

/// Phase 1, and the paper's removeValue: the person goes out of the domains of
/// whomever `values` mean.
TAPER_EITHER_SIDE
template <class Id, class Books>
KOKKOS_FUNCTION void take_twins(Side<Id> const& from, Side<Id> const& to, Books& books,
                                std::uint32_t person, std::uint32_t word, Word values) {
  for_each_value(values, word, [&](std::uint32_t value) {
    Twin const twin = from.twin(person, value);
    take(to, books, twin.person, twin.value / word_bits, bit_of(twin.value));
  });
}

/// The paper's deltaMax, a word at a time: whatever her offer no longer keeps
/// goes, on both sides.
TAPER_EITHER_SIDE
template <class Id, class Books>
KOKKOS_FUNCTION void cut_word(Side<Id> const& receivers, Side<Id> const& proposers, Books& books,
                              std::uint32_t receiver, std::uint32_t word) {
  Word const kept_here = bits_below(kept(receivers.offer[receiver]), word);
  Word const gone = take(receivers, books, receiver, word, ~kept_here);
  take_twins(receivers, proposers, books, receiver, word, gone);
}

/// The same for many receivers at once, by many workers: from the proposers'
/// side, whose candidates lie in order, where cut_word() looks up each pair by
/// itself. Leaves the receivers' rows to cut_own_word().
TAPER_EITHER_SIDE
template <class Id, class Books>
KOKKOS_FUNCTION void sweep_word(Side<Id> const& proposers, Side<Id> const& receivers, Books& books,
                                std::uint32_t proposer, std::uint32_t word) {
  Word const present = proposers.rows(proposer, word);
  if (present == 0) {
    return;
  }
  std::uint32_t const begin = word * word_bits;
  std::uint32_t const values = Kokkos::min(word_bits + 0, proposers.n - begin);
  Word stays = 0;
  for (std::uint32_t i = 0; i < values; ++i) {
    Twin const twin = proposers.twin(proposer, begin + i);
    stays |= Word{twin.value < kept(receivers.offer[twin.person])} << i;
  }
  if ((present & ~stays) != 0) {
    take(proposers, books, proposer, word, ~stays);
  }
}

TAPER_EITHER_SIDE
template <class Id, class Books>
KOKKOS_FUNCTION void cut_own_word(Side<Id> const& receivers, Books& books, std::uint32_t receiver,
                                  std::uint32_t word) {
  Word const gone = ~bits_below(kept(receivers.offer[receiver]), word);
  if ((receivers.rows(receiver, word) & gone) != 0) {
    take(receivers, books, receiver, word, gone);
  }
}

/// The person's least value; n where there is none.
template <class Id>
KOKKOS_FUNCTION std::uint32_t least_value(Side<Id> const& side, std::uint32_t person) {
  for (std::uint32_t word = 0; word < side.words(); ++word) {
    Word const present = side.rows(person, word);
    if (present != 0) {
      return word * word_bits +
             static_cast<std::uint32_t>(Kokkos::Experimental::countr_zero_builtin(present));
    }
  }
  return side.n;
}

template <class Id>
KOKKOS_FUNCTION std::uint32_t greatest_value(Side<Id> const& side, std::uint32_t person) {
  for (std::uint32_t word = side.words(); word-- > 0;) {
    Word const present = side.rows(person, word);
    if (present != 0) {
      return word * word_bits + word_bits - 1 -
             static_cast<std::uint32_t>(Kokkos::Experimental::countl_zero_builtin(present));
    }
  }
  return side.n;
}

/// The paper's inst: a person with one value left takes the partner for good,
/// who loses all others.
///
/// Where the constraint holds, this removes nobody's bound: the men's minima
/// are a bijection (two men of one minimum would be one too many for her), each
/// woman's maximum is the man whose minimum she is, and what goes here are
/// other pairs of one of these two. So phase 2 need not run again, and the
/// bounds tell the one value without a look at the row, whoever else is writing
/// there.
///
/// `take_out(partner, word, values)` takes the partner out of the domains of whomever these values
/// mean.
TAPER_EITHER_SIDE
template <class Id, class Books, class TakeOut>
KOKKOS_FUNCTION void engage(Side<Id> const& side, Side<Id> const& others, Books& books,
                            std::uint32_t person, TakeOut const& take_out) {
  std::uint32_t const value =
      side.people == People::men ? side.first[person] : kept(side.offer[person]) - 1;
  Twin const partner = side.twin(person, value);
  if (relaxed_load(others.count[partner.person]) == 1) {
    return;
  }
  for (std::uint32_t word = 0; word < others.words(); ++word) {
    Word const stays = word == partner.value / word_bits ? bit_of(partner.value) : Word{0};
    if ((relaxed_load(others.rows(partner.person, word)) & ~stays) != 0) {
      take_out(partner.person, word, take(others, books, partner.person, word, ~stays));
    }
  }
}
TAPER_EITHER_SIDE
template <class Id, class Books>
KOKKOS_FUNCTION void engage(Side<Id> const& side, Side<Id> const& others, Books& books,
                            std::uint32_t person) {
  engage(side, others, books, person, [&](std::uint32_t partner, std::uint32_t word, Word values) {
    take_twins(others, side, books, partner, word, values);
  });
}

}  // namespace taper::marriage_propagator::detail
