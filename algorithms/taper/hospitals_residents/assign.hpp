// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/hospitals_residents/market.hpp>
#include <taper/hospitals_residents/offer.hpp>
#include <taper/hospitals_residents/seats.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

// The matching, and the numbers of a matching that do not depend on how it was found.

namespace taper::hospitals_residents::detail {

/// Writes each resident's hospital from the offers that the seats hold. Counts the residents and
/// their proposals: the positions of their hospitals, from 1.
template <class Memory, class Assignment>
struct WriteAssignment {
  Market<Memory> market;
  OfferFormat format;
  Seats<Memory> seats;
  Assignment hospital_of;

  KOKKOS_FUNCTION void operator()(std::uint64_t hospital, std::uint64_t& assigned,
                                  std::uint64_t& proposals) const {
    std::uint64_t const first = seats.desks(hospital).first;
    for (std::uint64_t seat = first; seat < first + seats.desks(hospital).seats; ++seat) {
      write(hospital, seats.words(seat), assigned, proposals);
    }
  }

  KOKKOS_FUNCTION void write(std::uint64_t hospital, AtomicWord offer, std::uint64_t& assigned,
                             std::uint64_t& proposals) const {
    if (offer == empty_seat) {
      return;
    }
    std::uint32_t const resident = format.resident_of(offer, hospital);
    // No race: a resident holds one seat.
    hospital_of(resident) = static_cast<std::uint32_t>(hospital);
    ++assigned;
    proposals += position_of(market, format, resident, hospital, offer) + 1;
  }
};

/// The same for one word of hospitals with equal seats, so that neighbours read neighbouring words.
/// At most 2^32 words.
template <class Memory, class Assignment>
struct WriteSeat {
  WriteAssignment<Memory, Assignment> writer;

  KOKKOS_FUNCTION void operator()(std::uint64_t word, std::uint64_t& assigned,
                                  std::uint64_t& proposals) const {
    writer.write(static_cast<std::uint32_t>(word) / writer.seats.equal_seats,
                 writer.seats.words(word), assigned, proposals);
  }
};

/// Counts the proposals of residents without a hospital: all of their lists.
template <class Space, class Assignment>
struct CountUnassigned {
  Market<Space> market;
  Assignment hospital_of;

  KOKKOS_FUNCTION void operator()(std::uint64_t resident, std::uint64_t& proposals) const {
    if (hospital_of(resident) == unassigned) {
      proposals += market.list_length(resident);
    }
  }
};

}  // namespace taper::hospitals_residents::detail
