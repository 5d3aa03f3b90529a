// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/distributed/blocks.hpp>
#include <taper/hospitals_residents/applicants.hpp>
#include <taper/hospitals_residents/market.hpp>
#include <taper/hospitals_residents/offer.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

// The kernels of a run in which hospitals propose. First the entries of the residents' lists travel
// and become lists of the hospitals. Then come rounds: 1 ask, 2 move on, 3 the residents decide,
// 4 rejected hospitals get their seats back. Messages travel between 2 and 3, and between 3 and 4.
// Used by: hospitals_run.hpp.

namespace taper::hospitals_residents::detail {

/// An entry of a resident's list, in a message to the process of the hospital.
struct SentEntry {
  AtomicWord offer;        ///< orders the hospital's list, and names the resident
  std::uint32_t hospital;  ///< an id of the whole market
  std::uint32_t position;  ///< of the hospital in the resident's list
};
static_assert(sizeof(SentEntry) == 16);

/// Writes the entries of each resident, in the order of its list.
template <class Memory>
struct WriteEntries {
  Market<Memory> market;
  OfferFormat format;
  std::uint64_t first_resident;
  Kokkos::View<SentEntry*, Memory> entries;

  KOKKOS_FUNCTION void operator()(std::uint64_t resident) const {
    auto const begin = static_cast<std::uint64_t>(market.offsets(resident));
    std::uint32_t const length = market.list_length(resident);
    for (std::uint32_t position = 0; position < length; ++position) {
      std::uint32_t const hospital = market.hospitals(begin + position);
      entries(begin + position) = {format.offer(first_resident + resident, hospital, position,
                                                market.keys(begin + position)),
                                   hospital, position};
    }
  }
};

/// Writes the number in this process of each entry's hospital.
template <class Memory>
struct NumberHospitals {
  Kokkos::View<SentEntry*, Memory> entries;
  std::uint64_t first_hospital;
  Kokkos::View<std::uint32_t*, Memory> numbers;

  KOKKOS_FUNCTION void operator()(std::uint64_t entry) const {
    numbers(entry) = static_cast<std::uint32_t>(entries(entry).hospital - first_hospital);
  }
};

/// Writes entries to the lists of the hospitals of this process. Each list is sorted afterwards.
template <class Memory>
struct ScatterApplicants {
  Kokkos::View<SentEntry*, Memory> entries;
  Kokkos::View<std::uint32_t*, Memory> numbers;
  Applicants<Memory> applicants;
  Kokkos::View<AtomicWord*, Memory> next;  ///< per hospital: the next free place in its list

  KOKKOS_FUNCTION void operator()(std::uint64_t entry) const {
    AtomicWord const at = Kokkos::atomic_fetch_add(&next(numbers(entry)), AtomicWord{1});
    applicants.entries(at) = {entries(entry).offer, entries(entry).position};
  }
};

/// Sets the free seats of each hospital at the start: all of them.
template <class Memory>
struct OpenSeats {
  Constants<std::uint32_t, Memory> seats;
  Kokkos::View<AtomicWord*, Memory> free;

  KOKKOS_FUNCTION void operator()(std::uint64_t hospital) const {
    free(hospital) = seats(hospital);
  }
};

/// A proposal of a hospital, in a message to the process of the resident.
struct SentAsk {
  std::uint32_t resident;  ///< an id of the whole market
  std::uint32_t position;  ///< of the hospital in the resident's list
  std::uint32_t hospital;  ///< an id of the whole market

  /// A word of which the smallest is the best proposal for the resident.
  KOKKOS_FUNCTION AtomicWord word() const { return AtomicWord{position} << 32 | hospital; }
};
static_assert(sizeof(SentAsk) == 12);

/// The hospitals of this process, and how far each is in its list.
template <class Memory>
struct AskingHospitals {
  Applicants<Memory> applicants;
  Kokkos::View<AtomicWord*, Memory> asked;  ///< per hospital: residents that it has asked
  Kokkos::View<AtomicWord*, Memory> free;   ///< per hospital: seats for which it has yet to ask

