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
  std::uint32_t equal_length = 0;  ///< of all lists; 0: their lengths differ

  struct Ask {
    std::uint64_t hospital;
    AtomicWord offer;  ///< `empty_seat`: the list has ended
  };
  KOKKOS_FUNCTION Outcome operator()(State& chain, Tally&) const {
    Ask const ask = place.seats.has_brief_cutoffs() ? next_admitted(chain) : next(chain);
    if (ask.offer == empty_seat) {
      return Outcome::retired;
    }
    AtomicWord const rejected = place(ask.hospital, ask.offer);
    if (rejected == empty_seat) {
      return Outcome::retired;
    }
    if (rejected == ask.offer) {
      ++chain.position;
      return Outcome::again;
    }
    chain.resident = format.resident_of(rejected, ask.hospital);
    chain.position = position_of(market, format, chain.resident, ask.hospital, rejected) + 1;
    return Outcome::handed_over;
  }
  KOKKOS_FUNCTION std::uint64_t progress(State const& chain) const { return chain.position; }
  KOKKOS_FUNCTION void prefetch_for(State const& chain) const {
    auto const entry = market.offsets(chain.resident) + chain.position;
    prefetch(market.hospitals.data() + entry);
    prefetch(market.keys.data() + entry);
  }
  KOKKOS_FUNCTION void publish(Tally const&) const {}

  /// Moves the chain on to the first hospital whose brief cut-off admits it. Reads two entries
  /// together, so that they do not wait for each other.
  KOKKOS_FUNCTION Ask next_admitted(State& chain) const {
    constexpr std::uint32_t together = 2;
    Entries const list = entries_of(chain.resident);
    for (std::uint64_t entry = list.begin + chain.position; entry < list.end; entry += together) {
      std::uint32_t hospitals[together];
      std::uint32_t keys[together];
      std::uint16_t cutoffs[together];
      TAPER_UNROLL
      for (std::uint32_t i = 0; i < together; ++i) {
        std::uint64_t const at = entry + i < list.end ? entry + i : entry;
        hospitals[i] = market.hospitals(at);
        keys[i] = market.keys(at);
      }
      TAPER_UNROLL
      for (std::uint32_t i = 0; i < together; ++i) {
        cutoffs[i] = place.seats.brief_cutoff(hospitals[i]);
      }
      TAPER_UNROLL
      for (std::uint32_t i = 0; i < together && entry + i < list.end; ++i) {
        AtomicWord const offer =
            format.offer(chain.resident, hospitals[i], chain.position, keys[i]);
        if (brief(static_cast<std::uint32_t>(offer >> 32)) <= cutoffs[i]) {
          return {hospitals[i], offer};
        }
        ++chain.position;
      }
    }
    return {0, empty_seat};
  }

 private:
  struct Entries {
    std::uint64_t begin;
    std::uint64_t end;
  };

  /// The entries of a list. Equal lengths spare a read at a random place.
  KOKKOS_FUNCTION Entries entries_of(std::uint64_t resident) const {
    if (equal_length > 0) {
      return {resident * equal_length, (resident + 1) * equal_length};
    }
    return {static_cast<std::uint64_t>(market.offsets(resident)),
            static_cast<std::uint64_t>(market.offsets(resident + 1))};
  }

  /// The hospital at the chain's position.
  KOKKOS_FUNCTION Ask next(State const& chain) const {
    Entries const list = entries_of(chain.resident);
    std::uint64_t const entry = list.begin + chain.position;
    if (entry >= list.end) {
      return {0, empty_seat};
    }
    std::uint64_t const hospital = market.hospitals(entry);
    return {hospital, format.offer(chain.resident, hospital, chain.position, market.keys(entry))};
  }
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
