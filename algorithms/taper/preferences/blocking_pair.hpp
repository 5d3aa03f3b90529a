// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/preferences/lists.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

// The search for blocking pairs. It reads the lists as they were given, and shares no code with the
// algorithms that it checks.
// Used by: the verifiers of rotations and roommates.

namespace taper::preferences {

/// Why a result is not stable, and where.
struct Flaw {
  enum class Kind {
    size,       ///< there are not as many entries as agents
    range,      ///< the entry of `first` is no agent
    shared,     ///< `first` and an agent before it have the same entry, `second`
    unlisted,   ///< `first` and its entry, `second`, do not list each other
    direction,  ///< roommates only: `first` prefers its predecessor to its successor, `second`
    blocking,   ///< `first` and `second` both prefer each other
    even,       ///< roommates only: a proof of insolvability without an odd party
  };
  Kind kind;
  std::int32_t first;
  std::int32_t second;

  friend bool operator==(Flaw const&, Flaw const&) = default;
};

/// The position of `id` in the list; none if it is not there.
inline std::optional<std::int64_t> position_in(std::span<std::int32_t const> list,
                                               std::int32_t id) {
  auto const found = std::ranges::find(list, id);
  if (found == list.end()) {
    return std::nullopt;
  }
  return found - list.begin();
}

/// A pair (a, b) where b is among the first limits_a[a] entries in the list of a, and a among the
/// first limits_b[b] in that of b; none if there is no such pair.
/// Cost: O(entries) time, 4 bytes per entry below a limit.
inline std::optional<Flaw> find_blocking_pair(Lists const& side_a,
                                              std::span<std::int64_t const> limits_a,
                                              Lists const& side_b,
                                              std::span<std::int64_t const> limits_b) {
  auto const wanted = [](Lists const& lists, std::span<std::int64_t const> limits, std::int32_t i) {
    return lists.of(i).first(static_cast<std::size_t>(limits[static_cast<std::size_t>(i)]));
  };
  // Who wants b, for each b.
  JaggedRows<std::int32_t> suitors;
  suitors.offsets.assign(static_cast<std::size_t>(side_b.agents()) + 1, 0);
  for (std::int32_t a = 0; a < side_a.agents(); ++a) {
    for (std::int32_t const b : wanted(side_a, limits_a, a)) {
      ++suitors.offsets[static_cast<std::size_t>(b) + 1];
    }
  }
  for (std::size_t b = 1; b < suitors.offsets.size(); ++b) {
    suitors.offsets[b] += suitors.offsets[b - 1];
  }
  suitors.entries.resize(static_cast<std::size_t>(suitors.offsets.back()));
  std::vector<std::int64_t> next(suitors.offsets.begin(), suitors.offsets.end() - 1);
  for (std::int32_t a = 0; a < side_a.agents(); ++a) {
    for (std::int32_t const b : wanted(side_a, limits_a, a)) {
      suitors.entries[static_cast<std::size_t>(next[static_cast<std::size_t>(b)]++)] = a;
    }
  }
  std::vector<std::int32_t> wanted_by(static_cast<std::size_t>(side_a.agents()), -1);
  for (std::int32_t b = 0; b < side_b.agents(); ++b) {
    for (std::int32_t const a : wanted(side_b, limits_b, b)) {
      wanted_by[static_cast<std::size_t>(a)] = b;
    }
    for (std::int32_t const a : suitors.row(b)) {
      if (wanted_by[static_cast<std::size_t>(a)] == b) {
        return Flaw{Flaw::Kind::blocking, a, b};
      }
    }
  }
  return std::nullopt;
}

}  // namespace taper::preferences
