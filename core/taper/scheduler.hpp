// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/enum_names.hpp>

#include <array>

namespace taper {

/// How fork_join() runs its callables.
/// Used by: the options of matrix products, and tree search.
enum class Scheduler {
  serial,  ///< on the calling thread, in order
  tasks,   ///< as OpenMP tasks; needs a Kokkos::OpenMP instance
  pool,    ///< by the library's work-stealing ThreadPool, on the threads of any host instance
};

inline constexpr std::array schedulers{Scheduler::serial, Scheduler::tasks, Scheduler::pool};

constexpr auto enum_names(Scheduler) {
  return std::array{EnumName{"serial", Scheduler::serial}, EnumName{"tasks", Scheduler::tasks},
                    EnumName{"pool", Scheduler::pool}};
}

}  // namespace taper
