// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/hospitals_residents/applicants.hpp>
#include <taper/hospitals_residents/hospitals_propose.hpp>
#include <taper/hospitals_residents/market.hpp>
#include <taper/hospitals_residents/offer.hpp>
#include <taper/hospitals_residents/options.hpp>
#include <taper/place.hpp>
#include <taper/stop.hpp>
#include <taper/tapering.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace taper::hospitals_residents::detail {

/// Starts a chain per seat. Seats that no resident can fill get none.
template <class MemorySpace>
struct StartSeats {
  Applicants<MemorySpace> applicants;
  Constants<std::uint32_t, MemorySpace> seats;
  Kokkos::View<SeatChain*, MemorySpace> chains;

  KOKKOS_FUNCTION void operator()(std::uint64_t hospital, std::uint64_t& before, bool final) const {
    std::uint64_t const count =
        Kokkos::min<std::uint64_t>(seats(hospital), applicants.count(hospital));
    if (final && chains.extent(0) > 0) {
      for (std::uint64_t i = 0; i < count; ++i) {
        chains(before + i) = {static_cast<std::uint32_t>(hospital), 0};
      }
    }
    before += count;
  }
};

/// Deferred acceptance in which hospitals propose, a chain per seat. Throws: Stopped.
template <Place P, class Memory, class Assignment>
Report run_hospitals(P const& place, Market<Memory> const& market, OfferFormat const& format,
                     Options const& options, Assignment const& hospital_of) {
  using Device = DeviceOf<P>;
  using Range = ItemRange<Device>;
  Device const& device = device_of(place);
  std::uint64_t const hospitals = market.hospital_count();
  std::uint64_t const residents = market.resident_count();
  StopFlag const stop{options.stop};
  Report report;

  Applicants<Memory> const applicants = make_applicants(device, market, format);
  std::uint64_t seats = 0;
  Kokkos::parallel_scan("taper::hospitals_residents::count_seats", Range(device, 0, hospitals),
                        StartSeats<Memory>{applicants, market.seats, {}}, seats);
  Frontier<SeatChain, Memory> chains(device, "taper::hospitals_residents::seat_chains", seats);
  Kokkos::parallel_scan("taper::hospitals_residents::start_seats", Range(device, 0, hospitals),
                        StartSeats<Memory>{applicants, market.seats, chains.waiting});

  AskResident<Memory> const step{
      applicants, format,
      Kokkos::View<AtomicWord*, Memory>(
          Kokkos::view_alloc(device, "taper::hospitals_residents::asked"), hospitals),
      Kokkos::View<AtomicWord*, Memory>(Kokkos::view_alloc(device, Kokkos::WithoutInitializing,
                                                           "taper::hospitals_residents::held"),
                                        residents)};
  Kokkos::deep_copy(device, step.held, empty_seat);
  bool const hybrid = options.schedule == Schedule::hybrid && options.tail_threshold > 0;
  run_leg(device, "taper::hospitals_residents::hospitals_propose", step, chains,
          {.stop_at_live = hybrid ? static_cast<std::uint64_t>(options.tail_threshold) : 0,
           .max_workers = options.schedule == Schedule::serial ? 1 : unlimited,
           .stop = stop});
  stop.check();
  if (chains.live > 0) {
    run_leg(device, "taper::hospitals_residents::hospitals_tail", step, chains,
            {.max_workers = 1, .stop = stop});
    stop.check();
  }

  Kokkos::parallel_reduce("taper::hospitals_residents::write_held", Range(device, 0, residents),
                          WriteHeld<Memory, Assignment>{step.held, hospital_of}, report.assigned);
  auto const next = step.next;
  Kokkos::parallel_reduce(
      "taper::hospitals_residents::count_asked", Range(device, 0, hospitals),
      KOKKOS_LAMBDA(std::uint64_t hospital, std::uint64_t & sum) {
        sum += Kokkos::min<std::uint64_t>(next(hospital), applicants.count(hospital));
      },
      report.proposals);
  return report;
}

}  // namespace taper::hospitals_residents::detail
