// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/backend.hpp>
#include <taper/hospitals_residents/market.hpp>
#include <taper/hospitals_residents/offer.hpp>
#include <taper/hospitals_residents/propose.hpp>
#include <taper/hospitals_residents/seats.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

// Deferred acceptance in rounds. In a round each free resident asks the first hospital of its list
// whose cut-off admits it. Then each hospital with more offers than seats selects the best.
//
// Proposals of a round do not depend on each other, so their accesses to memory overlap. An offer
// costs one atomic operation, a counter's; with one worker, none.

namespace taper::hospitals_residents::detail {

/// Counters of a round, in the memory of the device.
struct RoundCounts {
  AtomicWord waiting;  ///< residents that go on in the next round
  AtomicWord touched;  ///< hospitals with more offers than seats
};

/// Adds `count` and returns the value before. One worker alone needs no atomic operation.
template <bool alone, class T>
KOKKOS_FUNCTION T fetch_add(T& target, T count) {
  if constexpr (alone) {
    T const before = target;
    target += count;
    return before;
  } else {
    return Kokkos::atomic_fetch_add(&target, count);
  }
}

/// One free resident asks.
template <bool alone, class MemorySpace>
struct AskInRound {
  using Chains = Kokkos::View<ResidentChain*, MemorySpace>;

  Market<MemorySpace> market;
  OfferFormat format;
  Seats<MemorySpace> seats;
  Chains list;  ///< the free residents; without entries: all, each at the start of its list
  std::uint64_t items;
  Chains waiting;                                     ///< receives those that found no room
  Kokkos::View<std::uint32_t*, MemorySpace> touched;  ///< receives hospitals
  Kokkos::View<RoundCounts, MemorySpace> counts;

  KOKKOS_FUNCTION void operator()(std::uint64_t item) const {
    KOKKOS_IF_ON_HOST((prefetch_ahead(item);))
    ResidentChain chain = chain_of(item);
    auto const begin = static_cast<std::uint64_t>(market.offsets(chain.resident));
    std::uint32_t const length = market.list_length(chain.resident);
    for (; chain.position < length; ++chain.position) {
      std::uint64_t const hospital = market.hospitals(begin + chain.position);
      AtomicWord const offer = format.offer(chain.resident, hospital, chain.position,
                                            market.keys(begin + chain.position));
      Desk const& desk = seats.desks(hospital);
      if (admits(relaxed_load(desk.cutoff), offer) && desk.seats > 0) {
        bring(chain, hospital, offer);
        return;
      }
    }
  }

 private:
  KOKKOS_FUNCTION ResidentChain chain_of(std::uint64_t item) const {
    return list.extent(0) > 0 ? list(item) : ResidentChain{static_cast<std::uint32_t>(item), 0};
  }

  /// Puts the offer where the hospital will find it. Without room, the resident asks again in the
  /// next round: the hospital has selected by then.
  KOKKOS_FUNCTION void bring(ResidentChain const& chain, std::uint64_t hospital,
                             AtomicWord offer) const {
    Desk const& desk = seats.desks(hospital);
    std::uint32_t const at = fetch_add<alone>(seats.offers(hospital), 1u);
    if (at == desk.seats && touched.extent(0) > 0) {  // the first offer too many: once per round
      touched(fetch_add<alone>(counts().touched, AtomicWord{1})) =
          static_cast<std::uint32_t>(hospital);
    }
    if (at < word_count(desk.seats)) {
      seats.words(desk.first + at) = offer;
    } else {
      waiting(fetch_add<alone>(counts().waiting, AtomicWord{1})) = chain;
    }
  }

  /// A host's core gets what later items read into its cache early: first where the list begins,
  /// then the entry, then the hospital's desk. A GPU has other threads meanwhile.
  ///
  /// Forced inline: GCC drops a call of a function that does nothing but prefetch.
  KOKKOS_FORCEINLINE_FUNCTION void prefetch_ahead(std::uint64_t item) const {
    constexpr std::uint64_t distance = 8;
    if (item + 3 * distance >= items) {
      return;
    }
    prefetch(&market.offsets(chain_of(item + 3 * distance).resident));
    std::uint64_t const entry = first_entry(chain_of(item + 2 * distance));
    prefetch(market.hospitals.data() + entry);
    prefetch(market.keys.data() + entry);
    // At the end of a list, this entry is the next resident's: it is only a hint.
    std::uint64_t const near = first_entry(chain_of(item + distance));
    if (near < market.entry_count()) {
      prefetch(&seats.offers(market.hospitals(near)));
      prefetch(&seats.desks(market.hospitals(near)));
    }
  }
  KOKKOS_FUNCTION std::uint64_t first_entry(ResidentChain const& chain) const {
    return static_cast<std::uint64_t>(market.offsets(chain.resident)) + chain.position;
  }
};

/// Turns a list of residents around.
///
/// If most of a round found no room, each may be better than those before it for the hospital that
/// all ask. In that order a round lets few of them come near their seats; in the other order the
/// best come first, and their cut-off rejects the rest.
template <class MemorySpace>
struct TurnAround {
  Kokkos::View<ResidentChain*, MemorySpace> list;
  std::uint64_t count;

  /// Item i of count / 2.
  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    ResidentChain const kept = list(i);
    list(i) = list(count - 1 - i);
    list(count - 1 - i) = kept;
  }
};

/// The items of a kernel, one after another, in one worker.
template <class Kernel>
struct OneAfterAnother {
  Kernel kernel;
  std::uint64_t items;
  KOKKOS_FUNCTION void operator()(std::uint64_t) const {
    for (std::uint64_t item = 0; item < items; ++item) {
      kernel(item);
    }
  }
};
}  // namespace taper::hospitals_residents::detail
