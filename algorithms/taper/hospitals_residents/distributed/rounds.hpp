// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/backend.hpp>
#include <taper/distributed/blocks.hpp>
#include <taper/hospitals_residents/market.hpp>
#include <taper/hospitals_residents/offer.hpp>
#include <taper/hospitals_residents/replace_worst.hpp>
#include <taper/hospitals_residents/seats.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

// The kernels of a round in which residents propose, in their order: 1 ask, 2 decide, 3 collect the
// new limits, 4 and 5 take what other processes sent. Messages travel between 1 and 2, and between
// 3 and 4. Used by: run.hpp.

namespace taper::hospitals_residents::detail {

/// An offer in a message to the process of the hospital.
struct SentOffer {
  std::uint32_t
      hospital;         ///< an id of the whole market; `unassigned`: no offer, the list has ended
  std::uint32_t upper;  ///< two halves of the offer's word, so that a record takes 12 bytes
  std::uint32_t lower;

  KOKKOS_FUNCTION AtomicWord word() const { return AtomicWord{upper} << 32 | lower; }
};
static_assert(sizeof(SentOffer) == 12);

/// The limit of a hospital that admits all offers.
///
/// Each process knows the limit of every hospital of the market. A hospital admits an offer whose
/// upper half is below its limit. A limit only falls, and a process learns of it one round late. So
/// the hospital certainly rejects an offer that is not below the limit that a process knows.
inline constexpr std::uint32_t no_limit = no_cutoff;

/// The limit of a hospital of this process: one more than its cut-off; 0 if it has no seats. The
/// greatest cut-off has no such number: then it is no_limit.
KOKKOS_INLINE_FUNCTION std::uint32_t limit_of(Desk const& desk) {
  if (desk.seats == 0) {
    return 0;
  }
  std::uint32_t const cutoff = relaxed_load(desk.cutoff);
  return cutoff == no_cutoff ? no_limit : cutoff + 1;
}

/// A new limit of a hospital, in a message to all processes.
struct SentLimit {
  std::uint32_t hospital;  ///< an id of the whole market; `unassigned`: no new limit
  std::uint32_t limit;
};
static_assert(sizeof(SentLimit) == 8);

/// 1. Each free resident asks the first hospital of its list whose limit admits it.
template <class Memory>
struct AskByLimits {
  Market<Memory>
      market;  ///< the lists of this process; its hospitals are those of the whole market
  OfferFormat format;
  std::uint64_t first_resident;
  Kokkos::View<std::uint32_t*, Memory> limits;     ///< of all hospitals
  Kokkos::View<std::uint32_t*, Memory> positions;  ///< per resident: of the hospital that it asks
  Kokkos::View<std::uint32_t*, Memory> free;       ///< residents; without entries: all
  std::uint64_t items;
  Kokkos::View<SentOffer*, Memory> offers;

  KOKKOS_FUNCTION void operator()(std::uint64_t item) const {
    KOKKOS_IF_ON_HOST((prefetch_ahead(item);))
    std::uint64_t const resident = resident_at(item);
    auto const begin = static_cast<std::uint64_t>(market.offsets(resident));
    std::uint32_t const length = market.list_length(resident);
    std::uint32_t position = positions(resident);
    offers(item).hospital = unassigned;
    for (; position < length; ++position) {
      std::uint32_t const hospital = market.hospitals(begin + position);
      AtomicWord const offer = format.offer(first_resident + resident, hospital, position,
                                            market.keys(begin + position));
      auto const upper = static_cast<std::uint32_t>(offer >> 32);
      if (upper < limits(hospital) || limits(hospital) == no_limit) {
        offers(item) = {hospital, upper, static_cast<std::uint32_t>(offer)};
        break;
      }
    }
    positions(resident) = position;
  }

 private:
  KOKKOS_FUNCTION std::uint64_t resident_at(std::uint64_t item) const {
    return free.extent(0) > 0 ? free(item) : item;
  }

  /// Prefetches in three stages, as AskInRound does: offsets, entries, limits. Forced inline, since
  /// GCC drops a call of a function that only prefetches.
  KOKKOS_FORCEINLINE_FUNCTION void prefetch_ahead(std::uint64_t item) const {
    constexpr std::uint64_t distance = 8;
    if (item + 3 * distance >= items) {
      return;
    }
    std::uint64_t const far = resident_at(item + 3 * distance);
    prefetch(&market.offsets(far));
    prefetch(&positions(far));
    std::uint64_t const entry = next_entry(resident_at(item + 2 * distance));
    prefetch(market.hospitals.data() + entry);
    prefetch(market.keys.data() + entry);
    // At the end of a list this entry belongs to the next resident. That does no harm: a prefetch
    // is only a hint.
    std::uint64_t const near = next_entry(resident_at(item + distance));
    if (near < market.entry_count()) {
      prefetch(&limits(market.hospitals(near)));
    }
  }
  KOKKOS_FUNCTION std::uint64_t next_entry(std::uint64_t resident) const {
    return static_cast<std::uint64_t>(market.offsets(resident)) + positions(resident);
  }
};

/// 2. The hospitals of this process decide on the offers that came. rejected(item) becomes the id
/// of the resident that is free now: the one that asked, or the one that lost its seat to it. If
/// the hospital had a free seat: `unassigned`.
template <class Memory>
struct PlaceOffers {
  ReplaceWorst<Memory> place;  ///< on the seats of this process's hospitals
  OfferFormat format;
  std::uint64_t first_hospital;
  Kokkos::View<SentOffer*, Memory> offers;
  std::uint64_t end;
  Kokkos::View<std::uint32_t*, Memory> rejected;

