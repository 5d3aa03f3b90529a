// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/arena.hpp>
#include <taper/backend.hpp>
#include <taper/marriage_propagator/options.hpp>
#include <taper/packed.hpp>
#include <taper/rows.hpp>
#include <taper/stable_marriage/instance.hpp>
#include <taper/stable_marriage/state.hpp>

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

namespace taper::marriage_propagator {

/// 64 values of a domain. A domain is a row of words; value v of a person is
/// the v-th best of the own list (0 best), and bit v % 64 of word v / 64 says
/// that it is left.
using Word = AtomicWord;
inline constexpr std::uint32_t word_bits = 64;

KOKKOS_INLINE_FUNCTION constexpr std::uint32_t words_for(std::uint64_t values) {
  return static_cast<std::uint32_t>((values + word_bits - 1) / word_bits);
}
KOKKOS_INLINE_FUNCTION constexpr Word bit_of(std::uint32_t value) {
  return Word{1} << value % word_bits;
}
/// Of word `word` of a row, the bits of values below `end`.
KOKKOS_INLINE_FUNCTION constexpr Word bits_below(std::uint32_t end, std::uint32_t word) {
  std::uint32_t const begin = word * word_bits;
  return end <= begin               ? Word{0}
         : end - begin >= word_bits ? ~Word{0}
                                    : (Word{1} << (end - begin)) - 1;
}
KOKKOS_INLINE_FUNCTION std::uint32_t count_bits(Word word) {
  return static_cast<std::uint32_t>(Kokkos::Experimental::popcount_builtin(word));
}

/// Calls use(value) for each bit of `word`, word number `index` of its row,
/// ascending.
TAPER_EITHER_SIDE
template <class Use>
KOKKOS_FORCEINLINE_FUNCTION void for_each_value(Word word, std::uint32_t index, Use const& use) {
  while (word != 0) {
    use(index * word_bits +
        static_cast<std::uint32_t>(Kokkos::Experimental::countr_zero_builtin(word)));
    word &= word - 1;
  }
}

namespace detail {

using stable_marriage::detail::Candidate;
using stable_marriage::detail::CandidateWord;
using stable_marriage::detail::Chain;

/// How far a receiver's domain reaches, and to whom she is engaged, in one word
/// that only falls while proposals are made. It leads with
///   2 * rank + 1  engaged to the proposer of that rank, who is her last value,
///   2 * kept      not engaged; her first `kept` ranks may still be proposed,
/// and goes on, where she is engaged, with the proposer and the value that she
/// has for him. So one atomic minimum settles a proposal, and tells who is free
/// now and how far he has come.
///
/// Proposing to a woman with a value that is missing is a proposal accepted and
/// broken at once (Section 4): not engaged, and nobody kept from the proposer's
/// rank on.
using Offer = Packed<AtomicWord, 22, 21, 21>;

KOKKOS_FORCEINLINE_FUNCTION constexpr Word engaged(std::uint32_t rank, std::uint32_t proposer,
                                                   std::uint32_t value) {
  return Offer::pack(2 * rank + 1, proposer, value);
}
KOKKOS_FORCEINLINE_FUNCTION constexpr Word open(std::uint32_t kept) {
  return Offer::pack(2 * kept, 0u, 0u);
}
KOKKOS_FORCEINLINE_FUNCTION constexpr bool is_engaged(Word offer) {
  return (Offer::get<0>(offer) & 1) != 0;
}
KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint32_t kept(Word offer) {
  return static_cast<std::uint32_t>((Offer::get<0>(offer) + 1) / 2);
}
KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint32_t proposer_of(Word offer) {
  return static_cast<std::uint32_t>(Offer::get<1>(offer));
}
KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint32_t value_of(Word offer) {
  return static_cast<std::uint32_t>(Offer::get<2>(offer));
}

/// The same pair, as the other side numbers it.
struct Twin {
  std::uint32_t person;
  std::uint32_t value;
};

/// A non-owning look at one side, for kernels and for the calling thread.
template <class Id>
struct Side {
  People people;
  std::uint32_t n;
  /// (person, value): whom it means, and which value the person is to them.
  /// With these, neither the preference lists nor the inverse ones are needed
  /// any more.
  Rows<CandidateWord<Id> const> candidates;
  Rows<Word> rows;
  std::uint32_t* count;  ///< values left
  std::uint32_t* first;  ///< as a proposer: the value proposed last, which is
                         ///< the domain's minimum
  Word* offer;           ///< as a receiver: an Offer; its rank is the domain's maximum

  KOKKOS_FORCEINLINE_FUNCTION Twin twin(std::uint32_t person, std::uint32_t value) const {
    auto const word = candidates(person, value);
    return {static_cast<std::uint32_t>(Candidate<Id>::template get<0>(word)),
            static_cast<std::uint32_t>(Candidate<Id>::template get<1>(word))};
  }
  KOKKOS_FORCEINLINE_FUNCTION bool has(std::uint32_t person, std::uint32_t value) const {
    return (rows(person, value / word_bits) >> value % word_bits & 1) != 0;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t words() const { return words_for(n); }
};

/// One side's domains, owned.
template <class Memory>
struct Domains {
  Kokkos::View<Word**, Kokkos::LayoutRight, Memory> rows;
  Kokkos::View<std::uint32_t*, Memory> count;
  Kokkos::View<std::uint32_t*, Memory> first;
  Kokkos::View<Word*, Memory> offer;

  Domains(Arena<Memory>& arena, std::uint32_t n)
      : rows(arena.template take<decltype(rows)>(n, words_for(n))),
        count(arena.template take<decltype(count)>(n)),
        first(arena.template take<decltype(first)>(n)),
        offer(arena.template take<decltype(offer)>(n)) {}
  Domains(std::string const& label, std::uint32_t n)
      : rows(Kokkos::view_alloc(Kokkos::WithoutInitializing, label + "::rows"), n, words_for(n)),
        count(Kokkos::view_alloc(Kokkos::WithoutInitializing, label + "::count"), n),
        first(Kokkos::view_alloc(Kokkos::WithoutInitializing, label + "::first"), n),
        offer(Kokkos::view_alloc(Kokkos::WithoutInitializing, label + "::offer"), n) {}

  template <class Id, class Candidates>
  Side<Id> look(People people, Candidates const& candidates) const {
    return {people,
            static_cast<std::uint32_t>(count.extent(0)),
            {candidates.data(), static_cast<std::size_t>(candidates.stride(0))},
            rows_of(rows),
            count.data(),
            first.data(),
            offer.data()};
  }
};

}  // namespace detail
}  // namespace taper::marriage_propagator
