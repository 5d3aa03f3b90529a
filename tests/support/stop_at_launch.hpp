// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <atomic>
#include <cstdint>

namespace taper::testing {

/// A stop flag that becomes true when a kernel is launched, number `launch` from 0. Counts the
/// kernels that are launched later. At most one object may exist at a time.
class StopAtLaunch {
 public:
  explicit StopAtLaunch(std::uint64_t launch)
      : left_(launch), previous_(Kokkos::Tools::Experimental::get_callbacks()) {
    active_ = this;
    namespace tools = Kokkos::Tools::Experimental;
    tools::set_begin_parallel_for_callback(count);
    tools::set_begin_parallel_reduce_callback(count);
    tools::set_begin_parallel_scan_callback(count);
  }
  ~StopAtLaunch() {
    Kokkos::Tools::Experimental::set_callbacks(previous_);
    active_ = nullptr;
  }
  StopAtLaunch(StopAtLaunch const&) = delete;
  StopAtLaunch& operator=(StopAtLaunch const&) = delete;

  std::atomic<bool> const* flag() const { return &flag_; }
  bool is_set() const { return flag_; }
  std::uint64_t launches_after() const { return launches_after_; }

 private:
  static void count(char const*, std::uint32_t, std::uint64_t*) { active_->launched(); }

  void launched() {
    if (flag_) {
      ++launches_after_;
    } else if (left_ == 0) {
      flag_ = true;
    } else {
      --left_;
    }
  }

  inline static StopAtLaunch* active_ = nullptr;  // for the callbacks, which are plain functions
  std::uint64_t left_;
  std::uint64_t launches_after_ = 0;
  std::atomic<bool> flag_ = false;
  Kokkos::Tools::Experimental::EventSet previous_;
};

}  // namespace taper::testing
