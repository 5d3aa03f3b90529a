// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/hospitals_residents/market.hpp>
#include <taper/hospitals_residents/ties/market_with_ties.hpp>
#include <taper/hospitals_residents/ties/provisional.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace taper::hospitals_residents::detail {

/// The algorithm HRT-Super-Res.
class SuperStable {
 public:
  explicit SuperStable(MarketWithTies const& ties)
      : ties_(ties), provisional_(ties), was_full_(ties.market.hospital_count(), false) {}

  /// Returns whether there is a super-stable matching, and writes it.
  template <class Assignment>
  bool run(Assignment const& hospital_of) {
    provisional_.assign_free([&](std::uint32_t hospital) { settle(hospital); });
    for (std::uint32_t resident = 0; resident < ties_.market.resident_count(); ++resident) {
      if (provisional_.count_hospitals(resident) > 1) {
        return false;
      }
    }
    for (std::uint32_t hospital = 0; hospital < was_full_.size(); ++hospital) {
      if (was_full_[hospital] &&
          provisional_.count_residents(hospital) < ties_.market.seats(hospital)) {
        return false;
      }
    }
    for (std::uint32_t resident = 0; resident < ties_.market.resident_count(); ++resident) {
      hospital_of(resident) = unassigned;
      for (auto entry = ties_.begin_of(resident); entry < ties_.end_of(resident); ++entry) {
        if (provisional_.is_assigned(entry)) {
          hospital_of(resident) = ties_.market.hospitals(entry);
        }
      }
    }
    return true;
  }

 private:
  void settle(std::uint32_t hospital) {
    std::uint32_t const seats = ties_.market.seats(hospital);
    auto const& list = provisional_.left(hospital);
    // The tail: the last tie class of the list that is left. A hospital without seats may have
    // several before the one of the new resident.
    while (provisional_.count_residents(hospital) > seats) {
      provisional_.delete_from_key(hospital, provisional_.key_of(list.back()));
    }
    if (seats > 0 && provisional_.count_residents(hospital) == seats) {
      was_full_[hospital] = true;
      auto const worst = std::find_if(list.rbegin(), list.rend(), [&](auto const& listed) {
        return provisional_.is_assigned(listed.entry);
      });
      provisional_.delete_from_key(hospital, std::uint64_t{provisional_.key_of(*worst)} + 1);
    }
  }

  MarketWithTies ties_;
  Provisional provisional_;
  std::vector<bool> was_full_;  ///< per hospital
};

}  // namespace taper::hospitals_residents::detail
