// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace taper::app {

/// One line on stderr that says how far a long run is. Silent unless stderr is a terminal,
/// rewritten ten times a second at most, and gone when the run ends.
class Progress {
 public:
  explicit Progress(std::size_t total);
  ~Progress();
  Progress(Progress const&) = delete;
  Progress& operator=(Progress const&) = delete;

  /// `done` of the total are finished, and `what` is next.
  void show(std::size_t done, std::string_view what);
  /// Clears the line, so that something else can be printed.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  bool const on_terminal_;
  std::size_t const total_;
  Clock::time_point const begun_ = Clock::now();
  Clock::time_point last_shown_{};
  bool visible_ = false;
};

}  // namespace taper::app
