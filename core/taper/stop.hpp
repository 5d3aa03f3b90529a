// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/report.hpp>

#include <atomic>

// How a caller ends a run early: the option `stop` of front doors. Needs no Kokkos.
// Used by: stable marriage, hospitals/residents, roommates, rotations, and matrix products.

namespace taper {

/// What ends a run between two of its pieces of work. The front door catches it and reports
/// Status::stopped, so that callers never see it.
struct Stopped {};

/// A flag that another thread sets to true to end a run; null: none. Once true, it stays true until
/// the run has ended. Relaxed: the race is benign, since the flag orders no other data.
struct StopFlag {
  std::atomic<bool> const* flag = nullptr;

  bool is_set() const { return flag != nullptr && flag->load(std::memory_order_relaxed); }
  /// Throws: Stopped if the flag is set.
  void check() const {
    if (is_set()) {
      throw Stopped{};
    }
  }
};

/// The report that run() returns; or, if run() throws Stopped, one whose status says so.
template <class Run>
auto unless_stopped(Run const& run) -> decltype(run()) {
  try {
    return run();
  } catch (Stopped const&) {
    decltype(run()) report;
    report.status = Status::stopped;
    return report;
  }
}

}  // namespace taper
