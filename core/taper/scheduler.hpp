// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/spelling.hpp>

#include <array>

namespace taper {

/// Who runs the callables of a fork_join().
enum class Scheduler {
  sequential,  ///< the caller, one after the other
  tasks,       ///< OpenMP tasks, on the threads of a Kokkos::OpenMP instance
  pool,        ///< the library's own work stealing, on the threads of any host instance
};

inline constexpr std::array schedulers{Scheduler::sequential, Scheduler::tasks, Scheduler::pool};

constexpr auto spellings(Scheduler) {
  return std::array{Spelling{"sequential", Scheduler::sequential},
                    Spelling{"tasks", Scheduler::tasks}, Spelling{"pool", Scheduler::pool}};
}

}  // namespace taper
