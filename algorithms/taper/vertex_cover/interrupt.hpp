// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/options.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>

namespace taper::vertex_cover {

/// The caller's limits: time, and the flag that he may raise. Once over, over for good.
///
/// A limit of thirty years or more is none: it would not fit the clock's count.
class Interrupt {
  using Clock = std::chrono::steady_clock;

 public:
  explicit Interrupt(Options const& options) : stop_(options.stop) {
    if (options.time_limit_s > 0 && options.time_limit_s < 1e9) {
      deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                     std::chrono::duration<double>(options.time_limit_s));
    }
  }

  Clock::time_point deadline() const { return deadline_; }

  bool over() {
    over_ = over_ || (stop_ != nullptr && stop_->load(std::memory_order_relaxed)) ||
            (deadline_ != no_deadline && Clock::now() >= deadline_);
    return over_;
  }

  /// For tight loops: as over(), but looks at the clock only now and then, by the work reported,
  /// in entries or words read.
  bool over_after(std::uint64_t work) {
    work_ += work;
    if (work_ < next_look_) {
      return over_;
    }
    next_look_ = work_ + often;
    return over();
  }

  /// All that was reported.
  std::uint64_t work() const { return work_; }

 private:
  static constexpr std::uint64_t often = 1 << 18;
  static constexpr Clock::time_point no_deadline = Clock::time_point::max();

  std::atomic<bool> const* stop_;
  bool over_ = false;
  std::uint64_t work_ = 0;
  std::uint64_t next_look_ = often;
  Clock::time_point deadline_ = no_deadline;
};

}  // namespace taper::vertex_cover
