// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/hospitals_residents/applicants.hpp>
#include <taper/hospitals_residents/market.hpp>
#include <taper/hospitals_residents/offer.hpp>
#include <taper/tapering.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::hospitals_residents::detail {

/// A free seat of a hospital, and the number of residents that it has asked. Free seats of one
/// hospital are alike.
struct SeatChain {
  std::uint32_t hospital;
  std::uint32_t asked;
};

/// One step of a seat's chain: it asks the next resident of its hospital's list. The chain retires
/// if the resident is free or the list has ended. It hands over if another hospital loses the
/// resident.
template <class MemorySpace>
struct AskResident {
  using State = SeatChain;
  struct Tally {};

  Applicants<MemorySpace> applicants;
  OfferFormat format;
  Kokkos::View<AtomicWord*, MemorySpace> next;  ///< per hospital: residents that it has asked
  /// Per resident: the position of its hospital in its list, then the hospital; or `empty_seat`.
  /// The least word is the best for the resident.
  Kokkos::View<AtomicWord*, MemorySpace> held;

  KOKKOS_FUNCTION Outcome operator()(State& seat, Tally&) const {
    ++seat.asked;
    // Each seat gets a resident of its own. Which seat gets which one makes no difference.
    AtomicWord const turn = Kokkos::atomic_fetch_add(&next(seat.hospital), AtomicWord{1});
    if (turn >= applicants.count(seat.hospital)) {
      return Outcome::retired;
    }
    Applicant const& asked = applicants.entries(applicants.first(seat.hospital) + turn);
    AtomicWord const offer = AtomicWord{asked.position} << 32 | seat.hospital;
    AtomicWord const before =
        Kokkos::atomic_fetch_min(&held(format.resident_of(asked.offer, seat.hospital)), offer);
    if (before == empty_seat) {
      return Outcome::retired;
    }
    if (before < offer) {
      return Outcome::again;
    }
    seat = {static_cast<std::uint32_t>(before), 0};
    return Outcome::handed_over;
  }
  KOKKOS_FUNCTION std::uint64_t progress(State const& seat) const { return seat.asked; }
  KOKKOS_FUNCTION void prefetch_for(State const&) const {}
  KOKKOS_FUNCTION void publish(Tally const&) const {}
};

/// Writes each resident's hospital from the offer that it holds.
template <class MemorySpace, class Assignment>
struct WriteHeld {
  Kokkos::View<AtomicWord*, MemorySpace> held;
  Assignment hospital_of;

  KOKKOS_FUNCTION void operator()(std::uint64_t resident, std::uint64_t& assigned) const {
    AtomicWord const word = held(resident);
    hospital_of(resident) = word == empty_seat ? unassigned : static_cast<std::uint32_t>(word);
    assigned += word != empty_seat;
  }
};

}  // namespace taper::hospitals_residents::detail
