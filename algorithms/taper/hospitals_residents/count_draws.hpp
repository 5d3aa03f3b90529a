// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/error.hpp>
#include <taper/hospitals_residents/market.hpp>
#include <taper/hospitals_residents/offer.hpp>
#include <taper/hospitals_residents/options.hpp>
#include <taper/hospitals_residents/propose.hpp>
#include <taper/hospitals_residents/seats.hpp>
#include <taper/huge_pages.hpp>
#include <taper/place.hpp>
#include <taper/region.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

// Many lotteries at once: how often each resident gets each hospital of its list. A front door, for
// `taper lottery` and the Python package.

namespace taper::hospitals_residents {
namespace detail {

/// The seats of several draws of one market, one draw after another.
template <class MemorySpace>
struct SeatsOfDraws {
  Seats<MemorySpace> empty;  ///< the empty seats of one draw
  Seats<MemorySpace> all;    ///< the seats of all draws that run side by side

  /// The seats of one draw.
  KOKKOS_FUNCTION Seats<MemorySpace> of(std::uint64_t draw) const {
    std::uint64_t const words = empty.words.extent(0);
    std::uint64_t const hospitals = empty.desks.extent(0);
    auto const own = Kokkos::pair(draw * hospitals, (draw + 1) * hospitals);
    return {Kokkos::subview(all.words, Kokkos::pair(draw * words, (draw + 1) * words)),
            Kokkos::subview(all.desks, own), Kokkos::subview(all.offers, own)};
  }
};

/// Resets the desk of one hospital in one draw. item = draw * hospitals + hospital.
template <class MemorySpace>
struct OpenDesk {
  SeatsOfDraws<MemorySpace> seats;

  KOKKOS_FUNCTION void operator()(std::uint64_t item) const {
    seats.all.desks(item) = seats.empty.desks(item % seats.empty.desks.extent(0));
    seats.all.offers(item) = 0;
  }
};

/// Follows the chains of a block of residents in one draw. item = draw * blocks_per_draw + block.
template <class MemorySpace>
struct FollowDraw {
  Market<MemorySpace> market;
  OfferFormat format;
  SeatsOfDraws<MemorySpace> seats;
  std::uint64_t first_draw;
  std::uint64_t blocks_per_draw;

  KOKKOS_FUNCTION void operator()(std::uint64_t item) const {
    std::uint64_t const draw = item / blocks_per_draw;
    std::uint64_t const part = item % blocks_per_draw;
    std::uint64_t const residents = market.resident_count();
    OfferFormat own = format;
    own.lots = format.lots.after(first_draw + draw);
    FollowChain<MemorySpace> const follow{{market, own, {seats.of(draw)}}};
    std::uint64_t const end = (part + 1) * residents / blocks_per_draw;
    for (std::uint64_t i = part * residents / blocks_per_draw; i < end; ++i) {
      follow(i);
    }
  }
};

/// Adds what the seats of one hospital hold in one draw to the counts. item = draw * hospitals +
/// hospital.
template <class MemorySpace>
struct CountDraw {
  Market<MemorySpace> market;
  OfferFormat format;
  SeatsOfDraws<MemorySpace> seats;
  std::uint64_t first_draw;
  Kokkos::View<std::uint32_t*, MemorySpace> counts;

