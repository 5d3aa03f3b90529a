// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/hospitals_residents/market.hpp>
#include <taper/hospitals_residents/ties/market_with_ties.hpp>
#include <taper/hospitals_residents/ties/provisional.hpp>
#include <taper/hospitals_residents/verify.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace taper::hospitals_residents::detail {

/// The algorithm HRT-Strong-Res.
///
/// Names of the paper: a hospital is over-subscribed if it has more provisional residents than
/// seats. Its *tail* is the last tie class of what is left of its list. A resident is *bound* to a
/// hospital unless the hospital is over-subscribed and the resident is in its tail: it must get that
/// hospital. The *reduced graph* joins the residents that are not bound with their hospitals; a
/// hospital has there the seats that its bound residents leave. A set of residents is deficient by
/// what it exceeds the seats of its hospitals; the *critical set* is the least of the most deficient
/// sets. Those of its residents cannot all be satisfied, so its hospitals delete their tails.
class StronglyStable {
 public:
  explicit StronglyStable(MarketWithTies const& ties)
      : ties_(ties), provisional_(ties), seats_left_(ties.market.hospital_count()),
        members_(ties.market.hospital_count()), is_open_(ties.market.resident_count()),
        hospital_of_(ties.market.resident_count()) {}

  /// Returns whether there is a strongly stable matching, and writes it.
  template <class Assignment>
  bool run(Assignment const& hospital_of) {
    do {
      provisional_.assign_free([&](std::uint32_t hospital) { delete_dominated(hospital); });
      bind_residents();
      match_open_residents();
    } while (delete_critical_tails());
    // Now the bound residents and the matching of the others are the only candidate.
    Kokkos::View<std::uint32_t*, Kokkos::HostSpace> const found(
        "taper::hospitals_residents::strongly_stable", hospital_of_.size());
    for (std::uint32_t resident = 0; resident < hospital_of_.size(); ++resident) {
      found(resident) = hospital_of_[resident];
    }
    if (find_blocking_pairs(Kokkos::DefaultHostExecutionSpace(), ties_.market, found, 0,
                            Stability::strong, ties_.tiers)
            .count > 0) {
      return false;
    }
    Kokkos::deep_copy(hospital_of, found);
    return true;
  }

 private:
  /// Deletes the residents that are worse than as many provisional ones as there are seats.
  void delete_dominated(std::uint32_t hospital) {
    std::uint32_t const seats = ties_.market.seats(hospital);
    if (provisional_.count_residents(hospital) < seats) {
      return;
    }
    std::uint32_t seen = 0;
    std::uint64_t from = 0;  // without seats: all
    for (auto const& listed : provisional_.left(hospital)) {
      if (seen == seats) {
        break;
      }
      if (provisional_.is_assigned(listed.entry)) {
        ++seen;
        from = std::uint64_t{provisional_.key_of(listed)} + 1;
      }
    }
    provisional_.delete_from_key(hospital, from);
  }

  bool is_over_subscribed(std::uint32_t hospital) const {
    return provisional_.count_residents(hospital) > ties_.market.seats(hospital);
  }
  bool is_bound(std::uint64_t entry) const {
    std::uint32_t const hospital = ties_.market.hospitals(entry);
    return provisional_.is_assigned(entry) &&
           (!is_over_subscribed(hospital) ||
            ties_.market.keys(entry) < provisional_.key_of(provisional_.left(hospital).back()));
  }

  /// Gives each bound resident its hospital, and finds the residents of the reduced graph.
  void bind_residents() {
    for (std::uint32_t hospital = 0; hospital < seats_left_.size(); ++hospital) {
      seats_left_[hospital] = ties_.market.seats(hospital);
      members_[hospital].clear();
    }
    for (std::uint32_t resident = 0; resident < is_open_.size(); ++resident) {
      hospital_of_[resident] = unassigned;
      is_open_[resident] = provisional_.count_hospitals(resident) > 0;
      for (auto entry = ties_.begin_of(resident); entry < ties_.end_of(resident); ++entry) {
        if (is_bound(entry)) {
          hospital_of_[resident] = ties_.market.hospitals(entry);
          --seats_left_[hospital_of_[resident]];
          is_open_[resident] = false;
        }
      }
    }
  }