  /// The number of residents that a hospital asks in this round.
  KOKKOS_FUNCTION std::uint64_t asks_of(std::uint64_t hospital) const {
    return Kokkos::min<std::uint64_t>(free(hospital), applicants.count(hospital) - asked(hospital));
  }
};

/// 1. A hospital with f free seats asks the next f residents of its list. A scan over the
/// hospitals. If `asks` has no entries, it only counts the proposals.
template <class Memory>
struct AskResidents {
  AskingHospitals<Memory> hospitals;
  OfferFormat format;
  std::uint64_t first_hospital;
  Kokkos::View<SentAsk*, Memory> asks;

  KOKKOS_FUNCTION void operator()(std::uint64_t number, std::uint64_t& before, bool final) const {
    std::uint64_t const count = hospitals.asks_of(number);
    if (final && asks.extent(0) > 0) {
      std::uint64_t const begin = hospitals.applicants.first(number) + hospitals.asked(number);
      std::uint64_t const hospital = first_hospital + number;
      for (std::uint64_t i = 0; i < count; ++i) {
        Applicant const& applicant = hospitals.applicants.entries(begin + i);
        asks(before + i) = {format.resident_of(applicant.offer, hospital), applicant.position,
                            static_cast<std::uint32_t>(hospital)};
      }
    }
    before += count;
  }
};

/// 2. Each hospital moves on in its list, past the residents that it has asked.
template <class Memory>
struct PassAsked {
  AskingHospitals<Memory> hospitals;

  KOKKOS_FUNCTION void operator()(std::uint64_t number) const {
    hospitals.asked(number) += hospitals.asks_of(number);
    hospitals.free(number) = 0;
  }
};

/// 3. Each resident of this process holds the best hospital that has asked it. rejected(item)
/// becomes the id of the hospital that loses: the one that asks, or the one that was held. If the
/// resident held none: `unassigned`.
template <class Memory>
struct HoldBest {
  Kokkos::View<SentAsk*, Memory> asks;
  std::uint64_t first_resident;
  Kokkos::View<AtomicWord*, Memory> held;  ///< per resident; or `empty_seat`
  Kokkos::View<std::uint32_t*, Memory> rejected;

  KOKKOS_FUNCTION void operator()(std::uint64_t item) const {
    SentAsk const ask = asks(item);
    AtomicWord const word = ask.word();
    AtomicWord const before = Kokkos::atomic_fetch_min(&held(ask.resident - first_resident), word);
    rejected(item) = before == empty_seat ? unassigned
                     : before < word      ? ask.hospital
                                          : static_cast<std::uint32_t>(before);
  }
};

/// 4. Each rejection gives a hospital of this process one free seat more.
template <class Memory>
struct FreeSeats {
  Kokkos::View<std::uint32_t*, Memory> rejected;
  std::uint64_t first_hospital;
  AskingHospitals<Memory> hospitals;

  KOKKOS_FUNCTION void operator()(std::uint64_t item) const {
    Kokkos::atomic_inc(&hospitals.free(rejected(item) - first_hospital));
  }
};

/// Counts the proposals of a run.
template <class Memory>
struct CountAsked {
  AskingHospitals<Memory> hospitals;
  KOKKOS_FUNCTION void operator()(std::uint64_t number, std::uint64_t& sum) const {
    sum += hospitals.asked(number);
  }
};

// The homes of items, for SortByHome. Marked items have none, and are left out.

template <class Memory>
struct HomeOfEntry {
  distributed::Blocks<Memory> hospitals;
  KOKKOS_FUNCTION std::uint32_t operator()(SentEntry const& entry) const {
    return hospitals.home_of(entry.hospital);
  }
};
template <class Memory>
struct HomeOfAsked {
  distributed::Blocks<Memory> residents;
  KOKKOS_FUNCTION std::uint32_t operator()(SentAsk const& ask) const {
    return residents.home_of(ask.resident);
  }
};
template <class Memory>
struct HomeOfRejected {
  distributed::Blocks<Memory> hospitals;
  KOKKOS_FUNCTION std::uint32_t operator()(std::uint32_t hospital) const {
    return hospital == unassigned ? unassigned : hospitals.home_of(hospital);
  }
};

}  // namespace taper::hospitals_residents::detail
