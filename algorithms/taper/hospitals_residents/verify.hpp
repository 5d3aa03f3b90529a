// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/error.hpp>
#include <taper/hospitals_residents/market.hpp>
#include <taper/hospitals_residents/stability.hpp>
#include <taper/place.hpp>
#include <taper/region.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

// Checks of markets and matchings: front doors. They share no code with the engines: they use no
// offers and no lots, only lists, keys and numbers of seats.

namespace taper::hospitals_residents {

/// A resident and a hospital that would both give up what they have for each other.
struct BlockingPair {
  std::uint32_t resident;
  std::uint32_t hospital;

  friend bool operator==(BlockingPair const&, BlockingPair const&) = default;
};

/// Why an assignment is no matching.
struct BadAssignment {
  enum class Kind {
    not_listed,  ///< `agent` is a resident; its hospital is not in its list
    too_many,    ///< `agent` is a hospital with more residents than seats
  };
  Kind kind;
  std::uint64_t agent;

  friend bool operator==(BadAssignment const&, BadAssignment const&) = default;
};

namespace detail {

inline constexpr std::uint64_t no_agent = std::numeric_limits<std::uint64_t>::max();

/// The position of a resident's hospital in its list; the length of the list if it is not there.
template <class Space, class Assignment>
KOKKOS_FUNCTION std::uint32_t position_held(Market<Space> const& market,
                                            Assignment const& hospital_of, std::uint64_t resident) {
  auto const begin = static_cast<std::uint64_t>(market.offsets(resident));
  std::uint32_t const length = market.list_length(resident);
  std::uint32_t position = 0;
  while (position < length && market.hospitals(begin + position) != hospital_of(resident)) {
    ++position;
  }
  return position;
}

/// The residents that each hospital holds: their number, and the worst key of them.
template <class Memory>
struct Holdings {
  Kokkos::View<std::uint32_t*, Memory> residents;
  Kokkos::View<std::uint32_t*, Memory> worst_key;  ///< 0 if it holds no resident
};

/// Fills the holdings, and finds the first resident whose hospital is not in its list.
template <class Space, class Assignment>
struct CollectHoldings {
  Market<Space> market;
  Assignment hospital_of;
  Holdings<typename Market<Space>::MemorySpace> holdings;

  KOKKOS_FUNCTION void operator()(std::uint64_t resident, std::uint64_t& first_bad) const {
    if (hospital_of(resident) == unassigned) {
      return;
    }
    std::uint32_t const position = position_held(market, hospital_of, resident);
    if (position == market.list_length(resident)) {
      first_bad = resident < first_bad ? resident : first_bad;
      return;
    }
    auto const entry = static_cast<std::uint64_t>(market.offsets(resident)) + position;
    Kokkos::atomic_inc(&holdings.residents(hospital_of(resident)));
    std::uint32_t const key = market.keys(entry);
    std::uint32_t& worst = holdings.worst_key(hospital_of(resident));
    if (key > relaxed_load(worst)) {  // mostly false, and a load costs less than an atomic
      Kokkos::atomic_max(&worst, key);
    }
  }
};

/// Finds the hospitals that form a blocking pair with a resident. A worker takes a resident.
template <class Space, class Assignment>
struct BlockingHospitals {
  using Memory = typename Market<Space>::MemorySpace;

  Market<Space> market;
  Assignment hospital_of;
  Holdings<Memory> holdings;
  Constants<std::uint32_t, Memory> tiers;  ///< per entry, of the residents; or empty
  Stability stability;
  Constants<std::uint32_t, Memory> largest_key = {};  ///< see largest_keys()

  /// Returns their number. Writes the first `room` of them to `out`, in the order of the list.
  KOKKOS_FUNCTION std::uint64_t of(std::uint64_t resident, BlockingPair* out,
                                   std::uint64_t room) const {
    auto const begin = static_cast<std::uint64_t>(market.offsets(resident));
    std::uint32_t const length = market.list_length(resident);
    std::uint32_t const own = hospital_of(resident);
    std::uint64_t const tier_held = tier_held_by(resident);
    std::uint64_t found = 0;
    for (std::uint32_t position = 0; position < length; ++position) {
      std::uint32_t const hospital = market.hospitals(begin + position);
      std::uint64_t const tier = tier_of(begin, position);
      if (tier > tier_held || (hospital == own && tiers.extent(0) == 0)) {
        break;
      }
      if (hospital != own && blocks(begin + position, hospital, tier < tier_held)) {
        if (found < room) {
          out[found] = {static_cast<std::uint32_t>(resident), hospital};
        }
        ++found;
      }
    }
    return found;
  }

