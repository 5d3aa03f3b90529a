// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/backend.hpp>
#include <taper/marriage_propagator/domains.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::marriage_propagator::detail {

/// Removes `mask` from word `word` of a person's row. Returns the values that it removed.
TAPER_SUPPRESS_HOST_DEVICE_WARNING
template <class Id, class UpdatePolicy>
KOKKOS_FUNCTION Word remove_values(SideView<Id> const& view, UpdatePolicy& policy,
                                   std::uint32_t person, std::uint32_t word, Word mask) {
  Word const removed = policy.clear_bits(view.rows(person, word), mask);
  if (removed != 0) {
    std::uint32_t const left = policy.subtract(view.count[person], count_bits(removed));
    policy.note_removal(view, person, word, removed, left);
  }
  return removed;
}

/// Removes the person from the domains of its candidates `values`, those of word `word`. This is
/// phase 1, and the paper's removeValue.
TAPER_SUPPRESS_HOST_DEVICE_WARNING
template <class Id, class UpdatePolicy>
KOKKOS_FUNCTION void remove_reverse(SideView<Id> const& from, SideView<Id> const& to,
                                    UpdatePolicy& policy, std::uint32_t person, std::uint32_t word,
                                    Word values) {
  for_each_value(values, word, [&](std::uint32_t value) {
    ReversePair const reverse = from.reverse(person, value);
    remove_values(to, policy, reverse.person, reverse.value / word_bits, bit_of(reverse.value));
  });
}

/// Removes from one word of a receiver's row what its offer no longer keeps, on both sides. This is
/// the paper's deltaMax, one word at a time.
TAPER_SUPPRESS_HOST_DEVICE_WARNING
template <class Id, class UpdatePolicy>
KOKKOS_FUNCTION void cut_word(SideView<Id> const& receivers, SideView<Id> const& proposers,
                              UpdatePolicy& policy, std::uint32_t receiver, std::uint32_t word) {
  Word const kept_here = bits_below(kept_ranks(receivers.offer[receiver]), word);
  Word const gone = remove_values(receivers, policy, receiver, word, ~kept_here);
  remove_reverse(receivers, proposers, policy, receiver, word, gone);
}

/// Removes from one word of a proposer's row the values that offers no longer keep. Together with
/// cut_own_word(), which does the receivers' rows, it equals cut_word() for all receivers.
///
/// For removals at many receivers: a proposer's candidates lie in order, while cut_word() looks up
/// each pair by itself.
TAPER_SUPPRESS_HOST_DEVICE_WARNING
template <class Id, class UpdatePolicy>
KOKKOS_FUNCTION void sweep_word(SideView<Id> const& proposers, SideView<Id> const& receivers,
                                UpdatePolicy& policy, std::uint32_t proposer, std::uint32_t word) {
  Word const present = proposers.rows(proposer, word);
  if (present == 0) {
    return;
  }
  std::uint32_t const begin = word * word_bits;
  std::uint32_t const values = Kokkos::min(word_bits + 0, proposers.n - begin);
  Word stays = 0;
  for (std::uint32_t i = 0; i < values; ++i) {
    ReversePair const reverse = proposers.reverse(proposer, begin + i);
    stays |= Word{reverse.value < kept_ranks(receivers.offer[reverse.person])} << i;
  }
  if ((present & ~stays) != 0) {
    remove_values(proposers, policy, proposer, word, ~stays);
  }
}

/// Removes from one word of a receiver's own row what its offer no longer keeps.
TAPER_SUPPRESS_HOST_DEVICE_WARNING
template <class Id, class UpdatePolicy>
KOKKOS_FUNCTION void cut_own_word(SideView<Id> const& receivers, UpdatePolicy& policy,
                                  std::uint32_t receiver, std::uint32_t word) {
  Word const gone = ~bits_below(kept_ranks(receivers.offer[receiver]), word);
  if ((receivers.rows(receiver, word) & gone) != 0) {
    remove_values(receivers, policy, receiver, word, gone);
  }
}

/// The person's least value; n if its domain is empty.
template <class Id>
KOKKOS_FUNCTION std::uint32_t least_value(SideView<Id> const& view, std::uint32_t person) {
  for (std::uint32_t word = 0; word < view.words(); ++word) {
    Word const present = view.rows(person, word);
    if (present != 0) {
      return word * word_bits +
             static_cast<std::uint32_t>(Kokkos::Experimental::countr_zero_builtin(present));
    }
  }
  return view.n;
}

/// The person's greatest value; n if its domain is empty.
template <class Id>
KOKKOS_FUNCTION std::uint32_t greatest_value(SideView<Id> const& view, std::uint32_t person) {
  for (std::uint32_t word = view.words(); word-- > 0;) {
    Word const present = view.rows(person, word);
    if (present != 0) {
      return word * word_bits + word_bits - 1 -
             static_cast<std::uint32_t>(Kokkos::Experimental::countl_zero_builtin(present));
    }
  }
  return view.n;
}

/// Binds the partner of a person with one value left: the partner loses all its other values. This
/// is the paper's inst.
///
/// If the constraint holds, this removes no bound. The men's minima are a bijection, since two men
/// with the same minimum would be one too many for that woman. Each woman's maximum is the man
/// whose minimum she is. All pairs removed here are other pairs of one of the two. So phase 2 need
/// not run again. The bounds also name the one value without a read of the row, which other workers
/// may be writing.
///
/// The relaxed loads only avoid needless atomics: remove_values() returns exactly what it removed.
///
/// `remove_reverse_of(partner, word, values)` removes the partner from the domains of these values'
/// candidates.
TAPER_SUPPRESS_HOST_DEVICE_WARNING
template <class Id, class UpdatePolicy, class RemoveReverse>
KOKKOS_FUNCTION void bind_partner(SideView<Id> const& view, SideView<Id> const& others,
                                  UpdatePolicy& policy, std::uint32_t person,
                                  RemoveReverse const& remove_reverse_of) {
  std::uint32_t const value =
      view.side == Side::men ? view.proposed[person] : kept_ranks(view.offer[person]) - 1;
  ReversePair const partner = view.reverse(person, value);
  if (relaxed_load(others.count[partner.person]) == 1) {
    return;
  }
  for (std::uint32_t word = 0; word < others.words(); ++word) {
    Word const stays = word == partner.value / word_bits ? bit_of(partner.value) : Word{0};
    if ((relaxed_load(others.rows(partner.person, word)) & ~stays) != 0) {
      remove_reverse_of(partner.person, word,
                        remove_values(others, policy, partner.person, word, ~stays));
    }
  }
}
TAPER_SUPPRESS_HOST_DEVICE_WARNING
template <class Id, class UpdatePolicy>
KOKKOS_FUNCTION void bind_partner(SideView<Id> const& view, SideView<Id> const& others,
                                  UpdatePolicy& policy, std::uint32_t person) {
  bind_partner(view, others, policy, person,
               [&](std::uint32_t partner, std::uint32_t word, Word values) {
                 remove_reverse(others, view, policy, partner, word, values);
               });
}

}  // namespace taper::marriage_propagator::detail
