// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

namespace taper::vertex_cover::branch_and_reduce {

/// Runs independent tasks: on the calling thread, or on the workers that the caller provides.
///
/// It hides the execution space, so that branch and reduce needs no Kokkos.
/// Used by: MaxClique. host_workers() of solve_views.hpp makes one from a place.
class Workers {
 public:
  /// Called with the numbers of the task and of its worker. A worker runs one task at a time.
  using Task = std::function<void(std::size_t task, std::uint32_t worker)>;
  using ForEachTask = std::function<void(std::size_t tasks, Task const& task)>;

  Workers() = default;
  /// `run` calls `task` for each number below `tasks`, with workers below `count`, and returns when
  /// all calls have returned.
  Workers(std::uint32_t count, ForEachTask run) : count_(count), for_each_task_(std::move(run)) {}

  std::uint32_t count() const { return count_; }

  void for_each_task(std::size_t tasks, Task const& task) const {
    if (for_each_task_) {
      return for_each_task_(tasks, task);
    }
    for (std::size_t i = 0; i < tasks; ++i) {
      task(i, 0);
    }
  }

 private:
  std::uint32_t count_ = 1;
  ForEachTask for_each_task_;
};

}  // namespace taper::vertex_cover::branch_and_reduce
