// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/preferences/lists.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

// Preference lists of any length for tests, and stability by its definition.
// Used by: the tests of rotations and roommates.

namespace taper::testing {

using Matching = std::vector<std::int32_t>;

/// Lists as a test writes them.
using ListTable = std::vector<std::vector<std::int32_t>>;

/// The same in the form that the library takes.
struct OwnedLists {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> ids;

  explicit OwnedLists(ListTable const& table) {
    for (auto const& list : table) {
      ids.insert(ids.end(), list.begin(), list.end());
      offsets.push_back(static_cast<std::int64_t>(ids.size()));
    }
  }
  preferences::Lists view() const { return {offsets, ids}; }
};

/// The position of `id` in a list; -1 if it is not there.
inline int rank_in(std::vector<std::int32_t> const& list, std::int32_t id) {
  auto const found = std::ranges::find(list, id);
  return found == list.end() ? -1 : static_cast<int>(found - list.begin());
}

/// An agent whose partner is `partner`, or that has none, would rather have `other`.
inline bool prefers(std::vector<std::int32_t> const& list, std::int32_t other,
                    std::int32_t partner) {
  int const rank = rank_in(list, other);
  int const present = rank_in(list, partner);
  return rank >= 0 && (present < 0 || rank < present);
}

/// Keeps each entry with `probability`.
inline void thin(ListTable& table, std::mt19937_64& random, double probability) {
  std::bernoulli_distribution kept(probability);
  for (auto& list : table) {
    std::erase_if(list, [&](std::int32_t) { return !kept(random); });
  }
}

/// A table of uniformly random lists of all of 0 .. others - 1.
inline ListTable random_table(std::mt19937_64& random, std::size_t agents, std::size_t others) {
  ListTable table(agents, std::vector<std::int32_t>(others));
  for (auto& list : table) {
    std::iota(list.begin(), list.end(), 0);
    std::shuffle(list.begin(), list.end(), random);
  }
  return table;
}

/// The same for roommates: no agent lists itself.
inline ListTable random_roommates(std::mt19937_64& random, std::size_t agents) {
  ListTable table = random_table(random, agents, agents);
  for (std::size_t agent = 0; agent < agents; ++agent) {
    std::erase(table[agent], static_cast<std::int32_t>(agent));
  }
  return table;
}

}  // namespace taper::testing