  /// A largest matching of the reduced graph. A resident that stays without a hospital cannot get
  /// one later, so afterwards the critical set is what reach() reaches from all of these.
  void match_open_residents() {
    Reached reached(seats_left_.size());
    for (std::uint32_t resident = 0; resident < is_open_.size(); ++resident) {
      if (is_open_[resident]) {
        if (auto const end = reach(resident, reached)) {
          augment(*end, reached);
        }
        reached.clear();
      }
    }
  }

  /// What a breadth-first search along alternating paths has reached.
  struct Reached {
    std::vector<bool> hospital;
    std::vector<std::uint32_t> from;   ///< per hospital: the resident before it on the path
    std::vector<std::uint32_t> order;  ///< the hospitals that are reached

    explicit Reached(std::size_t hospitals)
        : hospital(hospitals, false), from(hospitals, unassigned) {}

    void add(std::uint32_t reached_hospital, std::uint32_t resident) {
      hospital[reached_hospital] = true;
      from[reached_hospital] = resident;
      order.push_back(reached_hospital);
    }
    /// Cost: that of the searches since the last call, not that of the market.
    void clear() {
      for (std::uint32_t const reached_hospital : order) {
        hospital[reached_hospital] = false;
      }
      order.clear();
    }
  };

  /// Searches from one resident without a hospital. Returns a hospital with a free seat, if any.
  std::optional<std::uint32_t> reach(std::uint32_t start, Reached& reached) const {
    std::vector<std::uint32_t> queue{start};
    for (std::size_t next = 0; next < queue.size(); ++next) {
      std::uint32_t const resident = queue[next];
      for (auto entry = ties_.begin_of(resident); entry < ties_.end_of(resident); ++entry) {
        std::uint32_t const hospital = ties_.market.hospitals(entry);
        if (!provisional_.is_assigned(entry) || reached.hospital[hospital]) {
          continue;
        }
        reached.add(hospital, resident);
        if (members_[hospital].size() < seats_left_[hospital]) {
          return hospital;
        }
        queue.insert(queue.end(), members_[hospital].begin(), members_[hospital].end());
      }
    }
    return std::nullopt;
  }

  /// Moves each resident of the path to the hospital after it.
  void augment(std::uint32_t hospital, Reached const& reached) {
    for (bool more = true; more;) {
      std::uint32_t const resident = reached.from[hospital];
      std::uint32_t const before = hospital_of_[resident];
      members_[hospital].push_back(resident);
      hospital_of_[resident] = hospital;
      more = before != unassigned;
      if (more) {
        std::erase(members_[before], resident);
        hospital = before;
      }
    }
  }

  /// Deletes the tails of the critical set's hospitals. False: the set is empty.
  bool delete_critical_tails() {
    Reached critical(seats_left_.size());
    for (std::uint32_t resident = 0; resident < is_open_.size(); ++resident) {
      if (is_open_[resident] && hospital_of_[resident] == unassigned) {
        reach(resident, critical);
      }
    }
    for (std::uint32_t const hospital : critical.order) {
      provisional_.delete_from_key(hospital,
                                   provisional_.key_of(provisional_.left(hospital).back()));
    }
    return !critical.order.empty();
  }

  MarketWithTies ties_;
  Provisional provisional_;
  std::vector<std::uint32_t> seats_left_;  ///< per hospital: those that bound residents leave
  std::vector<std::vector<std::uint32_t>> members_;  ///< per hospital: its open residents
  std::vector<bool> is_open_;                        ///< per resident: in the reduced graph
  std::vector<std::uint32_t> hospital_of_;           ///< per resident
};

}  // namespace taper::hospitals_residents::detail
