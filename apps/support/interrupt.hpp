// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <string_view>

namespace taper::app {

/// While it lives, `action` is what Ctrl-C does, and SIGTERM, as `timeout` sends it.
class EndSignals {
 public:
  explicit EndSignals(struct sigaction const& action) {
    sigaction(SIGINT, &action, &displaced_interrupt_);
    sigaction(SIGTERM, &action, &displaced_terminate_);
  }
  ~EndSignals() {
    sigaction(SIGINT, &displaced_interrupt_, nullptr);
    sigaction(SIGTERM, &displaced_terminate_, nullptr);
  }
  EndSignals(EndSignals const&) = delete;
  EndSignals& operator=(EndSignals const&) = delete;

 private:
  struct sigaction displaced_interrupt_ {};
  struct sigaction displaced_terminate_ {};
};

/// While it lives, the first Ctrl-C (or SIGTERM) is a request to end soon with what there is; the
/// second one kills.
class Interrupt {
 public:
  /// `line` is a literal, with its line feed, told at the request.
  explicit Interrupt(std::string_view line = {}) : signals_(action(line)) {}

  static bool requested() { return requested_; }
  /// The request, for those that look at it themselves.
  static std::atomic<bool> const& flag() { return requested_; }

 private:
  static struct sigaction action(std::string_view line) {
    line_ = line;
    requested_ = false;
    struct sigaction action {};
    action.sa_handler = [](int) {
      requested_ = true;
      [[maybe_unused]] auto const written = write(STDERR_FILENO, line_.data(), line_.size());
    };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    return action;
  }

  static_assert(std::atomic<bool>::is_always_lock_free, "only such may a signal handler touch");
  inline static std::atomic<bool> requested_ = false;
  inline static std::string_view line_;
  EndSignals signals_;
};

/// While it lives, Ctrl-C or SIGTERM ends the program with a line and exit status 1: for as long as
/// nothing has been found that could be lost.
class EndAtInterrupt {
 public:
  /// `line` is a literal, with its line feed.
  explicit EndAtInterrupt(std::string_view line) : signals_(action(line)) {}

 private:
  static struct sigaction action(std::string_view line) {
    line_ = line;
    struct sigaction action {};
    action.sa_handler = [](int) {
      [[maybe_unused]] auto const written = write(STDERR_FILENO, line_.data(), line_.size());
      _exit(1);
    };
    return action;
  }

  inline static std::string_view line_;
  EndSignals signals_;
};

}  // namespace taper::app
