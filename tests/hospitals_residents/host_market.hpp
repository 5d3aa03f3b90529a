// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/hospitals_residents/market.hpp>
#include <taper/hospitals_residents/verify.hpp>
#include <taper/random.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

// A market in plain vectors, and algorithms on it that are as simple as possible. They share
// nothing with the library but random numbers.

namespace taper::testing {

using hospitals_residents::unassigned;

struct HostMarket {
  struct Entry {
    std::uint32_t hospital;
    std::uint32_t key;
  };
  std::vector<std::vector<Entry>> lists;  ///< per resident
  std::vector<std::uint32_t> seats;       ///< per hospital

  std::size_t residents() const { return lists.size(); }

  std::size_t entries() const {
    std::size_t count = 0;
    for (auto const& list : lists) {
      count += list.size();
    }
    return count;
  }
};

using HostAssignment = std::vector<std::uint32_t>;

/// Whether resident a with key_a comes before resident b with key_b at a hospital. `position` is
/// that of the hospital in the list.
struct Candidate {
  std::uint32_t resident;
  std::uint32_t position;
  std::uint32_t key;
};
using Better = std::function<bool(std::uint32_t hospital, Candidate const& a, Candidate const& b)>;

inline bool better_by_key_and_id(std::uint32_t, Candidate const& a, Candidate const& b) {
  return a.key != b.key ? a.key < b.key : a.resident < b.resident;
}

/// Deferred acceptance as in the textbook: a stack of free residents, a vector per hospital.
inline HostAssignment textbook(HostMarket const& market,
                               Better const& better = better_by_key_and_id) {
  std::vector<std::vector<Candidate>> held(market.seats.size());
  std::vector<Candidate> free;
  for (std::uint32_t resident = 0; resident < market.residents(); ++resident) {
    free.push_back({resident, 0, 0});
  }
  while (!free.empty()) {
    Candidate asking = free.back();
    free.pop_back();
    auto const& list = market.lists[asking.resident];
    if (asking.position == list.size()) {
      continue;
    }
    auto const [hospital, key] = list[asking.position];
    asking.key = key;
    auto& here = held[hospital];
    here.push_back(asking);
    std::ranges::sort(here, [&, h = hospital](Candidate const& a, Candidate const& b) {
      return better(h, a, b);
    });
    if (here.size() > market.seats[hospital]) {
      free.push_back({here.back().resident, here.back().position + 1, 0});
      here.pop_back();
    }
  }
  HostAssignment hospital_of(market.residents(), unassigned);
  for (std::uint32_t hospital = 0; hospital < held.size(); ++hospital) {
    for (auto const& candidate : held[hospital]) {
      hospital_of[candidate.resident] = hospital;
    }
  }
  return hospital_of;
}

/// The position of the resident's hospital in its list; the length of the list if it has none.
inline std::uint32_t position_held(HostMarket const& market, HostAssignment const& hospital_of,
                                   std::uint32_t resident) {
  auto const& list = market.lists[resident];
  auto const at = std::ranges::find(list, hospital_of[resident], &HostMarket::Entry::hospital);
  return static_cast<std::uint32_t>(at - list.begin());
}

/// Whether no pair blocks: directly from the definition.
inline bool is_stable(HostMarket const& market, HostAssignment const& hospital_of,
                      Better const& better = better_by_key_and_id) {
  for (std::uint32_t resident = 0; resident < market.residents(); ++resident) {
    std::uint32_t const held = position_held(market, hospital_of, resident);
    for (std::uint32_t position = 0; position < held; ++position) {
      auto const [hospital, key] = market.lists[resident][position];
      std::uint32_t filled = 0;
      bool wants = false;
      for (std::uint32_t other = 0; other < market.residents(); ++other) {
        if (hospital_of[other] == hospital) {
          ++filled;
          std::uint32_t const at = position_held(market, hospital_of, other);
          wants = wants || better(hospital, {resident, position, key},
                                  {other, at, market.lists[other][at].key});
        }
      }
      if (market.seats[hospital] > 0 && (wants || filled < market.seats[hospital])) {
        return false;
      }
    }
  }
  return true;
}

/// Per resident and entry: the tie class in the resident's list.
using Tiers = std::vector<std::vector<std::uint32_t>>;

/// The blocking pairs of a matching, directly from the three definitions.
inline std::vector<hospitals_residents::BlockingPair>
blocking_pairs(HostMarket const& market, HostAssignment const& hospital_of,
               hospitals_residents::Stability stability, Tiers const& tiers) {
  using hospitals_residents::Stability;
  std::vector<hospitals_residents::BlockingPair> pairs;
  for (std::uint32_t resident = 0; resident < market.residents(); ++resident) {
    auto const held = position_held(market, hospital_of, resident);
    for (std::uint32_t position = 0; position < market.lists[resident].size(); ++position) {
      auto const [hospital, key] = market.lists[resident][position];
      if (position == held || market.seats[hospital] == 0) {
        continue;
      }
      bool const is_free = hospital_of[resident] == unassigned;
      bool const prefers = is_free || tiers[resident][position] < tiers[resident][held];
      bool const indifferent = !is_free && tiers[resident][position] == tiers[resident][held];
      std::uint32_t filled = 0;
      bool has_worse = false;
      bool has_equal = false;
      for (std::uint32_t other = 0; other < market.residents(); ++other) {
        if (hospital_of[other] == hospital) {
          ++filled;
          auto const other_key = market.lists[other][position_held(market, hospital_of, other)].key;
          has_worse = has_worse || other_key > key;
          has_equal = has_equal || other_key == key;
        }
      }
      bool const wants = filled < market.seats[hospital] || has_worse;
      bool const accepts = wants || has_equal;
      bool const blocks = stability == Stability::weak ? prefers && wants
                          : stability == Stability::strong
                              ? (prefers && accepts) || ((prefers || indifferent) && wants)
                              : (prefers || indifferent) && accepts;
      if (blocks) {
        pairs.push_back({resident, hospital});
      }
    }
  }
  return pairs;
}

/// Calls use(matching) for each matching of the market, stable or not.
inline void for_all_matchings(HostMarket const& market,
                              std::function<void(HostAssignment const&)> const& use) {
  HostAssignment hospital_of(market.residents(), unassigned);
  std::vector<std::uint32_t> free = market.seats;
  auto const assign = [&](auto const& self, std::size_t resident) -> void {
    if (resident == market.residents()) {
      use(hospital_of);
      return;
    }
    self(self, resident + 1);
    for (auto const& entry : market.lists[resident]) {
      if (free[entry.hospital] > 0) {
        --free[entry.hospital];
        hospital_of[resident] = entry.hospital;
        self(self, resident + 1);
        hospital_of[resident] = unassigned;
        ++free[entry.hospital];
      }
    }
  };
  assign(assign, 0);
}

/// Calls use(market) with each market in which `liar` has another list: part of its own, in any
/// order.
inline void for_all_false_lists(HostMarket const& market, std::uint32_t liar,
                                std::function<void(HostMarket const&)> const& use) {
  auto const& truth = market.lists[liar];
  std::vector<std::size_t> order(truth.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  do {
    for (std::size_t length = 0; length <= truth.size(); ++length) {
      auto lie = market;
      lie.lists[liar].clear();
      for (std::size_t i = 0; i < length; ++i) {
        lie.lists[liar].push_back(truth[order[i]]);
      }
      use(lie);
    }
  } while (std::ranges::next_permutation(order).found);
}

/// A random market. Lists have any length, some are empty; keys have `classes` values.
inline HostMarket random_market(std::uint64_t seed, std::uint32_t residents,
                                std::uint32_t hospitals, std::uint32_t max_seats,
                                std::uint32_t classes) {
  RandomStream stream(seed, 7);
  HostMarket market;
  std::vector<std::uint32_t> ids(hospitals);
  std::iota(ids.begin(), ids.end(), 0u);
  for (std::uint32_t resident = 0; resident < residents; ++resident) {
    shuffle(ids.data(), ids.size(), stream);
    auto& list = market.lists.emplace_back();
    std::uint32_t const length = stream.below(hospitals + 1);
    for (std::uint32_t i = 0; i < length; ++i) {
      list.push_back({ids[i], stream.below(classes)});
    }
  }
  for (std::uint32_t hospital = 0; hospital < hospitals; ++hospital) {
    market.seats.push_back(stream.below(max_seats + 1));
  }
  return market;
}

/// A market in the memory of `Space`, and room for its matching.
template <class Space>
struct DeviceMarket {
  using Memory = typename Space::memory_space;
  template <class T>
  using Array = Kokkos::View<T*, Memory>;

  Array<std::int64_t> offsets;
  Array<std::uint32_t> hospitals, keys, seats;
  Array<std::uint32_t> hospital_of;

  explicit DeviceMarket(HostMarket const& market)
      : offsets("offsets", market.residents() + 1), hospitals("hospitals", market.entries()),
        keys("keys", market.entries()), seats("seats", market.seats.size()),
        hospital_of("hospital_of", market.residents()) {
    auto const offsets_here = Kokkos::create_mirror_view(offsets);
    auto const hospitals_here = Kokkos::create_mirror_view(hospitals);
    auto const keys_here = Kokkos::create_mirror_view(keys);
    auto const seats_here = Kokkos::create_mirror_view(seats);
    std::size_t entry = 0;
    for (std::size_t resident = 0; resident < market.residents(); ++resident) {
      offsets_here(resident) = static_cast<std::int64_t>(entry);
      for (auto const& [hospital, key] : market.lists[resident]) {
        hospitals_here(entry) = hospital;
        keys_here(entry++) = key;
      }
    }
    offsets_here(market.residents()) = static_cast<std::int64_t>(entry);
    for (std::size_t hospital = 0; hospital < market.seats.size(); ++hospital) {
      seats_here(hospital) = market.seats[hospital];
    }
    Kokkos::deep_copy(offsets, offsets_here);
    Kokkos::deep_copy(hospitals, hospitals_here);
    Kokkos::deep_copy(keys, keys_here);
    Kokkos::deep_copy(seats, seats_here);
  }

  hospitals_residents::Market<Memory> market() const { return {offsets, hospitals, keys, seats}; }

  /// The matching that a solve has written.
  HostAssignment assignment() const {
    auto const here = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, hospital_of);
    return {here.data(), here.data() + here.extent(0)};
  }
  /// Stores a matching, for the verifier.
  void assign(HostAssignment const& wanted) const {
    auto const here = Kokkos::create_mirror_view(hospital_of);
    std::ranges::copy(wanted, here.data());
    Kokkos::deep_copy(hospital_of, here);
  }
};

}  // namespace taper::testing
