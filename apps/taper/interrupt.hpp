// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <string_view>

namespace taper::app {

/// While it lives, the first Ctrl-C (or SIGTERM, as `timeout` sends it) is a request to end soon
/// with what there is; the second one kills.
class Interrupt {
 public:
  Interrupt() {
    struct sigaction action {};
    action.sa_handler = [](int) { requested_ = true; };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, &displaced_interrupt_);
    sigaction(SIGTERM, &action, &displaced_terminate_);
  }
  ~Interrupt() {
    sigaction(SIGINT, &displaced_interrupt_, nullptr);
    sigaction(SIGTERM, &displaced_terminate_, nullptr);
  }
  Interrupt(Interrupt const&) = delete;
  Interrupt& operator=(Interrupt const&) = delete;

  static bool requested() { return requested_; }
  /// The request, for those that look at it themselves.
  static std::atomic<bool> const& flag() { return requested_; }

 private:
  static_assert(std::atomic<bool>::is_always_lock_free, "only such may a signal handler touch");
  inline static std::atomic<bool> requested_ = false;
  struct sigaction displaced_interrupt_ {};
  struct sigaction displaced_terminate_ {};
};

/// While it lives, Ctrl-C or SIGTERM ends the program with a line and exit status 1: for as long as
/// nothing has been found that could be lost.
class EndAtInterrupt {
 public:
  /// `line` is a literal, with its line feed.
  explicit EndAtInterrupt(std::string_view line) {
    line_ = line;
    struct sigaction action {};
    action.sa_handler = [](int) {
      [[maybe_unused]] auto const written = write(STDERR_FILENO, line_.data(), line_.size());
      _exit(1);
    };
    sigaction(SIGINT, &action, &displaced_interrupt_);
    sigaction(SIGTERM, &action, &displaced_terminate_);
  }
  ~EndAtInterrupt() {
    sigaction(SIGINT, &displaced_interrupt_, nullptr);
    sigaction(SIGTERM, &displaced_terminate_, nullptr);
  }
  EndAtInterrupt(EndAtInterrupt const&) = delete;
  EndAtInterrupt& operator=(EndAtInterrupt const&) = delete;

 private:
  inline static std::string_view line_;
  struct sigaction displaced_interrupt_ {};
  struct sigaction displaced_terminate_ {};
};

}  // namespace taper::app
