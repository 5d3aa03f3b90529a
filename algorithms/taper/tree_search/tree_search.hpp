// SPDX-License-Identifier: Apache-2.0
#pragma once

// Unbalanced tree search: front door and table of contents, in the order in which the data flows.

// What a caller chooses, and what a run tells.
#include <taper/tree_search/options.hpp>
// A node's state, and its children.
#include <taper/tree_search/sha1.hpp>

#include <taper/tree_search/offspring.hpp>
// The search by fork_join(), on a host.
#include <taper/tree_search/explore.hpp>
// The search by workers of any place, that share on demand.
#include <taper/tree_search/workers.hpp>

#include <taper/tree_search/run.hpp>

#include <taper/contract.hpp>
#include <taper/duo.hpp>
#include <taper/fork_join.hpp>
#include <taper/region.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace taper::tree_search {
namespace detail {

/// `run(root)` is fork_join() with a scheduler chosen.
template <class ForkJoin>
Report count_by_forks(Tree const& tree, ForkJoin const& run) {
  auto const offspring = offspring_of(tree);
  Node const root = root_of(tree, offspring);
  Tally tally;
  tally.add(0, root.children == 0);
  std::uint64_t workers = 0;
  run([&](Fork& fork) {
    workers = fork.workers();
    if (root.children > 0) {
      tally.add(Explorer(offspring).explore({root}, 0, fork));
    }
  });
  return {.nodes = tally.nodes, .leaves = tally.leaves, .depth = tally.depth, .workers = workers};
}

constexpr std::optional<Scheduler> scheduler_of(Schedule schedule) {
  switch (schedule) {
  case Schedule::sequential:
    return Scheduler::sequential;
  case Schedule::tasks:
    return Scheduler::tasks;
  case Schedule::pool:
    return Scheduler::pool;
  case Schedule::none:
  case Schedule::worklist:
  case Schedule::steal:
    break;
  }
  return std::nullopt;
}

}  // namespace detail

/// Counts the nodes of `tree`: a load that no schedule can foresee, to measure those that balance.
///
/// Equivalent to: a depth-first search. The counts do not depend on schedule, backend or number of
///   workers.
/// Cost: a SHA-1 a node; 32 bytes a node that is waiting. By none, worklist and steal, launches of
///   about a tenth of a second, and a copy to the host and back between them.
/// Async: returns with `where` fenced.
/// Throws: taper::Error if `tree` is none, or `where` has no such schedule.
template <ExecutionSpace Where>
Report count(Where const& where, Tree const& tree, Options const& options = {}) {
  require_valid(tree);
  Region const region("taper::tree_search::count");
  std::optional<Scheduler> const scheduler = detail::scheduler_of(options.schedule);
  if (!scheduler) {
    return detail::Run<Where>(where, tree, options)();
  }
  TAPER_REQUIRE(options.teams == 0 && options.store_nodes == 0 && options.queue_items == 0,
                "taper::tree_search::count: the schedule " +
                    std::string(to_string(options.schedule)) +
                    " has no teams, store_nodes or queue_items");
  if constexpr (HostExecutionSpace<Where>) {
    return detail::count_by_forks(tree,
                                  [&](auto const& root) { fork_join(where, *scheduler, root); });
  } else {
    throw Error("taper::tree_search::count: the schedule " +
                std::string(to_string(options.schedule)) + " is a host's, and where is " +
                std::string(Where::name()));
  }
}

/// The same by Schedule::pool, on threads of the caller's own.
inline Report count(ForkJoinPool& pool, Tree const& tree) {
  require_valid(tree);
  Region const region("taper::tree_search::count");
  return detail::count_by_forks(tree, [&](auto const& root) { fork_join(pool, root); });
}

}  // namespace taper::tree_search
