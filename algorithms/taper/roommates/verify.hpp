// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/preferences/blocking_pair.hpp>
#include <taper/preferences/lists.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

// Checks of instances and results. They read the lists as they are, and share no code with solve().

namespace taper::roommates {

using preferences::Flaw;
using preferences::ListFault;
using preferences::Lists;
using preferences::no_partner;

/// The first fault of lists of agents that rank each other; none if they are valid.
inline std::optional<ListFault> find_fault(Lists const& lists) {
  if (auto const fault = preferences::find_fault(lists, lists.agents())) {
    return fault;
  }
  for (std::int32_t agent = 0; agent < lists.agents(); ++agent) {
    if (auto const position = preferences::position_in(lists.of(agent), agent)) {
      return ListFault{ListFault::Kind::itself, agent, *position};
    }
  }
  return std::nullopt;
}

/// Why this is no stable partition; none if it is one. See solve() for the definition.
/// Requires: find_fault(lists) finds none.
/// Cost: O(entries) time and 4 bytes per entry.
inline std::optional<Flaw> find_flaw_of_partition(Lists const& lists,
                                                  std::span<std::int32_t const> successor) {
  std::int32_t const agents = lists.agents();
  if (successor.size() != static_cast<std::size_t>(agents)) {
    return Flaw{Flaw::Kind::size, no_partner, no_partner};
  }
  std::vector<std::int32_t> predecessor(successor.size(), no_partner);
  for (std::int32_t agent = 0; agent < agents; ++agent) {
    std::int32_t const next = successor[static_cast<std::size_t>(agent)];
    if (next < 0 || next >= agents) {
      return Flaw{Flaw::Kind::range, agent, next};
    }
    if (predecessor[static_cast<std::size_t>(next)] != no_partner) {
      return Flaw{Flaw::Kind::shared, agent, next};
    }
    predecessor[static_cast<std::size_t>(next)] = agent;
  }
  std::vector<std::int64_t> limits;  // per agent: the entries that it prefers to its predecessor
  for (std::int32_t agent = 0; agent < agents; ++agent) {
    auto const list = lists.of(agent);
    std::int32_t const next = successor[static_cast<std::size_t>(agent)];
    if (next == agent) {
      limits.push_back(static_cast<std::int64_t>(list.size()));
      continue;
    }
    auto const to_next = preferences::position_in(list, next);
    auto const from_last =
        preferences::position_in(list, predecessor[static_cast<std::size_t>(agent)]);
    if (!to_next || !from_last) {
      return Flaw{Flaw::Kind::unlisted, agent,
                  to_next ? predecessor[static_cast<std::size_t>(agent)] : next};
    }
    if (*to_next > *from_last) {
      return Flaw{Flaw::Kind::direction, agent, next};
    }
    limits.push_back(*from_last);
  }
  return preferences::find_blocking_pair(lists, limits, lists, limits);
}

/// Why this is no stable matching; none if it is one. `partner` has no_partner for an agent alone.
/// Requires and costs the same.
inline std::optional<Flaw> find_flaw_of_matching(Lists const& lists,
                                                 std::span<std::int32_t const> partner) {
  // A matching is a partition into parties of one and two.
  std::vector<std::int32_t> successor(partner.begin(), partner.end());
  for (std::size_t agent = 0; agent < successor.size(); ++agent) {
    auto const self = static_cast<std::int32_t>(agent);
    if (successor[agent] == self) {
      return Flaw{Flaw::Kind::range, self, self};
    }
    successor[agent] = successor[agent] == no_partner ? self : successor[agent];
  }
  for (std::size_t agent = 0; agent < successor.size(); ++agent) {
    auto const next = static_cast<std::size_t>(successor[agent]);
    if (next < successor.size() && successor[next] != static_cast<std::int32_t>(agent)) {
      return Flaw{Flaw::Kind::shared, static_cast<std::int32_t>(agent), successor[agent]};
    }
  }
  return find_flaw_of_partition(lists, successor);
}

/// Why this does not prove that there is no stable matching; none if it does. A proof is a stable
/// partition with an odd party of three or more agents.
/// Requires and costs the same.
inline std::optional<Flaw> find_flaw_of_proof(Lists const& lists,
                                              std::span<std::int32_t const> successor) {
  if (auto const flaw = find_flaw_of_partition(lists, successor)) {
    return flaw;
  }
  std::vector<std::uint8_t> seen(successor.size(), 0);
  for (std::size_t start = 0; start < successor.size(); ++start) {
    std::int64_t length = 0;
    for (std::size_t at = start; seen[at] == 0; at = static_cast<std::size_t>(successor[at])) {
      seen[at] = 1;
      ++length;
    }
    if (length >= 3 && length % 2 != 0) {
      return std::nullopt;
    }
  }
  return Flaw{Flaw::Kind::even, no_partner, no_partner};
}

}  // namespace taper::roommates
