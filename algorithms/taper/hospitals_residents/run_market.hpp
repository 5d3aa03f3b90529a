// SPDX-License-Identifier: Apache-2.0
#pragma once

// The order of the includes is the order of the data flow.

// The options and the report; the market.
#include <taper/hospitals_residents/market.hpp>
#include <taper/hospitals_residents/options.hpp>
// Offers in one word, with lots for ties, and the seats that hold them.
#include <taper/hospitals_residents/lot.hpp>
#include <taper/hospitals_residents/offer.hpp>
#include <taper/hospitals_residents/seats.hpp>
// Residents propose: in rounds, then in chains.
#include <taper/hospitals_residents/rounds.hpp>

#include <taper/hospitals_residents/select.hpp>

#include <taper/hospitals_residents/replace_worst.hpp>

#include <taper/hospitals_residents/propose.hpp>

#include <taper/hospitals_residents/assign.hpp>

#include <taper/hospitals_residents/residents_run.hpp>
// Hospitals propose, down lists of their own.
#include <taper/hospitals_residents/applicants.hpp>
#include <taper/hospitals_residents/hospitals_propose.hpp>
#include <taper/hospitals_residents/hospitals_run.hpp>
// Residents trade.
#include <taper/hospitals_residents/top_trading_cycles.hpp>

#include <taper/compiled.hpp>
#include <taper/error.hpp>
#include <taper/hospitals_residents/solve_market.hpp>
#include <taper/place.hpp>
#include <taper/stop.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

// Used by: hospitals_residents.hpp, or the CMake target Taper::compiled in its place.

namespace taper::hospitals_residents::detail {

template <Place P, class Memory, class Written>
Report solve_market(P const& place, Market<Memory> const& market,
                    SolveAssignment<P, Written> const& hospital_of, Options const& options) {
  if (options.mechanism == Mechanism::top_trading_cycles) {
    if constexpr (std::is_same_v<Memory, Kokkos::HostSpace>) {
      return top_trading_cycles(market, hospital_of, options);
    } else {
      throw Error("taper::hospitals_residents::solve: with mechanism 'top_trading_cycles' the "
                  "market is in host memory");
    }
  }
  return unless_stopped([&] {
    StopFlag{options.stop}.check();
    auto const format = offer_format(device_of(place), market, options);
    if (options.proposer == Proposer::hospitals) {
      return run_hospitals(place, market, format, options, hospital_of);
    }
    return ResidentsRun<P, Memory>(place, market, format, options)(hospital_of);
  });
}

#ifdef TAPER_COMPILED  // Taper::compiled has these in object code
using taper::detail::CompiledDuo;
using taper::detail::CompiledMemory;
using taper::detail::CompiledPlace;

extern template Report solve_market<CompiledPlace, CompiledMemory, CompiledMemory>(
    CompiledPlace const&, Market<CompiledMemory> const&,
    SolveAssignment<CompiledPlace, CompiledMemory> const&, Options const&);
extern template Report solve_market<CompiledDuo, CompiledMemory, CompiledMemory>(
    CompiledDuo const&, Market<CompiledMemory> const&,
    SolveAssignment<CompiledDuo, CompiledMemory> const&, Options const&);
#endif

}  // namespace taper::hospitals_residents::detail
