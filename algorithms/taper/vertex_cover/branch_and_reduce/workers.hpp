// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

namespace taper::vertex_cover::standard {

/// Who runs tasks that do not depend on each other: the caller alone, unless he brings others.
class Workers {
 public:
  /// Gets the number of a task, and of the worker that runs it, who runs one at a time.
  using Task = std::function<void(std::size_t task, std::uint32_t worker)>;
  using Each = std::function<void(std::size_t tasks, Task const& task)>;

  Workers() = default;
  /// `each` calls a task for each number below `tasks`, by workers below `count`, and returns when
  /// all have returned.
  Workers(std::uint32_t count, Each each) : count_(count), each_(std::move(each)) {}

  std::uint32_t count() const { return count_; }

  void each(std::size_t tasks, Task const& task) const {
    if (each_) {
      return each_(tasks, task);
    }
    for (std::size_t i = 0; i < tasks; ++i) {
      task(i, 0);
    }
  }

 private:
  std::uint32_t count_ = 1;
  Each each_;
};

}  // namespace taper::vertex_cover::standard
