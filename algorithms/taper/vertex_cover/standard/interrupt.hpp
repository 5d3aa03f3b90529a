// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/options.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>

namespace taper::vertex_cover::standard {

/// The caller's limits: time, and the flag that he may raise. Once over, over for good.
class Interrupt {
  using Clock = std::chrono::steady_clock;

 public:
  explicit Interrupt(Options const& options)
      : stop_(options.stop), limited_(options.time_limit_s > 0) {
    if (limited_) {
      end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                std::chrono::duration<double>(options.time_limit_s));
    }
  }

  bool over() {
    over_ = over_ || (stop_ != nullptr && stop_->load(std::memory_order_relaxed)) ||
            (limited_ && Clock::now() >= end_);
    return over_;
  }

 private:
  std::atomic<bool> const* stop_;
  bool limited_;
  bool over_ = false;
  Clock::time_point end_{};
};

}  // namespace taper::vertex_cover::standard
