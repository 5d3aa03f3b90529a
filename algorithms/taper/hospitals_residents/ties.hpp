// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/error.hpp>
#include <taper/hospitals_residents/market.hpp>
#include <taper/region.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <numeric>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

// Markets with ties on both sides: large weakly stable matchings, and super-stable ones. Sequential
// programs on a host.

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

/// The algorithm HRT-Super-Res: residents are provisionally assigned to all hospitals of their best
/// tie class.
class SuperStable {
 public:
  explicit SuperStable(MarketWithTies const& ties)
      : ties_(ties), is_deleted_(ties.market.entry_count(), false),
        is_assigned_(ties.market.entry_count(), false),
        assigned_count_(ties.market.hospital_count(), 0),
        was_full_(ties.market.hospital_count(), false), by_key_(ties.market.hospital_count()) {
    for (std::uint32_t resident = 0; resident < ties.market.resident_count(); ++resident) {
      free_.push_back(resident);
      for (auto entry = ties.begin_of(resident); entry < ties.end_of(resident); ++entry) {
        by_key_[ties.market.hospitals(entry)].push_back({entry, resident});
      }
    }
    for (auto& entries : by_key_) {
      std::ranges::stable_sort(
          entries, {}, [&](Listed const& listed) { return ties.market.keys(listed.entry); });
    }
  }

  /// Returns whether there is a super-stable matching, and writes it.
  template <class Assignment>
  bool run(Assignment const& hospital_of) {
    while (!free_.empty()) {
      std::uint32_t const resident = free_.front();
      free_.pop_front();
      if (count_assigned(resident) == 0) {
        assign_to_best_class(resident);
      }
    }
    for (std::uint32_t resident = 0; resident < ties_.market.resident_count(); ++resident) {
      if (count_assigned(resident) > 1) {
        return false;
      }
    }
    for (std::uint32_t hospital = 0; hospital < was_full_.size(); ++hospital) {
      if (was_full_[hospital] && assigned_count_[hospital] < ties_.market.seats(hospital)) {
        return false;
      }
    }
    for (std::uint32_t resident = 0; resident < ties_.market.resident_count(); ++resident) {
      hospital_of(resident) = unassigned;
      for (auto entry = ties_.begin_of(resident); entry < ties_.end_of(resident); ++entry) {
        if (is_assigned_[entry]) {
          hospital_of(resident) = ties_.market.hospitals(entry);
        }
      }
    }
    return true;
  }

 private:
  struct Listed {
    std::uint64_t entry;
    std::uint32_t resident;
  };

  std::size_t count_assigned(std::uint32_t resident) const {
    auto const begin = is_assigned_.begin();
    return static_cast<std::size_t>(
        std::count(begin + static_cast<std::ptrdiff_t>(ties_.begin_of(resident)),
                   begin + static_cast<std::ptrdiff_t>(ties_.end_of(resident)), true));
  }

  void assign_to_best_class(std::uint32_t resident) {
    auto first = ties_.begin_of(resident);
    while (first < ties_.end_of(resident) && is_deleted_[first]) {
      ++first;
    }
    if (first == ties_.end_of(resident)) {
      return;
    }
    std::uint32_t const tier = ties_.tier(resident, first);
    for (auto entry = first; entry < ties_.end_of(resident) && ties_.tier(resident, entry) == tier;
         ++entry) {
      if (!is_deleted_[entry]) {
        assign(entry);
      }
    }
    if (count_assigned(resident) == 0) {
      free_.push_back(resident);  // all of the class were deleted again
    }
  }

  void assign(std::uint64_t entry) {
    std::uint32_t const hospital = ties_.market.hospitals(entry);
    std::uint32_t const seats = ties_.market.seats(hospital);
    is_assigned_[entry] = true;
    ++assigned_count_[hospital];
    auto& list = by_key_[hospital];
    // The tail: the last tie class of the list that is left. A hospital without seats may have
    // several before the one of this entry.
    while (assigned_count_[hospital] > seats) {
      delete_from_key(list, ties_.market.keys(list.back().entry));
    }
    if (seats > 0 && assigned_count_[hospital] == seats) {
      was_full_[hospital] = true;
      auto const worst = std::find_if(list.rbegin(), list.rend(), [&](Listed const& listed) {
        return static_cast<bool>(is_assigned_[listed.entry]);
      });
      delete_from_key(list, std::uint64_t{ties_.market.keys(worst->entry)} + 1);
    }
  }

  /// Deletes the entries at the end of a hospital's list with this key or a worse one.
  void delete_from_key(std::vector<Listed>& list, std::uint64_t key) {
    for (; !list.empty() && ties_.market.keys(list.back().entry) >= key; list.pop_back()) {
      auto const [entry, resident] = list.back();
      is_deleted_[entry] = true;
      if (is_assigned_[entry]) {
        is_assigned_[entry] = false;
        --assigned_count_[ties_.market.hospitals(entry)];
        free_.push_back(resident);
      }
    }
  }

  MarketWithTies ties_;
  std::vector<bool> is_deleted_;               ///< per entry
  std::vector<bool> is_assigned_;              ///< per entry, provisionally
  std::vector<std::uint32_t> assigned_count_;  ///< per hospital
  std::vector<bool> was_full_;                 ///< per hospital
  std::vector<std::vector<Listed>> by_key_;    ///< per hospital: its list that is left
  std::deque<std::uint32_t> free_;
};

}  // namespace detail

/// Writes a weakly stable matching that has at least two thirds of the residents of a largest one.
/// To find a largest one is NP-hard. hospital_of(r) becomes the hospital of resident r, or
/// `unassigned`.
///
/// Equivalent to: Király's algorithm on the market in which each seat is a hospital of its own, and
///   residents are indifferent to the seats of a hospital.
/// Requires: a market as its type says; hospital_of is a rank-1 View of std::uint32_t in host memory.
/// Cost: one worker. Each resident asks each hospital of its list at most twice, and once more per
///   tie in which it loses its seat while another hospital has a free one. A full hospital looks at
///   all that it holds, and at their tie classes.
/// Throws: taper::Error if extents disagree.
/// Source: Király, "Linear time local approximation algorithm for maximum stable marriage",
///   Algorithms 6, 2013.
template <class Assignment>
void approximate_largest(MarketWithTies const& ties, Assignment const& hospital_of) {
  std::string const function = "taper::hospitals_residents::approximate_largest";
  detail::require_ties(function, ties, hospital_of.extent(0));
  Region const region(function);
  detail::Kiraly(ties).run(hospital_of);
}

/// Finds a super-stable matching: no resident and hospital exist that would lose nothing by each
/// other. Returns false if there is none; then hospital_of is left as it was. Each resident gets the
/// best hospital that it has in any super-stable matching.
///
/// Requires, Throws: as approximate_largest().
/// Cost: one worker, O(entries) after a sort of each hospital's list.
/// Source: Irving, Manlove and Scott, "The hospitals/residents problem with ties", SWAT 2000.
template <class Assignment>
bool find_super_stable(MarketWithTies const& ties, Assignment const& hospital_of) {
  std::string const function = "taper::hospitals_residents::find_super_stable";
  detail::require_ties(function, ties, hospital_of.extent(0));
  Region const region(function);
  return detail::SuperStable(ties).run(hospital_of);
}

}  // namespace taper::hospitals_residents
