// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/arena.hpp>
#include <taper/atomics.hpp>
#include <taper/backend.hpp>
#include <taper/bit_fields.hpp>
#include <taper/marriage_propagator/options.hpp>
#include <taper/preferences/instance.hpp>
#include <taper/preferences/offers.hpp>
#include <taper/rows.hpp>

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

namespace taper::marriage_propagator {

/// 64 values of a domain. A domain is a row of words. Value v of a person is the v-th best
/// candidate of its list, 0 the best. The value is in the domain if bit v % 64 of word v / 64 is
/// set.
using Word = AtomicWord;
inline constexpr std::uint32_t word_bits = 64;

KOKKOS_INLINE_FUNCTION constexpr std::uint32_t words_for(std::uint64_t values) {
  return static_cast<std::uint32_t>((values + word_bits - 1) / word_bits);
}
KOKKOS_INLINE_FUNCTION constexpr Word bit_of(std::uint32_t value) {
  return Word{1} << value % word_bits;
}
/// The bits of word `word` of a row that stand for values below `end`.
KOKKOS_INLINE_FUNCTION constexpr Word bits_below(std::uint32_t end, std::uint32_t word) {
  std::uint32_t const begin = word * word_bits;
  return end <= begin               ? Word{0}
         : end - begin >= word_bits ? ~Word{0}
                                    : (Word{1} << (end - begin)) - 1;
}
KOKKOS_INLINE_FUNCTION std::uint32_t count_bits(Word word) {
  return static_cast<std::uint32_t>(Kokkos::Experimental::popcount_builtin(word));
}

/// Calls use(value) for each bit that is set in `word`, in ascending order. `index` is the word's
/// place in its row.
TAPER_SUPPRESS_HOST_DEVICE_WARNING
template <class Use>
KOKKOS_FORCEINLINE_FUNCTION void for_each_value(Word word, std::uint32_t index, Use const& use) {
  while (word != 0) {
    use(index * word_bits +
        static_cast<std::uint32_t>(Kokkos::Experimental::countr_zero_builtin(word)));
    word &= word - 1;
  }
}

namespace detail {

using preferences::Candidate;
using preferences::CandidateWord;
using preferences::Chain;

/// A receiver's offer: how many of its ranks are still possible, and to whom it is engaged. One
/// word, which only falls while proposals are made. The leading field is
///   2 * rank + 1  if it is engaged to the proposer of that rank, its greatest value;
///   2 * kept      if it is not engaged; its first `kept` ranks are still possible.
/// If it is engaged, the other fields are the proposer and the value of the receiver on the
/// proposer's list. So one atomic minimum decides a proposal. The old word names the displaced
/// proposer and the position at which it goes on.
///
/// A proposal with a value that is missing from the domain counts as accepted and broken at once
/// (paper, Section 4). The receiver is then not engaged, and no rank from the proposer's on is
/// possible.
using Offer = BitFields<AtomicWord, 22, 21, 21>;

/// The offer of a receiver that is engaged to `proposer`.
/// `rank`: the proposer's rank on the receiver's list. `value`: the receiver's on the proposer's.
KOKKOS_FORCEINLINE_FUNCTION constexpr Word engaged(std::uint32_t rank, std::uint32_t proposer,
                                                   std::uint32_t value) {
  return Offer::pack(2 * rank + 1, proposer, value);
}
/// The offer of a receiver that is not engaged and keeps its first `kept` ranks.
KOKKOS_FORCEINLINE_FUNCTION constexpr Word unengaged(std::uint32_t kept) {
  return Offer::pack(2 * kept, 0u, 0u);
}
KOKKOS_FORCEINLINE_FUNCTION constexpr bool is_engaged(Word offer) {
  return (Offer::get<0>(offer) & 1) != 0;
}
/// How many of its first ranks the receiver keeps.
KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint32_t kept_ranks(Word offer) {
  return static_cast<std::uint32_t>((Offer::get<0>(offer) + 1) / 2);
}
KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint32_t proposer_of(Word offer) {
  return static_cast<std::uint32_t>(Offer::get<1>(offer));
}
KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint32_t value_of(Word offer) {
  return static_cast<std::uint32_t>(Offer::get<2>(offer));
}

/// A pair as the other side sees it: the partner, and the value of the person on the partner's
/// list.
struct ReversePair {
  std::uint32_t person;
  std::uint32_t value;
};

/// A non-owning view of one side's domains, for kernels and for the calling thread.
template <class Id>
struct SideView {
  Side side;
  std::uint32_t n;
  /// Indexed by (person, value): the candidate, and the value of the person on the candidate's
  /// list. They replace the preference lists and the inverse lists.
  Rows<CandidateWord<Id> const> candidates;
  Rows<Word> rows;
  std::uint32_t* count;     ///< values left in each domain
  std::uint32_t* proposed;  ///< of proposers: the value proposed last, the domain's minimum
  Word* offer;              ///< of receivers: an Offer; its rank is the domain's maximum

  /// The pair of a person and one of its values, as the other side sees it.
  KOKKOS_FORCEINLINE_FUNCTION ReversePair reverse(std::uint32_t person, std::uint32_t value) const {
    auto const word = candidates(person, value);
    return {static_cast<std::uint32_t>(Candidate<Id>::template get<0>(word)),
            static_cast<std::uint32_t>(Candidate<Id>::template get<1>(word))};
  }
  KOKKOS_FORCEINLINE_FUNCTION bool has(std::uint32_t person, std::uint32_t value) const {
    return (rows(person, value / word_bits) >> value % word_bits & 1) != 0;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t words() const { return words_for(n); }
};

/// One side's domains. Owns the memory; members as in SideView.
template <class Memory>
struct Domains {
  Kokkos::View<Word**, Kokkos::LayoutRight, Memory> rows;
  Kokkos::View<std::uint32_t*, Memory> count;
  Kokkos::View<std::uint32_t*, Memory> proposed;
  Kokkos::View<Word*, Memory> offer;

  Domains(Arena<Memory>& arena, std::uint32_t n)
      : rows(arena.template take<decltype(rows)>(n, words_for(n))),
        count(arena.template take<decltype(count)>(n)),
        proposed(arena.template take<decltype(proposed)>(n)),
        offer(arena.template take<decltype(offer)>(n)) {}
  Domains(std::string const& label, std::uint32_t n)
      : rows(Kokkos::view_alloc(Kokkos::WithoutInitializing, label + "::rows"), n, words_for(n)),
        count(Kokkos::view_alloc(Kokkos::WithoutInitializing, label + "::count"), n),
        proposed(Kokkos::view_alloc(Kokkos::WithoutInitializing, label + "::proposed"), n),
        offer(Kokkos::view_alloc(Kokkos::WithoutInitializing, label + "::offer"), n) {}

  template <class Id, class Candidates>
  SideView<Id> view(Side side, Candidates const& candidates) const {
    return {side,
            static_cast<std::uint32_t>(count.extent(0)),
            {candidates.data(), static_cast<std::size_t>(candidates.stride(0))},
            rows_of(rows),
            count.data(),
            proposed.data(),
            offer.data()};
  }
};

}  // namespace detail
}  // namespace taper::marriage_propagator
