// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

namespace taper::app {

/// One line on stderr about a long run. It appears only if stderr is a terminal, is rewritten at
/// most ten times per second, and disappears with clear() or the destructor.
class StatusLine {
 public:
  StatusLine();
  ~StatusLine();
  StatusLine(StatusLine const&) = delete;
  StatusLine& operator=(StatusLine const&) = delete;

  bool on_terminal() const { return on_terminal_; }
  /// Whether show() would print now.
  bool due() const;
  void show(std::string line);
  /// Removes the line before other output.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  bool const on_terminal_;
  Clock::time_point last_shown_{};
  bool visible_ = false;
};

/// Minutes and seconds, or hours, minutes and seconds: "0:07", "1:02:03".
std::string clock_text(double seconds);

}  // namespace taper::app
