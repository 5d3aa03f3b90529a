// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/backend.hpp>
#include <taper/hospitals_residents/market.hpp>
#include <taper/hospitals_residents/offer.hpp>
#include <taper/hospitals_residents/replace_worst.hpp>
#include <taper/hospitals_residents/seats.hpp>
#include <taper/tapering.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::hospitals_residents::detail {

/// A free resident, and the position in its list of the hospital that it asks next.
struct ResidentChain {
  std::uint32_t resident;
  std::uint32_t position;
};

/// One step of a resident's chain: it asks the hospital at its position. The chain retires if the
/// hospital has a free seat or the list has ended. It hands over if another resident loses its
/// seat.
template <class MemorySpace>
struct AskHospital {
  using State = ResidentChain;
  struct Tally {};

  Market<MemorySpace> market;
  OfferFormat format;
  ReplaceWorst<MemorySpace> place;

  KOKKOS_FUNCTION Outcome operator()(State& chain, Tally&) const {
    auto const entry = static_cast<std::uint64_t>(market.offsets(chain.resident)) + chain.position;
    if (entry >= static_cast<std::uint64_t>(market.offsets(chain.resident + 1))) {
      return Outcome::retired;
    }
    std::uint64_t const hospital = market.hospitals(entry);
    AtomicWord const offer =
        format.offer(chain.resident, hospital, chain.position, market.keys(entry));
    AtomicWord const rejected = place(hospital, offer);
    if (rejected == empty_seat) {
      return Outcome::retired;
    }
    if (rejected == offer) {
      ++chain.position;
      return Outcome::again;
    }
    chain.resident = format.resident_of(rejected, hospital);
    chain.position = position_of(market, format, chain.resident, hospital, rejected) + 1;
    return Outcome::handed_over;
  }
  KOKKOS_FUNCTION std::uint64_t progress(State const& chain) const { return chain.position; }
  KOKKOS_FUNCTION void prefetch_for(State const& chain) const {
    auto const entry = market.offsets(chain.resident) + chain.position;
    prefetch(market.hospitals.data() + entry);
    prefetch(market.keys.data() + entry);
  }
  KOKKOS_FUNCTION void publish(Tally const&) const {}
};

/// Follows the chain of each resident, from its first proposal until the chain retires.
/// Used by: residents_run.hpp and count_draws.hpp.
template <class MemorySpace>
struct FollowChain {
  AskHospital<MemorySpace> step;

  KOKKOS_FUNCTION void operator()(std::uint64_t resident) const {
    ResidentChain chain{static_cast<std::uint32_t>(resident), 0};
    typename AskHospital<MemorySpace>::Tally tally;
    while (step(chain, tally) != Outcome::retired) {
    }
  }
};

}  // namespace taper::hospitals_residents::detail
