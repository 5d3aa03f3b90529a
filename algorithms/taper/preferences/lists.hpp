// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

// Preference lists of any length, in host memory.
// Used by: rotations, roommates.

namespace taper::preferences {

/// The partner of an agent that has none.
inline constexpr std::int32_t no_partner = -1;

/// The preference lists of one side, in CSR format: the list of agent a is ids[offsets[a]] up to,
/// not including, ids[offsets[a + 1]], the best first. Agents and ranks count from 0.
///
/// Requires: find_fault() finds none. The algorithms do not check this.
struct Lists {
  std::span<std::int64_t const> offsets;  ///< agents() + 1 entries; empty: no agents
  std::span<std::int32_t const> ids;

  std::int32_t agents() const {
    return offsets.empty() ? 0 : static_cast<std::int32_t>(offsets.size() - 1);
  }
  std::span<std::int32_t const> of(std::int32_t agent) const {
    auto const a = static_cast<std::size_t>(agent);
    return ids.subspan(static_cast<std::size_t>(offsets[a]),
                       static_cast<std::size_t>(offsets[a + 1] - offsets[a]));
  }
};

/// A fault of preference lists: its kind and where it is.
struct ListFault {
  enum class Kind {
    offsets,  ///< the list ends before it begins or after the last id, or the lists are not exactly
              ///< all ids; there may be too many agents, too
    out_of_range,  ///< the entry is no agent of the other side
    duplicate,     ///< an earlier entry of the list has the same id
    itself,        ///< roommates only: the agent is in its own list
  };
  Kind kind;
  std::int32_t agent;
  std::int64_t entry;  ///< counts from the beginning of the list; 0 for the kind `offsets`

  friend bool operator==(ListFault const&, ListFault const&) = default;
};

/// The first fault of lists whose entries are agents 0 .. others - 1; none if they are valid.
/// Cost: O(entries) time, 4 bytes per agent of the other side.
inline std::optional<ListFault> find_fault(Lists const& lists, std::int32_t others) {
  using enum ListFault::Kind;
  constexpr std::size_t max_agents = 0x7FFF'FFFF;
  if (lists.offsets.empty() ? !lists.ids.empty()
                            : lists.offsets.size() - 1 > max_agents || lists.offsets[0] != 0) {
    return ListFault{offsets, 0, 0};
  }
  std::int32_t const agents = lists.agents();
  auto const entries = static_cast<std::int64_t>(lists.ids.size());
  for (std::int32_t a = 0; a < agents; ++a) {
    auto const i = static_cast<std::size_t>(a);
    bool const last = a == agents - 1;
    if (lists.offsets[i + 1] < lists.offsets[i] || lists.offsets[i + 1] > entries ||
        (last && lists.offsets[i + 1] != entries)) {
      return ListFault{offsets, a, 0};
    }
  }
  if (agents == 0 && !lists.ids.empty()) {
    return ListFault{offsets, 0, 0};
  }
  std::vector<std::int32_t> last_list_with(static_cast<std::size_t>(others), -1);
  for (std::int32_t a = 0; a < agents; ++a) {
    auto const list = lists.of(a);
    for (std::size_t e = 0; e < list.size(); ++e) {
      if (list[e] < 0 || list[e] >= others) {
        return ListFault{out_of_range, a, static_cast<std::int64_t>(e)};
      }
      auto& last = last_list_with[static_cast<std::size_t>(list[e])];
      if (last == a) {
        return ListFault{duplicate, a, static_cast<std::int64_t>(e)};
      }
      last = a;
    }
  }
  return std::nullopt;
}

/// A number of rows of different lengths.
template <class Entry>
struct JaggedRows {
  std::vector<std::int64_t> offsets{0};  ///< rows() + 1 entries
  std::vector<Entry> entries;

  std::int64_t rows() const { return static_cast<std::int64_t>(offsets.size()) - 1; }
  std::span<Entry const> row(std::int64_t i) const {
    auto const at = static_cast<std::size_t>(i);
    return {entries.data() + offsets[at], entries.data() + offsets[at + 1]};
  }
  void end_row() { offsets.push_back(static_cast<std::int64_t>(entries.size())); }
};

}  // namespace taper::preferences
