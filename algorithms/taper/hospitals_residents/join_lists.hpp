// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/error.hpp>
#include <taper/hospitals_residents/groups.hpp>
#include <taper/hospitals_residents/market.hpp>
#include <taper/huge_pages.hpp>
#include <taper/place.hpp>
#include <taper/region.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

// A market from the lists of both sides.

namespace taper::hospitals_residents {

/// The lists of one side: agent a has the entries offsets(a) .. offsets(a+1)-1, the best first.
/// `tiers` has the tie class of each entry, from 0, not falling; without entries there are no ties.
template <class Space>
struct Lists {
  using MemorySpace = typename Space::memory_space;

  Constants<std::int64_t, MemorySpace> offsets;  ///< agents + 1
  Constants<std::uint32_t, MemorySpace> others;  ///< per entry: an id of the other side
  Constants<std::uint32_t, MemorySpace> tiers;   ///< per entry, or empty

  KOKKOS_FUNCTION std::uint64_t agents() const { return offsets.extent(0) - 1; }
  KOKKOS_FUNCTION std::uint32_t tier(std::int64_t begin, std::int64_t entry) const {
    return tiers.extent(0) > 0 ? tiers(entry) : static_cast<std::uint32_t>(entry - begin);
  }
};

/// A market with its own memory, and what join_lists() has left out.
template <class MemorySpace>
struct JoinedMarket {
  Market<MemorySpace> market;
  Constants<std::uint32_t, MemorySpace> resident_tiers;  ///< per entry; empty without ties
  std::uint64_t only_residents = 0;  ///< entries of residents that the hospital does not list
  std::uint64_t only_hospitals = 0;  ///< entries of hospitals that the resident does not list
};

namespace detail {

/// A hospital that lists a resident, and the tie class of the resident there.
struct Mention {
  std::uint32_t hospital;
  std::uint32_t key;
};

/// The hospitals that list each resident, in any order.
template <class MemorySpace>
struct Mentions {
  Kokkos::View<std::uint64_t*, MemorySpace> first;  ///< residents + 1
  Kokkos::View<Mention*, MemorySpace> entries;
};

template <class MemorySpace>
struct ScatterMentions {
  Lists<MemorySpace> hospitals;
  Mentions<MemorySpace> mentions;
  Kokkos::View<AtomicWord*, MemorySpace> next;  ///< per resident: its next free place

  KOKKOS_FUNCTION void operator()(std::uint64_t hospital) const {
    std::int64_t const begin = hospitals.offsets(hospital);
    for (std::int64_t entry = begin; entry < hospitals.offsets(hospital + 1); ++entry) {
      AtomicWord const at = Kokkos::atomic_fetch_add(&next(hospitals.others(entry)), AtomicWord{1});
      mentions.entries(at) = {static_cast<std::uint32_t>(hospital), hospitals.tier(begin, entry)};
    }
  }
};

/// Looks up each entry of a resident's list among its mentions. A scan: the entries that both sides
/// have come after those of all residents before.
template <class MemorySpace>
struct JoinList {
  Lists<MemorySpace> residents;
  Mentions<MemorySpace> mentions;
  Kokkos::View<std::int64_t*, MemorySpace> offsets;
  Kokkos::View<std::uint32_t*, MemorySpace> hospitals, keys, tiers;

