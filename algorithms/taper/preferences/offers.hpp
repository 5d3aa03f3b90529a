// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/bit_fields.hpp>
#include <taper/preferences/limits.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

// What proposers and receivers exchange, each in one word.
// Used by: stable marriage (all of it) and the stable marriage constraint (Chain and Candidate).

namespace taper::preferences {

/// An offer to a receiver, in one 64-bit word: the proposer's rank in the receiver's list, the
/// proposer, and the number of proposals that it has made. The receiver keeps the best offer that
/// it has had, its *standing offer*.
///
/// The rank leads, so the least word is the best offer. The atomic operation that displaces an
/// offer also returns the proposer that is free now and its position. Bamboo-SMP (Liu, Lee, Xia and
/// Zhang) keeps the position in a separate array `Next` (Listing 1), written after the atomic. So a
/// displaced proposer may resume from a stale position. One word needs no memory ordering, and the
/// displaced proposer needs no look-up in the receiver's list.
using Offer = BitFields<AtomicWord, 21, 21, 22>;
/// The standing offer of a receiver without a partner. It is worse than any offer.
inline constexpr AtomicWord no_offer = std::numeric_limits<AtomicWord>::max();
static_assert(max_people_for<std::uint32_t> <= Offer::largest<0>,
              "ranks and ids of any instance fit an Offer");

/// Fields of an Offer.
inline constexpr std::size_t offer_rank = 0;
inline constexpr std::size_t offer_proposer = 1;
inline constexpr std::size_t offer_proposals = 2;

/// A free proposer and its cursor: the position in its list of the next receiver to ask.
struct Chain {
  std::uint32_t proposer;
  std::uint32_t position;
};

/// A receiver (field 0) and the proposer's rank in its list (field 1), in one word: the PRNode of
/// Bamboo-SMP (Section IV-A1).
template <class Id>
using CandidateWord = std::conditional_t<sizeof(Id) == 2, std::uint32_t, std::uint64_t>;
template <class Id>
using Candidate = BitFields<CandidateWord<Id>, 8 * sizeof(Id), 8 * sizeof(Id)>;

}  // namespace taper::preferences