  KOKKOS_FUNCTION void operator()(std::uint64_t item) const {
    KOKKOS_IF_ON_HOST((prefetch_ahead(item);))
    SentOffer const sent = offers(item);
    std::uint64_t const own = sent.hospital - first_hospital;
    AtomicWord const out = place(own, sent.word());
    rejected(item) = out == empty_seat ? unassigned : format.resident_of(out, sent.hospital);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void prefetch_ahead(std::uint64_t item) const {
    constexpr std::uint64_t distance = 8;
    if (item + 2 * distance >= end) {
      return;
    }
    prefetch(&place.seats.desks(offers(item + 2 * distance).hospital - first_hospital));
    Desk const& near = place.seats.desks(offers(item + distance).hospital - first_hospital);
    prefetch(place.seats.words.data() + near.first);
  }
};

/// 3. Collects the limits that have fallen in this round. Of all offers to one hospital, exactly
/// one exchanges the old limit for the new one, and reports it.
template <class Memory>
struct CollectLimits {
  Seats<Memory> seats;
  std::uint64_t first_hospital;
  Kokkos::View<SentOffer*, Memory> offers;
  Kokkos::View<std::uint32_t*, Memory> limits;
  Kokkos::View<SentLimit*, Memory> changed;

  KOKKOS_FUNCTION void operator()(std::uint64_t item) const {
    std::uint32_t const hospital = offers(item).hospital;
    std::uint32_t const now = limit_of(seats.desks(hospital - first_hospital));
    bool const news = relaxed_load(limits(hospital)) != now &&
                      Kokkos::atomic_exchange(&limits(hospital), now) != now;
    changed(item) = {news ? hospital : unassigned, now};
  }
};

/// 4. Stores the new limits of other processes' hospitals. No race: each hospital occurs once.
template <class Memory>
struct TakeLimits {
  Kokkos::View<SentLimit*, Memory> changed;
  Kokkos::View<std::uint32_t*, Memory> limits;

  KOKKOS_FUNCTION void operator()(std::uint64_t item) const {
    limits(changed(item).hospital) = changed(item).limit;
  }
};

/// 5. The rejected residents of this process will continue after the hospital that they asked.
/// Turns ids of the whole market into numbers in this process.
template <class Memory>
struct TakeRejections {
  Kokkos::View<std::uint32_t*, Memory> rejected;
  std::uint64_t first_resident;
  Kokkos::View<std::uint32_t*, Memory> positions;

  KOKKOS_FUNCTION void operator()(std::uint64_t item) const {
    auto const resident = static_cast<std::uint32_t>(rejected(item) - first_resident);
    rejected(item) = resident;
    ++positions(resident);  // no race: a resident asks one hospital at a time
  }
};

/// After the last round: each resident has the hospital that it asked last.
template <class Memory, class Assignment>
struct WriteAsked {
  Market<Memory> market;
  Kokkos::View<std::uint32_t*, Memory> positions;
  Assignment hospital_of;

  KOKKOS_FUNCTION void operator()(std::uint64_t resident, std::uint64_t& assigned,
                                  std::uint64_t& proposals) const {
    std::uint32_t const position = positions(resident);
    bool const held = position < market.list_length(resident);
    auto const entry = static_cast<std::uint64_t>(market.offsets(resident)) + position;
    hospital_of(resident) = held ? market.hospitals(entry) : unassigned;
    assigned += held;
    proposals += position + held;
  }
};

// The homes of items, for SortByHome. Marked items have none, and are left out.

template <class Memory>
struct HomeOfHospital {
  distributed::Blocks<Memory> blocks;
  KOKKOS_FUNCTION std::uint32_t operator()(SentOffer const& offer) const {
    return offer.hospital == unassigned ? unassigned : blocks.home_of(offer.hospital);
  }
};
template <class Memory>
struct HomeOfResident {
  distributed::Blocks<Memory> blocks;
  KOKKOS_FUNCTION std::uint32_t operator()(std::uint32_t resident) const {
    return resident == unassigned ? unassigned : blocks.home_of(resident);
  }
};
/// New limits go to all processes: they have one home, and only the marked ones are left out.
struct OneHomeForNews {
  KOKKOS_FUNCTION std::uint32_t operator()(SentLimit const& sent) const {
    return sent.hospital == unassigned ? unassigned : 0;
  }
};

}  // namespace taper::hospitals_residents::detail