  KOKKOS_FUNCTION void operator()(std::uint64_t resident, std::uint64_t& before, bool final) const {
    if (final) {
      offsets(resident) = static_cast<std::int64_t>(before);
    }
    if (resident == residents.agents()) {
      return;
    }
    std::int64_t const begin = residents.offsets(resident);
    for (std::int64_t entry = begin; entry < residents.offsets(resident + 1); ++entry) {
      std::uint32_t const hospital = residents.others(entry);
      for (auto at = mentions.first(resident); at < mentions.first(resident + 1); ++at) {
        if (mentions.entries(at).hospital == hospital) {
          if (final) {
            hospitals(before) = hospital;
            keys(before) = mentions.entries(at).key;
            if (tiers.extent(0) > 0) {
              tiers(before) = residents.tiers(entry);
            }
          }
          ++before;
          break;
        }
      }
    }
  }
};

}  // namespace detail

/// Joins the lists of both sides into a market. An entry counts if both sides have it; others are
/// left out and counted. A key is the place of the resident in the hospital's list, or its tie
/// class.
///
/// Equivalent to: for each entry of a resident's list, search the hospital's list for the resident.
/// Requires: ids are in range, no list has an id twice; seats has an entry per hospital.
/// Cost: two passes over the hospitals' lists with an atomic operation per entry, two over the
///   residents'; a resident of l entries that m hospitals list takes O(l m) work. 8 bytes per entry
///   of the hospitals and 16 per resident beside the result.
/// Async: returns with `where` fenced.
/// Throws: taper::Error if extents disagree.
template <ExecutionSpace Exec, class Space>
JoinedMarket<typename Space::memory_space>
join_lists(Exec const& where, Lists<Space> const& residents, Lists<Space> const& hospitals,
           Constants<std::uint32_t, typename Space::memory_space> const& seats) {
  using Memory = typename Space::memory_space;
  using Range = ItemRange<Exec>;
  using Ids = Kokkos::View<std::uint32_t*, Memory>;
  std::string const function = "taper::hospitals_residents::join_lists";
  for (auto const* side : {&residents, &hospitals}) {
    TAPER_REQUIRE(side->offsets.extent(0) > 0, function + ": offsets have at least one entry");
    TAPER_REQUIRE(side->tiers.extent(0) == 0 || side->tiers.extent(0) == side->others.extent(0),
                  function + ": tiers has " + std::to_string(side->tiers.extent(0)) +
                      " entries, the lists have " + std::to_string(side->others.extent(0)));
  }
  TAPER_REQUIRE(seats.extent(0) == hospitals.agents(),
                function + ": seats has " + std::to_string(seats.extent(0)) + " entries for " +
                    std::to_string(hospitals.agents()) + " hospitals");
  Region const region(function);
  std::uint64_t const count = residents.agents();

  auto const places = detail::places_of_groups(where, "mentions", hospitals.others, count);
  detail::Mentions<Memory> const mentions{
      places.first, allocate_large<Kokkos::View<detail::Mention*, Memory>>(
                        where, "taper::hospitals_residents::mentions", hospitals.others.extent(0))};
  Kokkos::parallel_for(
      "taper::hospitals_residents::scatter_mentions", Range(where, 0, hospitals.agents()),
      detail::ScatterMentions<Memory>{
          {hospitals.offsets, hospitals.others, hospitals.tiers}, mentions, places.next});

  std::uint64_t const entries = residents.others.extent(0);
  detail::JoinList<Memory> const join{
      {residents.offsets, residents.others, residents.tiers},
      mentions,
      Kokkos::View<std::int64_t*, Memory>(Kokkos::view_alloc(where, "taper::market::offsets"),
                                          count + 1),
      allocate_large<Ids>(where, "taper::market::hospitals", entries),
      allocate_large<Ids>(where, "taper::market::keys", entries),
      allocate_large<Ids>(where, "taper::market::tiers", residents.tiers.extent(0))};
  std::uint64_t kept = 0;
  Kokkos::parallel_scan("taper::hospitals_residents::join_lists", Range(where, 0, count + 1), join,
                        kept);
  where.fence(function + ": wait for the market");

  JoinedMarket<Memory> joined;
  std::pair<std::uint64_t, std::uint64_t> const used{0, kept};
  joined.market = {join.offsets, Kokkos::subview(join.hospitals, used),
                   Kokkos::subview(join.keys, used), seats};
  if (join.tiers.extent(0) > 0) {
    joined.resident_tiers = Kokkos::subview(join.tiers, used);
  }
  joined.only_residents = entries - kept;
  joined.only_hospitals = hospitals.others.extent(0) - kept;
  return joined;
}

}  // namespace taper::hospitals_residents
