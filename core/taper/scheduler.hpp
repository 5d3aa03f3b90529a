// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace taper {

/// Who runs the callables of a fork_join().
enum class Scheduler {
  sequential,  ///< the caller, one after the other
  tasks,       ///< OpenMP tasks, on the threads of a Kokkos::OpenMP instance
  pool,        ///< the library's own work stealing, on the threads of any host instance
};

inline constexpr std::array schedulers{Scheduler::sequential, Scheduler::tasks, Scheduler::pool};

/// As YAML and the command line spell it.
constexpr std::string_view to_string(Scheduler scheduler) {
  switch (scheduler) {
  case Scheduler::sequential:
    return "sequential";
  case Scheduler::tasks:
    return "tasks";
  case Scheduler::pool:
    return "pool";
  }
  return "?";
}

constexpr std::optional<Scheduler> parse_scheduler(std::string_view text) {
  for (Scheduler const scheduler : schedulers) {
    if (to_string(scheduler) == text) {
      return scheduler;
    }
  }
  return std::nullopt;
}

}  // namespace taper
