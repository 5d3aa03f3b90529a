// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taper::support {

/// Measures the seconds in each Kokkos Tools region, by name, while this clock exists.
///
/// The library does not measure time. Its phases are labelled regions, fenced at their ends. A
/// profiler that was loaded before still sees them. Only one clock may exist at a time, and its
/// thread must push and pop all regions.
class PhaseClock {
 public:
  PhaseClock() : displaced_(Kokkos::Tools::Experimental::get_callbacks()) {
    active_ = this;
    Kokkos::Tools::Experimental::set_push_region_callback(&PhaseClock::pushed);
    Kokkos::Tools::Experimental::set_pop_region_callback(&PhaseClock::popped);
  }
  ~PhaseClock() {
    Kokkos::Tools::Experimental::set_push_region_callback(displaced_.push_region);
    Kokkos::Tools::Experimental::set_pop_region_callback(displaced_.pop_region);
    active_ = nullptr;
  }
  PhaseClock(PhaseClock const&) = delete;
  PhaseClock& operator=(PhaseClock const&) = delete;

  /// Total seconds in all regions of this name that have ended; 0 if there was none.
  double seconds(std::string_view region) const {
    auto const found = seconds_.find(region);
    return found == seconds_.end() ? 0.0 : found->second;
  }

  void reset() { seconds_.clear(); }

 private:
  using Clock = std::chrono::steady_clock;

  static void pushed(char const* name) {
    if (active_->displaced_.push_region != nullptr) {
      active_->displaced_.push_region(name);
    }
    active_->open_.emplace_back(name, Clock::now());
  }

  static void popped() {
    auto const now = Clock::now();
    if (!active_->open_.empty()) {  // otherwise it was pushed before this clock existed
      auto const& [name, begun] = active_->open_.back();
      active_->seconds_[name] += std::chrono::duration<double>(now - begun).count();
      active_->open_.pop_back();
    }
    if (active_->displaced_.pop_region != nullptr) {
      active_->displaced_.pop_region();
    }
  }

  inline static PhaseClock* active_ = nullptr;  // the callbacks are plain functions

  Kokkos::Tools::Experimental::EventSet displaced_;
  std::vector<std::pair<std::string, Clock::time_point>> open_;
  std::map<std::string, double, std::less<>> seconds_;
};

}  // namespace taper::support
