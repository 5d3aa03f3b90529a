// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/preferences/mutual_lists.hpp>
#include <taper/roommates/report.hpp>
#include <taper/stop.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace taper::roommates::detail {

/// The preference lists of all agents, from which pairs are removed.
///
/// Pairs are only removed from the ends of lists, together with the other agent's entry. So an
/// entry is left if it is not behind the last one of either agent. The first, second and last
/// entries that are left only move towards each other or down the list, so finding them costs one
/// pass over the lists in all.
class Table {
 public:
  static constexpr std::int32_t none = -1;

  explicit Table(preferences::MutualSide const& lists)
      : lists_(lists), first_(static_cast<std::size_t>(lists.agents()), 0), second_(first_),
        last_(first_) {
    for (std::int32_t a = 0; a < lists.agents(); ++a) {
      last_[static_cast<std::size_t>(a)] = lists.length(a) - 1;
    }
  }

  /// The ranks of the first two entries that are left; behind last() if there are none.
  std::int32_t first(std::int32_t agent) { return skip(agent, first_[at(agent)]); }
  std::int32_t second(std::int32_t agent) {
    std::int32_t& rank = second_[at(agent)];
    rank = std::max(rank, first(agent) + 1);
    return skip(agent, rank);
  }
  /// The rank of the last entry. It is left once another agent holds a proposal of this one.
  std::int32_t last(std::int32_t agent) const { return last_[at(agent)]; }

  std::int32_t agent_at(std::int32_t agent, std::int32_t rank) const {
    return lists_.ids[lists_.begin(agent) + static_cast<std::size_t>(rank)];
  }

  /// Removes all that the agent at `rank` in the list of `agent` likes less than `agent`.
  void truncate(std::int32_t agent, std::int32_t rank) {
    std::size_t const entry = lists_.begin(agent) + static_cast<std::size_t>(rank);
    last_[at(lists_.ids[entry])] = lists_.ranks_there[entry];
  }

 private:
  static std::size_t at(std::int32_t agent) { return static_cast<std::size_t>(agent); }

  /// Advances `rank` to the next entry that is left.
  std::int32_t skip(std::int32_t agent, std::int32_t& rank) const {
    std::size_t const begin = lists_.begin(agent);
    while (rank <= last(agent)) {
      std::size_t const entry = begin + static_cast<std::size_t>(rank);
      if (lists_.ranks_there[entry] <= last_[at(lists_.ids[entry])]) {
        break;
      }
      ++rank;
    }
    return rank;
  }

  preferences::MutualSide const& lists_;
  std::vector<std::int32_t> first_;
  std::vector<std::int32_t> second_;
  std::vector<std::int32_t> last_;
};

/// Phase 1: each agent proposes down its list until another agent holds its proposal. An agent
/// that holds one removes all that it likes less. Afterwards an agent is the last in the list of its first, or its
/// list is empty.
/// Ends early if `stop` is set.
inline void propose(Table& table, std::int32_t agents, Report& report, StopFlag stop) {
  std::vector<std::int32_t> held(static_cast<std::size_t>(agents), Table::none);
  for (std::int32_t start = 0; start < agents; ++start) {
    for (std::int32_t free = start; free != Table::none && !stop.is_set();) {
      std::int32_t const rank = table.first(free);
      if (rank > table.last(free)) {
        break;
      }
      // An entry is left only if that agent likes the proposer more than the one that it holds.
      ++report.proposals;
      table.truncate(free, rank);
      std::swap(held[static_cast<std::size_t>(table.agent_at(free, rank))], free);
    }
  }
}

/// Phase 2: eliminates rotations until each list has at most two entries.
///
/// The next agent of x is the one whose first is x's second. A rotation is a cycle of next agents.
/// Eliminating it makes each of its agents propose to its second. That would empty a list only in a
/// cycle whose agents have two entries each and are each other's firsts. Such cycles stay: they are
/// what makes an instance unsolvable, if they are odd. No search that begins at a list of three or
/// more entries gets into one: if y is x's second and has two entries, then x is y's first, so y is
/// x's last, and x has two entries itself.
///
/// What is left of the path after an elimination stays valid while its first agent has three
/// entries. An agent x on it loses its second only if its list is cut behind its first, z. Then x
/// was z's second and last. So z had two entries, and by the argument above all agents from the
/// beginning of the path to x had.
class RotationSearch {
 public:
  RotationSearch(Table& table, std::int32_t agents, Report& report)
      : table_(table), report_(report), position_(static_cast<std::size_t>(agents), Table::none) {}

  /// Ends early if `stop` is set.
  void run(StopFlag stop) {
    for (std::int32_t agent = 0; agent < static_cast<std::int32_t>(position_.size()); ++agent) {
      while (table_.second(agent) < table_.last(agent) && !stop.is_set()) {
        if (path_.empty()) {
          push(agent);
        }
        eliminate_from(find_cycle());
      }
      pop_to(0);
    }
  }

 private:
  /// Requires: a list of two entries or more.
  std::int32_t next(std::int32_t agent) {
    std::int32_t const second = table_.agent_at(agent, table_.second(agent));
    return table_.agent_at(second, table_.last(second));
  }

  /// Extends the path until it ends in a cycle. Returns the position where that begins.
  std::size_t find_cycle() {
    for (;;) {
      std::int32_t const agent = next(path_.back());
      std::int32_t const position = position_[static_cast<std::size_t>(agent)];
      if (position != Table::none) {
        return static_cast<std::size_t>(position);
      }
      push(agent);
    }
  }

  void eliminate_from(std::size_t begin) {
    ++report_.rotations;
    seconds_.clear();  // before any list changes
    for (std::size_t i = begin; i < path_.size(); ++i) {
      seconds_.push_back(table_.second(path_[i]));
    }
    for (std::size_t i = begin; i < path_.size(); ++i) {
      table_.truncate(path_[i], seconds_[i - begin]);
    }
    pop_to(begin);
  }

  void push(std::int32_t agent) {
    position_[static_cast<std::size_t>(agent)] = static_cast<std::int32_t>(path_.size());
    path_.push_back(agent);
  }
  void pop_to(std::size_t length) {
    while (path_.size() > length) {
      position_[static_cast<std::size_t>(path_.back())] = Table::none;
      path_.pop_back();
    }
  }

  Table& table_;
  Report& report_;
  std::vector<std::int32_t> path_;
  std::vector<std::int32_t> position_;  // per agent: in path_
  std::vector<std::int32_t> seconds_;
};

}  // namespace taper::roommates::detail
