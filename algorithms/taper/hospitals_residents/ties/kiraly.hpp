// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/hospitals_residents/market.hpp>
#include <taper/hospitals_residents/ties/market_with_ties.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

namespace taper::hospitals_residents::detail {

/// Király's algorithm for many seats: each seat is one of the paper's women, and residents do not
/// tell the seats of a hospital apart.
class Kiraly {
 public:
  explicit Kiraly(MarketWithTies const& ties)
      : ties_(ties), is_deleted_(ties.market.entry_count(), false),
        has_second_chance_(ties.market.resident_count(), false),
        entry_of_(ties.market.resident_count(), none), first_left_(ties.market.resident_count()),
        held_(ties.market.hospital_count()) {}

  template <class Assignment>
  void run(Assignment const& hospital_of) {
    std::vector<std::uint32_t> free(ties_.market.resident_count());
    std::iota(free.begin(), free.end(), 0u);
    for (std::uint32_t const resident : free) {
      first_left_[resident] = ties_.begin_of(resident);
    }
    while (!free.empty()) {
      std::uint32_t const resident = free.back();
      free.pop_back();
      if (auto const loser = propose(resident)) {
        free.push_back(*loser);
      }
    }
    for (std::uint32_t resident = 0; resident < entry_of_.size(); ++resident) {
      hospital_of(resident) =
          entry_of_[resident] == none ? unassigned : hospital_at(entry_of_[resident]);
    }
  }

 private:
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  std::uint32_t hospital_at(std::uint64_t entry) const { return ties_.market.hospitals(entry); }
  bool has_room(std::uint32_t hospital) const {
    return held_[hospital].size() < ties_.market.seats(hospital);
  }

  /// A free resident proposes once. Returns the resident that is free afterwards and may propose
  /// again: itself, or one that loses its seat.
  std::optional<std::uint32_t> propose(std::uint32_t resident) {
    auto const entry = favourite(resident);
    if (!entry) {
      if (has_second_chance_[resident]) {
        return std::nullopt;
      }
      // The whole list once more, and now hospitals prefer it to those that they are indifferent to.
      has_second_chance_[resident] = true;
      first_left_[resident] = ties_.begin_of(resident);
      for (auto at = ties_.begin_of(resident); at < ties_.end_of(resident); ++at) {
        is_deleted_[at] = false;
      }
      return resident;
    }
    std::uint32_t const hospital = hospital_at(*entry);
    auto& held = held_[hospital];
    if (has_room(hospital)) {
      held.push_back(resident);
      entry_of_[resident] = *entry;
      return std::nullopt;
    }
    auto const loser = find_loser(held, resident, *entry);
    if (loser == held.end()) {
      is_deleted_[*entry] = true;
      return resident;
    }
    std::uint32_t const displaced = *loser;
    if (!is_uncertain(displaced)) {
      is_deleted_[entry_of_[displaced]] = true;
    }
    entry_of_[displaced] = none;
    *loser = resident;
    entry_of_[resident] = *entry;
    return displaced;
  }

  /// The first entry of the best tie class that is left. Within the class, one of a hospital with a
  /// free seat comes first.
  std::optional<std::uint64_t> favourite(std::uint32_t resident) {
    auto& first = first_left_[resident];
    while (first < ties_.end_of(resident) && is_deleted_[first]) {
      ++first;
    }
    if (first == ties_.end_of(resident)) {
      return std::nullopt;
    }
    return open_entry_in_class(resident, first).value_or(first);
  }

  /// An entry of the tie class of `entry`, from there on, whose hospital has a free seat.
  std::optional<std::uint64_t> open_entry_in_class(std::uint32_t resident,
                                                   std::uint64_t entry) const {
    std::uint32_t const tier = ties_.tier(resident, entry);
    for (; entry < ties_.end_of(resident) && ties_.tier(resident, entry) == tier; ++entry) {
      if (!is_deleted_[entry] && has_room(hospital_at(entry))) {
        return entry;
      }
    }
    return std::nullopt;
  }

  /// Whether an assigned resident is indifferent to a hospital with a free seat.
  bool is_uncertain(std::uint32_t resident) const {
    auto first = entry_of_[resident];
    std::uint32_t const tier = ties_.tier(resident, first);
    while (first > ties_.begin_of(resident) && ties_.tier(resident, first - 1) == tier) {
      --first;
    }
    return open_entry_in_class(resident, first).has_value();
  }

  /// The held resident that gives way: an uncertain one; else the worst by key, and among equals one
  /// without a second chance. The end if none is worse than the new resident.
  std::vector<std::uint32_t>::iterator find_loser(std::vector<std::uint32_t>& held,
                                                  std::uint32_t resident, std::uint64_t entry) {
    auto const uncertain =
        std::ranges::find_if(held, [&](std::uint32_t other) { return is_uncertain(other); });
    if (uncertain != held.end() || held.empty()) {
      return uncertain;
    }
    auto const badness = [&](std::uint32_t other, std::uint64_t its_entry) {
      return std::uint64_t{ties_.market.keys(its_entry)} << 1 | !has_second_chance_[other];
    };
    auto const worst = std::ranges::max_element(
        held, {}, [&](std::uint32_t other) { return badness(other, entry_of_[other]); });
    return badness(*worst, entry_of_[*worst]) > badness(resident, entry) ? worst : held.end();
  }

  MarketWithTies ties_;
  std::vector<bool> is_deleted_;         ///< per entry
  std::vector<bool> has_second_chance_;  ///< per resident: the paper's bachelor, else lad
  std::vector<std::uint64_t> entry_of_;  ///< per resident: of its hospital; or none
  std::vector<std::uint64_t> first_left_;
  std::vector<std::vector<std::uint32_t>> held_;  ///< per hospital
};

}  // namespace taper::hospitals_residents::detail
