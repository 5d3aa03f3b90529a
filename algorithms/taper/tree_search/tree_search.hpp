// SPDX-License-Identifier: Apache-2.0
#pragma once

// Unbalanced tree search: the front door. It counts the nodes of a tree whose shape no schedule can
// foresee, to compare schedules. The order of the first includes is the order of the data flow.
// Used by: taper's command line (`taper run`), and perf/.

// The options, the tree's parameters, and the report.
#include <taper/tree_search/options.hpp>
// A node's state and its children.
#include <taper/tree_search/sha1.hpp>

#include <taper/tree_search/offspring.hpp>
// The search by fork_join(), on a host.
#include <taper/tree_search/fork_search.hpp>
// The search by teams with a work queue, on any execution space: the kernel, and its launches.
#include <taper/tree_search/search.hpp>

#include <taper/tree_search/search_run.hpp>

#include <taper/error.hpp>
#include <taper/fork_join.hpp>
#include <taper/place.hpp>
#include <taper/region.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace taper::tree_search {
namespace detail {

/// Counts a tree by forks. `run(root)` calls fork_join() with the chosen scheduler.
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
      tally.add(ForkSearch(offspring).count_below({root}, 0, fork));
    }
  });
  return {.nodes = tally.nodes, .leaves = tally.leaves, .depth = tally.depth, .workers = workers};
}

/// The scheduler of a schedule that uses fork_join(); none for the others.
constexpr std::optional<Scheduler> scheduler_of(Schedule schedule) {
  switch (schedule) {
  case Schedule::serial:
    return Scheduler::serial;
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

/// Counts the nodes of `tree`. No schedule can foresee the work below a node, so the count measures
/// how well a schedule balances load.
///
/// Equivalent to: a serial depth-first search. The counts do not depend on the schedule, the
///   backend or the number of workers.
/// Cost: one SHA-1 per node, and 32 bytes per pending node. The schedules none, worklist and steal
///   use launches of about a tenth of a second, with a copy to the host and back between them.
/// Async: returns with `where` fenced.
/// Throws: taper::Error if `tree` is invalid, or if `where` does not support the schedule or an
///   option.
template <ExecutionSpace Where>
Report count(Where const& where, Tree const& tree, Options const& options = {}) {
  require_valid(tree);
  Region const region("taper::tree_search::count");
  std::optional<Scheduler> const scheduler = detail::scheduler_of(options.schedule);
  if (!scheduler) {
    return detail::SearchRun<Where>(where, tree, options)();
  }
  TAPER_REQUIRE(options.teams == 0 && options.store_nodes == 0 && options.queue_items == 0,
                "taper::tree_search::count: the options teams, store_nodes and queue_items do not "
                "apply to schedule '" +
                    std::string(to_string(options.schedule)) + "'");
  if constexpr (HostExecutionSpace<Where>) {
    return detail::count_by_forks(tree,
                                  [&](auto const& root) { fork_join(where, *scheduler, root); });
  } else {
    throw Error("taper::tree_search::count: schedule '" + std::string(to_string(options.schedule)) +
                "' needs a host backend; this call runs on " + std::string(Where::name()));
  }
}

/// The same with Schedule::pool, on the threads of `pool`.
inline Report count(ForkJoinPool& pool, Tree const& tree) {
  require_valid(tree);
  Region const region("taper::tree_search::count");
  return detail::count_by_forks(tree, [&](auto const& root) { fork_join(pool, root); });
}

}  // namespace taper::tree_search