 private:
  /// The tie class of the hospital that the resident has; no_agent if it has none. Without ties
  /// this returns no_agent too: of() then ends at the hospital that the resident has.
  KOKKOS_FUNCTION std::uint64_t tier_held_by(std::uint64_t resident) const {
    if (tiers.extent(0) == 0) {
      return no_agent;
    }
    std::uint32_t const held = position_held(market, hospital_of, resident);
    auto const begin = static_cast<std::uint64_t>(market.offsets(resident));
    return held < market.list_length(resident) ? tiers(begin + held) : no_agent;
  }
  KOKKOS_FUNCTION std::uint64_t tier_of(std::uint64_t begin, std::uint32_t position) const {
    return tiers.extent(0) > 0 ? tiers(begin + position) : position;
  }

  /// `prefers`: the resident prefers the hospital to what it has; else it is indifferent.
  KOKKOS_FUNCTION bool blocks(std::uint64_t entry, std::uint32_t hospital, bool prefers) const {
    std::uint32_t const key = market.keys(entry);
    if (key > largest_key(hospital)) {
      return false;
    }
    std::uint32_t const seats = market.seats(hospital);
    if (seats == 0) {
      return false;
    }
    bool const has_room = holdings.residents(hospital) < seats;
    bool const wants = has_room || key < holdings.worst_key(hospital);
    bool const accepts = has_room || key <= holdings.worst_key(hospital);
    switch (stability) {
    case Stability::weak:
      return prefers && wants;
    case Stability::strong:
      return (prefers && accepts) || wants;
    case Stability::super:
      return accepts;
    }
    return false;
  }
};

template <class Finder>
struct CountBlocking {
  Finder finder;
  KOKKOS_FUNCTION void operator()(std::uint64_t resident, std::uint64_t& total) const {
    total += finder.of(resident, nullptr, 0);
  }
};

/// A scan over the residents. The pairs of a resident come after those of all before it.
template <class Finder, class Pairs>
struct CollectBlocking {
  Finder finder;
  Pairs pairs;
  KOKKOS_FUNCTION void operator()(std::uint64_t resident, std::uint64_t& before, bool final) const {
    bool const writes = final && before < pairs.extent(0);
    before += writes ? finder.of(resident, pairs.data() + before, pairs.extent(0) - before)
                     : finder.of(resident, nullptr, 0);
  }
};

/// Returns what each hospital holds. Sets `first_bad` to the first resident whose hospital is not
/// in its list, or to no_agent.
template <class Exec, class Space, class Assignment>
Holdings<typename Market<Space>::MemorySpace>
collect_holdings(Exec const& where, Market<Space> const& market, Assignment const& hospital_of,
                 std::uint64_t& first_bad) {
  using Memory = typename Market<Space>::MemorySpace;
  using Agents = Kokkos::View<std::uint32_t*, Memory>;
  Holdings<Memory> const holdings{
      Agents(Kokkos::view_alloc(where, "taper::hospitals_residents::held"),
             market.hospital_count()),
      Agents(Kokkos::view_alloc(where, "taper::hospitals_residents::worst_key"),
             market.hospital_count())};
  Kokkos::parallel_reduce("taper::hospitals_residents::collect_holdings",
                          ItemRange<Exec>(where, 0, market.resident_count()),
                          CollectHoldings<Space, Assignment>{market, hospital_of, holdings},
                          Kokkos::Min<std::uint64_t>(first_bad));
  return holdings;
}

/// The first hospital with more residents than seats, or no_agent.
template <class Exec, class Space>
std::uint64_t first_overfull(Exec const& where, Market<Space> const& market,
                             Holdings<typename Market<Space>::MemorySpace> const& holdings) {
  std::uint64_t first_bad = no_agent;
  auto const seats = market.seats;
  Kokkos::parallel_reduce(
      "taper::hospitals_residents::find_overfull_hospital",
      ItemRange<Exec>(where, 0, market.hospital_count()),
      KOKKOS_LAMBDA(std::uint64_t hospital, std::uint64_t & first) {
        first =
            holdings.residents(hospital) > seats(hospital) && hospital < first ? hospital : first;
      },
      Kokkos::Min<std::uint64_t>(first_bad));
  return first_bad;
}

/// Throws: taper::Error if the extents of the market or of hospital_of disagree.
template <class Space, class Assignment>
void require_assignment(std::string const& function, Market<Space> const& market,
                        Assignment const& hospital_of) {
  require_extents(function, market);
  TAPER_REQUIRE(hospital_of.extent(0) == market.resident_count(),
                function + ": hospital_of has " + std::to_string(hospital_of.extent(0)) +
                    " entries, the market has " + std::to_string(market.resident_count()) +
                    " residents");
}

}  // namespace detail

/// Finds the first resident whose list is not as Market requires: an id out of range, a hospital
/// twice, or offsets that fall. Returns nothing if all lists are right.
///
/// Cost: the sum of the squares of the lengths of the lists. Async: returns with `where` fenced.
/// Throws: taper::Error if extents of the market disagree.
template <ExecutionSpace Exec, class Space>
std::optional<std::uint64_t> find_bad_list(Exec const& where, Market<Space> const& market) {
  require_extents("taper::hospitals_residents::find_bad_list", market);
  std::uint64_t first_bad = detail::no_agent;
  Kokkos::parallel_reduce(
      "taper::hospitals_residents::find_bad_list",
      ItemRange<Exec>(where, 0, market.resident_count()),
      KOKKOS_LAMBDA(std::uint64_t resident, std::uint64_t & first) {
        auto const begin = market.offsets(resident);
        auto const end = market.offsets(resident + 1);
        bool bad = begin < 0 || end < begin ||
                   static_cast<std::uint64_t>(end) > market.entry_count() ||
                   (resident == 0 && begin != 0) ||
                   (resident + 1 == market.resident_count() &&
                    static_cast<std::uint64_t>(end) != market.entry_count());
        for (auto entry = begin; !bad && entry < end; ++entry) {
          bad = market.hospitals(entry) >= market.hospital_count();
          for (auto other = begin; !bad && other < entry; ++other) {
            bad = market.hospitals(other) == market.hospitals(entry);
          }
        }
        first = bad && resident < first ? resident : first;
      },
      Kokkos::Min<std::uint64_t>(first_bad));
  return first_bad == detail::no_agent ? std::nullopt : std::optional(first_bad);
}

/// Finds out why an assignment is no matching: the first resident whose hospital is not in its
/// list, else the first hospital with more residents than seats. Returns nothing if it is a
/// matching.
///
/// Cost: one pass over the lists, 8 bytes per hospital. Async: returns with `where` fenced.
/// Throws: taper::Error if extents disagree.
template <ExecutionSpace Exec, class Space, class Assignment>
std::optional<BadAssignment> find_bad_assignment(Exec const& where, Market<Space> const& market,
                                                 Assignment const& hospital_of) {
  detail::require_assignment("taper::hospitals_residents::find_bad_assignment", market,
                             hospital_of);
  std::uint64_t first_bad = detail::no_agent;
  auto const holdings = detail::collect_holdings(where, market, hospital_of, first_bad);
  if (first_bad != detail::no_agent) {
    return BadAssignment{BadAssignment::Kind::not_listed, first_bad};
  }
  std::uint64_t const overfull = detail::first_overfull(where, market, holdings);
  if (overfull != detail::no_agent) {
    return BadAssignment{BadAssignment::Kind::too_many, overfull};
  }
  return std::nullopt;
}

/// The blocking pairs of a matching.
struct BlockingPairs {
  std::uint64_t count = 0;          ///< of all; 0: the matching is stable
  std::vector<BlockingPair> first;  ///< the first of them, by resident, then by its list
};

namespace detail {

/// Per hospital: the largest key of a resident that it accepts. In a stable matching this key alone
/// rejects most entries: one look-up at a random place instead of three.
template <class Exec, class Space>
Kokkos::View<std::uint32_t*, typename Market<Space>::MemorySpace>
largest_keys(Exec const& where, Market<Space> const& market,
             Holdings<typename Market<Space>::MemorySpace> const& holdings) {
  Kokkos::View<std::uint32_t*, typename Market<Space>::MemorySpace> const keys(
      Kokkos::view_alloc(where, Kokkos::WithoutInitializing,
                         "taper::hospitals_residents::largest_key"),
      market.hospital_count());
  auto const seats = market.seats;
  Kokkos::parallel_for(
      "taper::hospitals_residents::largest_keys",
      ItemRange<Exec>(where, 0, market.hospital_count()), KOKKOS_LAMBDA(std::uint64_t hospital) {
        bool const has_room = holdings.residents(hospital) < seats(hospital);
        keys(hospital) = has_room ? ~std::uint32_t{0} : holdings.worst_key(hospital);
      });
  return keys;
}

/// The blocking pairs that `finder` finds, and the first `limit` of them.
template <class Exec, class Space, class Assignment>
BlockingPairs blocking_pairs_of(Exec const& where, BlockingHospitals<Space, Assignment> finder,
                                std::uint64_t limit) {
  using Finder = BlockingHospitals<Space, Assignment>;
  finder.largest_key = largest_keys(where, finder.market, finder.holdings);
  ItemRange<Exec> const residents(where, 0, finder.market.resident_count());
  BlockingPairs pairs;
  Kokkos::parallel_reduce("taper::hospitals_residents::count_blocking_pairs", residents,
                          CountBlocking<Finder>{finder}, pairs.count);
  pairs.first.resize(std::min(pairs.count, limit));
  if (pairs.first.empty()) {
    return pairs;
  }
  Kokkos::View<BlockingPair*, typename Finder::Memory> const found(
      Kokkos::view_alloc(where, Kokkos::WithoutInitializing,
                         "taper::hospitals_residents::blocking_pairs"),
      pairs.first.size());
  Kokkos::parallel_scan("taper::hospitals_residents::collect_blocking_pairs", residents,
                        CollectBlocking<Finder, decltype(found)>{finder, found});
  Kokkos::View<BlockingPair*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const
      here(pairs.first.data(), pairs.first.size());
  Kokkos::deep_copy(where, here, found);
  where.fence("taper::hospitals_residents: wait for the blocking pairs");
  return pairs;
}

}  // namespace detail

/// Finds the blocking pairs: residents and hospitals that list each other and would both give up
/// what they have. An unassigned resident prefers each hospital of its list; a hospital with a
/// free seat prefers each resident that lists it.
///
/// `limit`: the most pairs to return; all are counted.
/// `tiers`: the tie class of each entry in its resident's list, from 0, not falling. Without
///   entries the lists have no ties. Equal keys are ties of the hospitals, which lots do not break
///   here.
/// Requires: find_bad_assignment() finds nothing.
/// Equivalent to: for each entry, test whether the resident and the hospital block, and keep the
///   first `limit` that do.
/// Cost: three passes over the lists, 12 bytes per hospital. Async: returns with `where` fenced.
/// Throws: taper::Error if extents disagree.
template <ExecutionSpace Exec, class Space, class Assignment>
BlockingPairs find_blocking_pairs(
    Exec const& where, Market<Space> const& market, Assignment const& hospital_of,
    std::uint64_t limit = 0, Stability stability = Stability::weak,
    Constants<std::uint32_t, typename Market<Space>::MemorySpace> const& tiers = {}) {
  std::string const function = "taper::hospitals_residents::find_blocking_pairs";
  detail::require_assignment(function, market, hospital_of);
  TAPER_REQUIRE(tiers.extent(0) == 0 || tiers.extent(0) == market.entry_count(),
                function + ": tiers has " + std::to_string(tiers.extent(0)) +
                    " entries, the market has " + std::to_string(market.entry_count()));
  Region const region(function);
  std::uint64_t first_bad = detail::no_agent;
  auto const holdings = detail::collect_holdings(where, market, hospital_of, first_bad);
  detail::BlockingHospitals<Space, Assignment> const finder{market, hospital_of, holdings, tiers,
                                                            stability};
  return detail::blocking_pairs_of(where, finder, limit);
}

}  // namespace taper::hospitals_residents
