// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "status_line.hpp"

#include <chrono>
#include <cstddef>
#include <string_view>

namespace taper::app {

/// A StatusLine for a run over many cases: a bar, the time so far and an estimate of the time left.
class Progress {
 public:
  explicit Progress(std::size_t total) : total_(total) {}

  /// `done` of the total are finished, and `what` is next.
  void show(std::size_t done, std::string_view what);
  /// Clears the line before other output.
  void clear() { line_.clear(); }

 private:
  using Clock = std::chrono::steady_clock;

  std::size_t const total_;
  Clock::time_point const begun_ = Clock::now();
  StatusLine line_;
};

}  // namespace taper::app