  KOKKOS_FUNCTION void operator()(std::uint64_t item) const {
    std::uint64_t const hospitals = seats.empty.desks.extent(0);
    std::uint64_t const draw = item / hospitals;
    std::uint64_t const hospital = item % hospitals;
    OfferFormat own = format;
    own.lots = format.lots.after(first_draw + draw);
    Desk const desk = seats.all.desks(item);
    std::uint64_t const first = draw * seats.empty.words.extent(0) + desk.first;
    for (std::uint64_t i = first; i < first + desk.seats; ++i) {
      AtomicWord const offer = seats.all.words(i);
      if (offer != empty_seat) {
        std::uint32_t const resident = own.resident_of(offer, hospital);
        auto const begin = static_cast<std::uint64_t>(market.offsets(resident));
        Kokkos::atomic_inc(&counts(begin + position_of(market, own, resident, hospital, offer)));
      }
    }
  }
};

}  // namespace detail

/// Solves the market `draws` times, each time with another lottery. Returns a View with a count per
/// entry of the market: in how many draws the resident of the entry gets its hospital. In the other
/// draws it gets another hospital, or none.
///
/// Equivalent to: for each i < draws, solve() with Options::seed + i, residents proposing, and add
///   1 to the entry of each resident's hospital.
/// Requires: as solve().
/// Cost: `draws` times that of solve(). As many draws run side by side as have their seats in
///   `memory_bytes`, with 20 bytes per hospital and 8 per seat each, or 12 if a hospital has more
///   than 24. 4 bytes per entry for the result.
/// Async: returns with `where` fenced.
/// Throws: taper::Error as solve(); also if the options ask for no lottery, for proposing
///   hospitals, for top trading cycles, or for 2^32 - 1 draws or more.
template <ExecutionSpace Exec, class Space>
Kokkos::View<std::uint32_t*, typename Market<Space>::MemorySpace>
count_draws(Exec const& where, Market<Space> const& market, std::uint64_t draws,
            Options const& options, std::uint64_t memory_bytes = std::uint64_t{1} << 30) {
  using Memory = typename Market<Space>::MemorySpace;
  using Range = ItemRange<Exec>;
  std::string const function = "taper::hospitals_residents::count_draws";
  require_extents(function, market);
  TAPER_REQUIRE(options.lottery != Lottery::by_id,
                function + ": the lottery is 'single' or 'multiple', not 'by_id'");
  detail::require_options(function, options);
  TAPER_REQUIRE(options.proposer == Proposer::residents, function + ": residents propose");
  TAPER_REQUIRE(options.mechanism != Mechanism::top_trading_cycles,
                function + ": mechanism 'top_trading_cycles' has no chains to draw");
  TAPER_REQUIRE(draws < unassigned, function + ": at most 2^32 - 2 draws");

  Region const region(function);
  Market<Memory> const here{market.offsets, market.hospitals, market.keys, market.seats};
  auto const format = detail::offer_format(where, here, options);
  detail::SeatsOfDraws<Memory> seats;
  seats.empty = detail::make_seats(where, here, detail::Room::bounds);
  std::uint64_t const words = seats.empty.words.extent(0);
  std::uint64_t const hospitals = here.hospital_count();
  std::uint64_t const bytes_per_draw =
      words * sizeof(AtomicWord) + hospitals * (sizeof(detail::Desk) + sizeof(std::uint32_t));
  std::uint64_t const side_by_side =
      std::clamp<std::uint64_t>(memory_bytes / std::max<std::uint64_t>(1, bytes_per_draw), 1,
                                std::max<std::uint64_t>(1, draws));
  seats.all.words = allocate_large<Kokkos::View<AtomicWord*, Memory>>(
      where, "taper::hospitals_residents::words_of_draws", side_by_side * words);
  seats.all.desks = allocate_large<Kokkos::View<detail::Desk*, Memory>>(
      where, "taper::hospitals_residents::desks_of_draws", side_by_side * hospitals);
  seats.all.offers = allocate_large<Kokkos::View<std::uint32_t*, Memory>>(
      where, "taper::hospitals_residents::offers_of_draws", side_by_side * hospitals);
  Kokkos::View<std::uint32_t*, Memory> const counts(
      Kokkos::view_alloc(where, "taper::hospitals_residents::counts_of_draws"), here.entry_count());

  // A worker of a host takes a draw, one of a GPU takes one resident of it.
  std::uint64_t const blocks = is_gpu<Exec> ? std::max<std::uint64_t>(1, here.resident_count()) : 1;
  for (std::uint64_t first = 0; first < draws; first += side_by_side) {
    std::uint64_t const now = std::min(side_by_side, draws - first);
    Kokkos::deep_copy(where, seats.all.words, detail::empty_seat);
    Kokkos::parallel_for("taper::hospitals_residents::open_desks_of_draws",
                         Range(where, 0, now * hospitals), detail::OpenDesk<Memory>{seats});
    Kokkos::parallel_for("taper::hospitals_residents::follow_draws", Range(where, 0, now * blocks),
                         detail::FollowDraw<Memory>{here, format, seats, first, blocks});
    Kokkos::parallel_for("taper::hospitals_residents::count_draws",
                         Range(where, 0, now * hospitals),
                         detail::CountDraw<Memory>{here, format, seats, first, counts});
  }
  where.fence(function + ": wait for the counts");
  return counts;
}

}  // namespace taper::hospitals_residents
