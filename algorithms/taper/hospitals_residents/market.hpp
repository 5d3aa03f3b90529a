// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/error.hpp>
#include <taper/place.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <string>

// A market of two sides with short lists and seats.
// Used by: everything in this folder.

namespace taper::hospitals_residents {

/// The hospital of a resident that has none.
inline constexpr std::uint32_t unassigned = std::numeric_limits<std::uint32_t>::max();

/// A rank-1 View of constants in the memory of `Space`, a memory space or an execution space.
template <class T, class Space>
using Constants = Kokkos::View<T const*, Space>;

/// Residents and hospitals, which also stand for students and schools, or for men and women with
/// one seat each. Ids count from 0. An *entry* is one hospital in one resident's list.
///
/// Entries offsets(r) .. offsets(r+1)-1 are the list of resident r, the best hospital first.
/// `keys` has, for each entry, the hospital's opinion of the resident: a rank in its list, a tie
/// class, or a score whose order is turned round. The lowest key is the best. Residents with equal
/// keys at a hospital are tied there; Options::lottery orders them.
///
/// Requires: offsets start at 0 and do not fall, the last is the number of entries; hospitals are
/// ids; a list names a hospital once. find_bad_list() checks this, solve() does not.
template <class Space>
struct Market {
  using MemorySpace = typename Space::memory_space;

  Constants<std::int64_t, MemorySpace> offsets;     ///< residents + 1
  Constants<std::uint32_t, MemorySpace> hospitals;  ///< per entry
  Constants<std::uint32_t, MemorySpace> keys;       ///< per entry; the lowest is the best
  Constants<std::uint32_t, MemorySpace> seats;      ///< per hospital, 0 or more

  KOKKOS_FUNCTION std::uint64_t resident_count() const {
    return offsets.extent(0) > 0 ? offsets.extent(0) - 1 : 0;
  }
  KOKKOS_FUNCTION std::uint64_t hospital_count() const { return seats.extent(0); }
  KOKKOS_FUNCTION std::uint64_t entry_count() const { return hospitals.extent(0); }
  /// The number of hospitals in a resident's list.
  KOKKOS_FUNCTION std::uint32_t list_length(std::uint64_t resident) const {
    return static_cast<std::uint32_t>(offsets(resident + 1) - offsets(resident));
  }
};

/// Throws: taper::Error if the extents of the Views disagree, or if a side has 2^32 - 1 agents or
/// more.
template <class Space>
void require_extents(std::string const& function, Market<Space> const& market) {
  TAPER_REQUIRE(market.keys.extent(0) == market.entry_count(),
                function + ": the market has " + std::to_string(market.entry_count()) +
                    " entries, but " + std::to_string(market.keys.extent(0)) + " keys");
  TAPER_REQUIRE(market.offsets.extent(0) > 0 || market.entry_count() == 0,
                function + ": the market has entries, but no offsets");
  TAPER_REQUIRE(market.resident_count() < unassigned && market.hospital_count() < unassigned,
                function + ": a side has at most 2^32 - 2 agents");
}

}  // namespace taper::hospitals_residents
