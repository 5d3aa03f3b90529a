// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/options.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

namespace taper::vertex_cover {

/// The caller's limits: Options::time_limit_s and Options::stop. Once stopped, it stays stopped.
/// Processes that search together have a poll, which ends a piece of work.
///
/// A time limit of 1e9 s or more is none: it would not fit the clock's integer.
/// Used by: all modes, on the host. A copy is another thread's own counter with the same limits.
class Interrupt {
  using Clock = std::chrono::steady_clock;

 public:
  explicit Interrupt(Options const& options) : stop_(options.stop) {
    if (options.time_limit_s > 0 && options.time_limit_s < 1e9) {
      deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                     std::chrono::duration<double>(options.time_limit_s));
    }
  }

  bool has_deadline() const { return deadline_ != no_deadline; }
  Clock::time_point deadline() const { return deadline_; }

  /// The same limits, with a third of the time: for what comes before a local search.
  static Interrupt of_a_third(Options options) {
    options.time_limit_s /= 3;
    return Interrupt(options);
  }

  /// Reads Options::stop and the clock. Relaxed: the race is benign, since the flag orders no other
  /// data; a late read costs a little more work.
  bool stopped() {
    stopped_ = stopped_ || (stop_ != nullptr && stop_->load(std::memory_order_relaxed)) ||
               (has_deadline() && Clock::now() >= deadline_);
    ended_ = ended_ || (poll_.call && poll_.call());
    return stopped_ || ended_;
  }

  /// For tight loops: adds `work`, in row entries or words read, and calls stopped() only once per
  /// check_interval units of work. Otherwise returns the result of the last check.
  bool stopped_after(std::uint64_t work) {
    work_ += work;
    if (work_ < next_check_) {
      return stopped_ || ended_;
    }
    next_check_ = work_ + check_interval;
    return stopped();
  }

  /// Each check calls `poll`. If it returns true, the present work ends, as by a limit, until
  /// resume(). No function: no longer. Copies do not have it, since other threads use them.
  void poll_with(std::function<bool()> poll) { poll_.call = std::move(poll); }
  void resume() { ended_ = false; }

  /// Whether the last check found that a limit is reached, or stop() was called.
  bool at_limit() const { return stopped_; }
  void stop() { stopped_ = true; }

  /// The sum of all work that was added.
  std::uint64_t work() const { return work_; }

 private:
  static constexpr std::uint64_t check_interval = 1 << 18;
  static constexpr Clock::time_point no_deadline = Clock::time_point::max();

  struct Poll {  // a copy of it is empty
    std::function<bool()> call;
    Poll() = default;
    Poll(Poll const&) {}
    Poll& operator=(Poll const&) { return *this; }
  };

  std::atomic<bool> const* stop_;
  bool stopped_ = false;
  bool ended_ = false;  ///< poll_ has returned true since resume()
  Poll poll_;
  std::uint64_t work_ = 0;
  std::uint64_t next_check_ = check_interval;
  Clock::time_point deadline_ = no_deadline;
};

}  // namespace taper::vertex_cover
