// SPDX-License-Identifier: Apache-2.0
#pragma once

// Hospitals and residents: the front door. Deferred acceptance in markets with short lists, seats
// and ties.
//
//   market.hpp       the lists, keys and seats
//   options.hpp      what a caller chooses, and the report
//   run_market.hpp   all that a solve does, in the order of the data flow
//
// See also: verify.hpp checks a matching, generate.hpp makes markets, join_lists.hpp makes keys of
// both sides' lists, count_draws.hpp draws many lotteries.
// Used by: taper's command line, and users.

#include <taper/error.hpp>
#include <taper/hospitals_residents/market.hpp>
#include <taper/hospitals_residents/offer.hpp>
#include <taper/hospitals_residents/options.hpp>
#include <taper/hospitals_residents/solve_market.hpp>
#include <taper/place.hpp>
#include <taper/region.hpp>
#ifndef TAPER_COMPILED  // else Taper::compiled has the runs in object code
#include <taper/hospitals_residents/run_market.hpp>
#endif

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <type_traits>

namespace taper::hospitals_residents {

/// Assigns residents to hospitals: hospital_of(r) becomes the hospital of resident r, or
/// `unassigned`.
///
/// The matching is stable for strict orders: no resident prefers a hospital to its own that has a
/// free seat, or prefers it to a resident that it holds. Ties at hospitals are ordered first, by
/// Options::lottery; so with ties the matching is weakly stable. Among the stable matchings of
/// these orders it is the best for each proposer. It does not depend on the schedule, the backend
/// or the number of workers. Immediate acceptance and the parallel mechanism give the matching that
/// is stable for their keys; top_trading_cycles() is called for its own.
///
/// Equivalent to: while a resident is free and its list has not ended, it asks the next hospital of
///   its list. The hospital holds the best that have asked it, as many as it has seats, and rejects
///   the others. If hospitals propose, each with a free seat asks the next resident of its list.
/// Requires: `market` is as its type says, in memory that `place` reaches; hospital_of is a rank-1
///   View of std::uint32_t with an entry per resident, in such memory.
/// Cost: at most one proposal per entry. Residents propose: 22 bytes per hospital; with chains 8 bytes
///   per seat, 12 of a hospital with more than 24; with rounds about 12 per seat and 20 per resident.
///   Chains find the worst offer of a hospital with more than 24 seats in about 2 sqrt(seats) reads.
///   Hospitals propose: 16 bytes per entry, 8 per resident, 16 per seat, and a sort of each hospital's
///   list by one worker.
/// Stop: if Options::stop is set, returns soon with status `stopped`; hospital_of is undefined. It
///   looks at the flag between rounds, and cuts chains and legs into pieces of up to a tenth of a
///   second each. One piece is the sort of the hospitals' lists, if they propose or residents trade.
/// Async: returns with the device of `place` fenced.
/// Throws: taper::Error if extents disagree, an option does not apply, or an offer does not fit 64
///   bits: its round, key, lot and one bit more.
/// Source: Gale and Shapley, "College admissions and the stability of marriage", 1962; McVitie and
///   Wilson, "The stable marriage problem", 1971 (chains).
template <Place P, class Space, class Assignment>
Report solve(P const& place, Market<Space> const& market, Assignment const& hospital_of,
             Options const& options = {}) {
  using Memory = typename Market<Space>::MemorySpace;
  static_assert(Kokkos::SpaceAccessibility<DeviceOf<P>, Memory>::accessible,
                "hospitals_residents::solve: `place` must reach the memory of the market");
  static_assert(Kokkos::is_view_v<Assignment> && Assignment::rank == 1 &&
                    std::is_same_v<typename Assignment::value_type, std::uint32_t>,
                "hospitals_residents::solve: hospital_of is a rank-1 View of std::uint32_t");
  std::string const function = "taper::hospitals_residents::solve";
  require_extents(function, market);
  TAPER_REQUIRE(hospital_of.extent(0) == market.resident_count(),
                function + ": hospital_of has " + std::to_string(hospital_of.extent(0)) +
                    " entries, the market has " + std::to_string(market.resident_count()) +
                    " residents");
  detail::require_options(function, options);
  TAPER_REQUIRE(options.tail != Tail::host || AnyDuo<P>,
                function + ": tail 'host' needs a Duo of a device and a host");

  Region const region(function);
  Market<Memory> const here{market.offsets, market.hospitals, market.keys, market.seats};
  using Written = typename Assignment::memory_space;
  return detail::solve_market<P, Memory, Written>(place, here, hospital_of, options);
}

}  // namespace taper::hospitals_residents
