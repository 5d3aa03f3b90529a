// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/preferences/lists.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

// The join of two sides' preference lists.
// Used by: rotations, roommates.

namespace taper::preferences {

/// The lists of one side with the mutual entries alone. A rank is a position in such a list.
struct MutualSide {
  std::vector<std::int64_t> offsets;      ///< agents + 1 entries
  std::vector<std::int32_t> ids;          ///< the other side's agents, the best first
  std::vector<std::int32_t> ranks_there;  ///< per entry: the rank of this agent in the other's list

  std::int32_t agents() const { return static_cast<std::int32_t>(offsets.size() - 1); }
  std::size_t begin(std::int32_t agent) const {
    return static_cast<std::size_t>(offsets[static_cast<std::size_t>(agent)]);
  }
  std::size_t end(std::int32_t agent) const { return begin(agent + 1); }
  std::int32_t length(std::int32_t agent) const {
    return static_cast<std::int32_t>(end(agent) - begin(agent));
  }
};

struct MutualLists {
  MutualSide first;
  MutualSide second;
  std::int64_t one_sided = 0;  ///< entries of both sides that were dropped
};

namespace detail {

/// An agent that lists another, and the other's position in its list.
struct Mention {
  std::int32_t agent;
  std::int32_t position;
};

/// Row b has a mention for each list with entry b, in the order of the listing agents.
inline JaggedRows<Mention> mentions_of(Lists const& lists, std::int32_t others) {
  JaggedRows<Mention> rows;
  rows.offsets.assign(static_cast<std::size_t>(others) + 1, 0);
  rows.entries.resize(lists.ids.size());
  for (std::int32_t const id : lists.ids) {
    ++rows.offsets[static_cast<std::size_t>(id) + 1];
  }
  for (std::size_t b = 1; b < rows.offsets.size(); ++b) {
    rows.offsets[b] += rows.offsets[b - 1];
  }
  std::vector<std::int64_t> next(rows.offsets.begin(), rows.offsets.end() - 1);
  for (std::int32_t a = 0; a < lists.agents(); ++a) {
    auto const list = lists.of(a);
    for (std::size_t position = 0; position < list.size(); ++position) {
      std::int64_t& slot = next[static_cast<std::size_t>(list[position])];
      rows.entries[static_cast<std::size_t>(slot++)] = {a, static_cast<std::int32_t>(position)};
    }
  }
  return rows;
}

/// The entries of `side` whose agents list the agent too. `ranks_there` has positions in the lists
/// of `other`, which are ranks if `other` has no one-sided entries.
inline MutualSide mutual_entries(Lists const& side, Lists const& other) {
  constexpr std::int32_t absent = -1;
  auto const mentions = mentions_of(other, side.agents());
  std::vector<std::int32_t> position_at(static_cast<std::size_t>(other.agents()), absent);
  MutualSide result;
  result.ids.reserve(side.ids.size());
  result.ranks_there.reserve(side.ids.size());
  result.offsets.push_back(0);
  for (std::int32_t a = 0; a < side.agents(); ++a) {
    for (auto const& mention : mentions.row(a)) {
      position_at[static_cast<std::size_t>(mention.agent)] = mention.position;
    }
    for (std::int32_t const b : side.of(a)) {
      std::int32_t const position = position_at[static_cast<std::size_t>(b)];
      if (position != absent) {
        result.ids.push_back(b);
        result.ranks_there.push_back(position);
      }
    }
    result.offsets.push_back(static_cast<std::int64_t>(result.ids.size()));
    for (auto const& mention : mentions.row(a)) {
      position_at[static_cast<std::size_t>(mention.agent)] = absent;
    }
  }
  return result;
}

}  // namespace detail

/// Keeps the pairs that both sides list, in the order of each list, and looks up the rank of each
/// agent in the lists of its candidates.
///
/// Requires: valid lists, see find_fault(). For roommates both sides are the same lists; then both
///   sides of the result are equal.
/// Cost: O(entries) time. 24 bytes per entry of one side at the peak, 40 if some entries are
///   one-sided, 16 for the result. All random writes are to a few cache lines per agent.
inline MutualLists join(Lists const& first, Lists const& second) {
  MutualLists result{detail::mutual_entries(first, second), detail::mutual_entries(second, first)};
  auto const view = [](MutualSide const& side) { return Lists{side.offsets, side.ids}; };
  auto const entries = first.ids.size() + second.ids.size();
  auto const one_sided = entries - result.first.ids.size() - result.second.ids.size();
  if (one_sided > 0) {  // positions are not ranks yet
    result = {detail::mutual_entries(view(result.first), view(result.second)),
              detail::mutual_entries(view(result.second), view(result.first))};
    result.one_sided = static_cast<std::int64_t>(one_sided);
  }
  return result;
}

}  // namespace taper::preferences
