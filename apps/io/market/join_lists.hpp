// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/market/market.hpp>
#include <io/market/sparse_market.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace taper::io {

/// The lists of one side, as a reader of a file collects them, agent after agent.
struct SideLists {
  std::string file;  ///< for messages
  Agents agents;
  std::vector<std::size_t> ends;       ///< per agent: the end of its list in `entries`
  std::vector<std::size_t> lines;      ///< per agent: the line of its list; empty: no lines
  std::vector<std::uint32_t> entries;  ///< ids of the other side, from 0; no list has one twice
  /// Per entry: its tie class, from 0; classes do not fall within a list. Empty: no ties.
  std::vector<std::uint32_t> tiers;
  /// Per entry: the score by which the list is sorted. Empty: the lists have no scores.
  std::vector<double> scores;
  bool lowest_first = false;  ///< a lower score is better

  std::size_t begin_of(std::size_t agent) const { return agent > 0 ? ends[agent - 1] : 0; }
  std::size_t length_of(std::size_t agent) const { return ends[agent] - begin_of(agent); }

  /// Begins the list of the next agent.
  void begin_list(std::size_t line) {
    lines.push_back(line);
    ends.push_back(entries.size());
  }
  /// Appends an entry to the last list: in the class of the entry before it, or in a new one.
  void append(std::uint32_t id, bool tied_with_last = false);
};

/// Whether the lists are a stable marriage instance: equal sides, complete lists, no ties, one
/// seat each. `seats` may be empty: one seat each.
bool is_complete_marriage(SideLists const& first, SideLists const& second,
                          std::vector<std::uint32_t> const& seats);

/// The instance that is_complete_marriage(). Throws: InputError if it does not fit into memory.
Market complete_market(SideLists men, SideLists women);

/// A remark for the user about entries that were dropped: how many, and an example.
std::string one_sided_note(OneSidedEntries const& one_sided);

/// Sets `keys` and `scores` of a market from a score per entry: equal scores get equal keys.
void set_keys_by_score(SparseMarket& market, std::vector<double> const& score_of_entry,
                       bool lowest_first);

/// The market of the first side's lists alone: every resident is welcome at each hospital, and all
/// tie there. If the lists have scores, these are the residents' scores at the hospitals.
SparseMarket market_of(SideLists first, Agents second, std::vector<std::uint32_t> seats);

/// Joins the lists of both sides into a market. Drops an entry if the other agent does not list the
/// first one, and counts it in one_sided. Ranks count the entries that are left.
/// `seats` may be empty: one seat each. If the second side has scores, so has the market.
///
/// Throws: InputError, with the pair, if an entry is one-sided and `strict` is set.
/// Cost: linear in the entries; about 24 bytes per entry besides the lists.
SparseMarket join_lists(SideLists first, SideLists second, std::vector<std::uint32_t> seats,
                        int id_base, bool strict);

}  // namespace taper::io
