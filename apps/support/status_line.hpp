// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

namespace taper::app {

/// One line on stderr about a long run. Silent unless stderr is a terminal, rewritten ten times a
/// second at most, and gone when it is cleared or destroyed.
class StatusLine {
 public:
  StatusLine();
  ~StatusLine();
  StatusLine(StatusLine const&) = delete;
  StatusLine& operator=(StatusLine const&) = delete;

  bool on_terminal() const { return on_terminal_; }
  /// Whether show() would do anything now.
  bool due() const;
  void show(std::string line);
  /// So that something else can be printed.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  bool const on_terminal_;
  Clock::time_point last_shown_{};
  bool visible_ = false;
};

/// "0:07", "1:02:03".
std::string clock_text(double seconds);

}  // namespace taper::app
