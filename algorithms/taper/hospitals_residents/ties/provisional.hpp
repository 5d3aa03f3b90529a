// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/hospitals_residents/market.hpp>
#include <taper/hospitals_residents/ties/market_with_ties.hpp>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

namespace taper::hospitals_residents::detail {

/// Provisional assignments: each resident to all hospitals of the best tie class that is left in its
/// list. Of a hospital's list only ends are deleted, so what is left of it is its beginning.
///
/// Used by: SuperStable and StronglyStable, which delete different pairs.
class Provisional {
 public:
  struct Listed {
    std::uint64_t entry;
    std::uint32_t resident;
  };

  explicit Provisional(MarketWithTies const& ties)
      : ties_(ties), is_deleted_(ties.market.entry_count(), false),
        is_assigned_(ties.market.entry_count(), false),
        assigned_count_(ties.market.hospital_count(), 0), left_(ties.market.hospital_count()) {
    for (std::uint32_t resident = 0; resident < ties.market.resident_count(); ++resident) {
      free_.push_back(resident);
      for (auto entry = ties.begin_of(resident); entry < ties.end_of(resident); ++entry) {
        left_[ties.market.hospitals(entry)].push_back({entry, resident});
      }
    }
    for (auto& entries : left_) {
      std::ranges::stable_sort(
          entries, {}, [&](Listed const& listed) { return ties.market.keys(listed.entry); });
    }
  }

  /// Assigns residents until none is free that has hospitals left. After each assignment
  /// settle(hospital) deletes the pairs that it rules out.
  template <class Settle>
  void assign_free(Settle const& settle) {
    while (!free_.empty()) {
      std::uint32_t const resident = free_.front();
      free_.pop_front();
      if (count_hospitals(resident) == 0) {
        assign_to_best_class(resident, settle);
      }
    }
  }

  /// Deletes the entries of a hospital with this key or a worse one.
  void delete_from_key(std::uint32_t hospital, std::uint64_t key) {
    for (auto& list = left_[hospital]; !list.empty() && key_of(list.back()) >= key;
         list.pop_back()) {
      auto const [entry, resident] = list.back();
      is_deleted_[entry] = true;
      if (is_assigned_[entry]) {
        is_assigned_[entry] = false;
        --assigned_count_[hospital];
        free_.push_back(resident);
      }
    }
  }

  bool is_assigned(std::uint64_t entry) const { return is_assigned_[entry]; }
  std::uint32_t count_residents(std::uint32_t hospital) const { return assigned_count_[hospital]; }
  std::size_t count_hospitals(std::uint32_t resident) const {
    auto const begin = is_assigned_.begin();
    return static_cast<std::size_t>(
        std::count(begin + static_cast<std::ptrdiff_t>(ties_.begin_of(resident)),
                   begin + static_cast<std::ptrdiff_t>(ties_.end_of(resident)), true));
  }
  std::uint32_t key_of(Listed const& listed) const { return ties_.market.keys(listed.entry); }
  /// What is left of a hospital's list, the best first.
  std::vector<Listed> const& left(std::uint32_t hospital) const { return left_[hospital]; }

 private:
  template <class Settle>
  void assign_to_best_class(std::uint32_t resident, Settle const& settle) {
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
        is_assigned_[entry] = true;
        std::uint32_t const hospital = ties_.market.hospitals(entry);
        ++assigned_count_[hospital];
        settle(hospital);
      }
    }
    if (count_hospitals(resident) == 0) {
      free_.push_back(resident);  // all of the class were deleted again
    }
  }

  MarketWithTies ties_;
  std::vector<bool> is_deleted_;               ///< per entry
  std::vector<bool> is_assigned_;              ///< per entry
  std::vector<std::uint32_t> assigned_count_;  ///< per hospital
  std::vector<std::vector<Listed>> left_;      ///< per hospital
  std::deque<std::uint32_t> free_;
};

}  // namespace taper::hospitals_residents::detail
