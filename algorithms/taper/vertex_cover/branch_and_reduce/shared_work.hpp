// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/branch_and_reduce/partners.hpp>
#include <taper/vertex_cover/interrupt.hpp>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>

// What a process does while it searches with its Partners.

namespace taper::vertex_cover::branch_and_reduce {

/// Works on parts of a search until it is over. `has_part`: this process has one. `restore` makes
/// one of words; false: nothing is to be searched in it. `search` returns whether it searched all
/// of its part. `meanwhile`: what to do without one.
///
/// Used by: Solver, run_tasks_together().
template <class Restore, class SearchPart, class Meanwhile>
void work_until_over(Partners& partners, Interrupt& interrupt, bool has_part,
                     Restore const& restore, SearchPart const& search, Meanwhile const& meanwhile) {
  interrupt.poll_with([&partners] { return partners.poll(); });
  while (!partners.over()) {
    interrupt.resume();
    if (interrupt.stopped() && interrupt.at_limit()) {
      partners.give_up();
    } else if (has_part) {
      has_part = false;
      if (search() && !partners.over()) {
        partners.finish();
      }
    } else if (auto const words = partners.take()) {
      has_part = restore(*words);
      if (!has_part) {
        partners.finish();
      }
    } else {
      meanwhile();
    }
  }
  interrupt.poll_with({});
  interrupt.resume();
}

/// Runs `count` tasks that all processes have alike, each in one of them: run(task) for a number
/// below `count`, the last first. It returns false if it was stopped. A process that has no task
/// gets half of those that another one still has. `limit`, `enough`, `lower`: see
/// Partners::begin().
///
/// Returns when the search is over: all tasks are done, or it was ended.
/// Used by: the clique searches of vertex covers and of clique/.
template <class RunTask>
void run_tasks_together(Partners& partners, Interrupt& interrupt, std::uint32_t limit,
                        std::uint32_t enough, std::uint32_t lower, std::size_t count,
                        RunTask const& run) {
  Partners::Words tasks;
  auto const give = [&]() -> std::optional<Partners::Words> {
    if (tasks.empty()) {
      return std::nullopt;
    }
    auto const half = tasks.begin() + static_cast<std::ptrdiff_t>(tasks.size() / 2);
    Partners::Words given(half, tasks.end());
    tasks.erase(half, tasks.end());
    return given;
  };
  bool const begins = partners.begin(limit, enough, lower, give);
  if (begins) {
    tasks.resize(count);
    std::iota(tasks.begin(), tasks.end(), 0u);
  }
  work_until_over(
      partners, interrupt, begins,
      [&](Partners::Words const& words) {
        tasks = words;
        return true;
      },
      [&] {
        while (!tasks.empty() && !partners.over()) {
          std::uint32_t const task = tasks.back();
          tasks.pop_back();
          if (!run(task)) {
            return false;
          }
        }
        return true;
      },
      [&] { partners.rest(); });
}

}  // namespace taper::vertex_cover::branch_and_reduce
