// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/preferences/blocking_pair.hpp>
#include <taper/rotations/market.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace taper::rotations {

using preferences::Flaw;

/// Why this is no stable matching of the market; none if it is one. A flaw's `first` is a man and
/// its `second` a woman. It reads the lists as they are, and shares no code with find_rotations().
///
/// Requires: find_fault(market) finds none.
/// Cost: O(entries) time, 4 bytes per entry that a man prefers to his partner.
inline std::optional<Flaw> find_flaw(Market const& market,
                                     std::span<std::int32_t const> partner_of_man) {
  std::int32_t const men = market.men.agents();
  std::int32_t const women = market.women.agents();
  if (partner_of_man.size() != static_cast<std::size_t>(men)) {
    return Flaw{Flaw::Kind::size, no_partner, no_partner};
  }
  // What agents prefer to their partners: all of their lists, if they have none.
  std::vector<std::int64_t> men_limits;
  std::vector<std::int64_t> women_limits;
  for (std::int32_t man = 0; man < men; ++man) {
    men_limits.push_back(static_cast<std::int64_t>(market.men.of(man).size()));
  }
  for (std::int32_t woman = 0; woman < women; ++woman) {
    women_limits.push_back(static_cast<std::int64_t>(market.women.of(woman).size()));
  }
  std::vector<std::uint8_t> taken(static_cast<std::size_t>(women), 0);
  for (std::int32_t man = 0; man < men; ++man) {
    std::int32_t const woman = partner_of_man[static_cast<std::size_t>(man)];
    if (woman == no_partner) {
      continue;
    }
    if (woman < 0 || woman >= women) {
      return Flaw{Flaw::Kind::range, man, woman};
    }
    auto const w = static_cast<std::size_t>(woman);
    if (taken[w] != 0) {
      return Flaw{Flaw::Kind::shared, man, woman};
    }
    taken[w] = 1;
    auto const man_position = preferences::position_in(market.men.of(man), woman);
    auto const woman_position = preferences::position_in(market.women.of(woman), man);
    if (!man_position || !woman_position) {
      return Flaw{Flaw::Kind::unlisted, man, woman};
    }
    men_limits[static_cast<std::size_t>(man)] = *man_position;
    women_limits[w] = *woman_position;
  }
  return preferences::find_blocking_pair(market.men, men_limits, market.women, women_limits);
}

}  // namespace taper::rotations
