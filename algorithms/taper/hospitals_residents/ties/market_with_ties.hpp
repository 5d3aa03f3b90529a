// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/error.hpp>
#include <taper/hospitals_residents/market.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

namespace taper::hospitals_residents {

/// A market whose residents have ties. `tiers` has the tie class of each entry in its resident's
/// list, from 0, not falling; without entries, lists have no ties. Equal keys are ties of hospitals.
struct MarketWithTies {
  Market<Kokkos::HostSpace> market;
  Constants<std::uint32_t, Kokkos::HostSpace> tiers;

  std::uint64_t begin_of(std::uint64_t resident) const {
    return static_cast<std::uint64_t>(market.offsets(resident));
  }
  std::uint64_t end_of(std::uint64_t resident) const {
    return static_cast<std::uint64_t>(market.offsets(resident + 1));
  }
  /// The tie class of an entry; `resident` is its owner.
  std::uint32_t tier(std::uint64_t resident, std::uint64_t entry) const {
    return tiers.extent(0) > 0 ? tiers(entry)
                               : static_cast<std::uint32_t>(entry - begin_of(resident));
  }
};

namespace detail {

inline void require_ties(std::string const& function, MarketWithTies const& ties,
                         std::uint64_t assigned) {
  require_extents(function, ties.market);
  TAPER_REQUIRE(ties.tiers.extent(0) == 0 || ties.tiers.extent(0) == ties.market.entry_count(),
                function + ": tiers has " + std::to_string(ties.tiers.extent(0)) +
                    " entries, the market has " + std::to_string(ties.market.entry_count()));
  TAPER_REQUIRE(assigned == ties.market.resident_count(),
                function + ": hospital_of has " + std::to_string(assigned) +
                    " entries, the market has " + std::to_string(ties.market.resident_count()) +
                    " residents");
}

}  // namespace detail
}  // namespace taper::hospitals_residents
