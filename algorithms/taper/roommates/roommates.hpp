// SPDX-License-Identifier: Apache-2.0
#pragma once

// Stable roommates: the front door. The order of the includes is the order of the data flow.
// Everything here runs on one thread of the host, and needs no Kokkos.
// Used by: `taper roommates`.

#include <taper/preferences/lists.hpp>
#include <taper/preferences/mutual_lists.hpp>
// What solve() returns.
#include <taper/roommates/report.hpp>
// Both phases.
#include <taper/roommates/phases.hpp>
// The check of a matching or of a stable partition, without any of the above.
#include <taper/roommates/verify.hpp>

#include <taper/stop.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace taper::roommates {
namespace detail {

/// Divides the agents into parties, which are the cycles of `successor`. Counts them, and pairs the
/// agents of even ones.
inline void pair_parties(Result& result) {
  auto const agents = result.successor.size();
  std::vector<std::uint8_t> seen(agents, 0);
  std::vector<std::int32_t> party;
  result.partner.assign(agents, no_partner);
  for (std::size_t start = 0; start < agents; ++start) {
    party.clear();
    for (auto at = static_cast<std::int32_t>(start); seen[static_cast<std::size_t>(at)] == 0;
         at = result.successor[static_cast<std::size_t>(at)]) {
      seen[static_cast<std::size_t>(at)] = 1;
      party.push_back(at);
    }
    if (party.size() == 1) {
      ++result.report.unmatched;
    } else if (party.size() % 2 != 0) {
      ++result.report.odd_parties;
    } else {
      for (std::size_t i = 0; i < party.size(); i += 2) {
        result.partner[static_cast<std::size_t>(party[i])] = party[i + 1];
        result.partner[static_cast<std::size_t>(party[i + 1])] = party[i];
        ++result.report.pairs;
      }
    }
  }
}

}  // namespace detail

/// Finds a stable matching of agents that rank each other, or proves that there is none.
///
/// A pair can be matched only if both list each other. Agents may be left alone. A matching is
/// stable if no two agents prefer each other to their partners, or to being alone.
///
/// The proof is a stable partition: a permutation whose cycles ("parties") satisfy
///   - each agent likes its successor at least as much as its predecessor, and
///   - no two agents prefer each other to their predecessors;
/// an agent that is its own successor prefers all others in its list. Every instance has a stable
/// partition, and all of them have the same odd parties. There is a stable matching if and only if
/// no odd party has three or more agents. find_flaw_of_proof() checks such a proof.
///
/// Equivalent to: Irving's algorithm, which stops at the first list that becomes empty. This one
///   leaves the cycles that would empty lists, as Tan's does, and so ends with a stable partition.
/// Requires: find_fault(lists) finds none.
/// Cost: O(entries) time; 24 bytes per entry at the peak, 40 if some entries are one-sided.
/// Source: Irving, "An efficient algorithm for the 'stable roommates' problem", J. Algorithms 6,
///   1985; Gusfield and Irving, "The stable marriage problem", 1989, chapter 4; Tan, "A necessary
///   and sufficient condition for the existence of a complete stable matching", J. Algorithms 12,
///   1991.
/// stop: if set to true, solve() returns soon, with Result::status stopped. The join of the lists, at
///   the beginning, does not look at it.
inline Result solve(Lists const& lists, std::atomic<bool> const* stop = nullptr) {
  StopFlag const flag{stop};
  std::int32_t const agents = lists.agents();
  auto const mutual = preferences::join(lists, lists);
  Result result;
  result.report.agents = agents;
  result.report.one_sided = mutual.one_sided / 2;
  detail::Table table(mutual.first);
  detail::propose(table, agents, result.report, flag);
  detail::RotationSearch(table, agents, result.report).run(flag);
  if (flag.is_set()) {
    Result stopped;
    stopped.status = Status::stopped;
    return stopped;
  }
  for (std::int32_t agent = 0; agent < agents; ++agent) {
    std::int32_t const first = table.first(agent);
    result.successor.push_back(first > table.last(agent) ? agent : table.agent_at(agent, first));
  }
  detail::pair_parties(result);
  result.solvable = result.report.odd_parties == 0;
  if (!result.solvable) {
    result.partner.clear();
    result.report.pairs = 0;
  }
  return result;
}

}  // namespace taper::roommates
