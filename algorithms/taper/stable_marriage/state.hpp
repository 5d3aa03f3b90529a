// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/packed.hpp>
#include <taper/stable_marriage/instance.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

namespace taper::stable_marriage::detail {

/// A receiver's best offer so far, one 64-bit word: the proposer's rank in her list, the proposer,
/// and the number of proposals that he has made. The rank leads, so the least word is the best
/// offer, and whoever displaces it reads from the same atomic operation who is free now and how far
/// he has come. The paper keeps the last in a separate array `Next` (Listing 1), written after the
/// atomic: a displaced man may then resume from a stale position. Here there is nothing to order,
/// and the man needs no look-up in the women's lists.
using Offer = Packed<AtomicWord, 21, 21, 22>;
inline constexpr AtomicWord no_offer = std::numeric_limits<AtomicWord>::max();
static_assert(max_size<std::uint32_t> <= Offer::largest<0>,
              "ranks and ids of any instance fit an Offer");

inline constexpr std::size_t offer_rank = 0;
inline constexpr std::size_t offer_proposer = 1;
inline constexpr std::size_t offer_proposals = 2;

/// A free proposer and the position in his list of the next receiver that he turns to.
struct Chain {
  std::uint32_t proposer;
  std::uint32_t position;
};

/// A receiver and the proposer's rank in her list, one word: the paper's PRNode (Section IV-A1).
template <class Id>
using CandidateWord = std::conditional_t<sizeof(Id) == 2, std::uint32_t, std::uint64_t>;
template <class Id>
using Candidate = Packed<CandidateWord<Id>, 8 * sizeof(Id), 8 * sizeof(Id)>;

/// The matching as it stands.
template <class Id, class MemorySpace>
struct Standing {
  Kokkos::View<AtomicWord*, MemorySpace> best;  ///< the truth: best(w) is an Offer, or no_offer
  /// A hint: a rank that `best(w)` had at some time, or the largest Id. Ranks only fall, so a
  /// proposer whose rank is not below bar(w) is rejected for certain, however old bar(w) is, with
  /// no look at best(w).
  Kokkos::View<Id*, MemorySpace> bar;

  template <ExecutionSpace Exec>
  Standing(Exec const& where, std::uint64_t n)
      : best(Kokkos::view_alloc(where, Kokkos::WithoutInitializing, "taper::stable_marriage::best"),
             n),
        bar(Kokkos::view_alloc(where, Kokkos::WithoutInitializing, "taper::stable_marriage::bar"),
            n) {
    Kokkos::deep_copy(where, best, no_offer);
    Kokkos::deep_copy(where, bar, std::numeric_limits<Id>::max());
  }
};

}  // namespace taper::stable_marriage::detail
