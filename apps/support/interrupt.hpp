// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <string_view>

namespace taper::app {

/// While an object exists, Ctrl-C and SIGTERM (which `timeout` sends) run `action`.
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

/// While an object exists, the first Ctrl-C or SIGTERM requests an early end; the second one kills
/// the process. The work polls requested() or flag(), and keeps the results that it has.
class Interrupt {
 public:
  /// `line`: printed on stderr at the request. A literal with its line feed.
  explicit Interrupt(std::string_view line = {}) : signals_(action(line)) {}

  static bool requested() { return requested_; }
  /// The flag itself, for library options such as Options::stop.
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

  static_assert(std::atomic<bool>::is_always_lock_free,
                "a signal handler may only use lock-free atomics");
  inline static std::atomic<bool> requested_ = false;
  inline static std::string_view line_;
  EndSignals signals_;
};

/// While an object exists, Ctrl-C or SIGTERM prints a line and ends the program with exit status 1.
/// For the time in which no result can be lost, such as reading input.
class EndAtInterrupt {
 public:
  /// `line`: a literal with its line feed.
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
