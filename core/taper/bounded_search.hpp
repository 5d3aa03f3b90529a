// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/place.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <string>

/// Bounded search: a search of unknown length, run in launches of about a tenth of a second.
///
/// Each worker ends its launch after a quota of work, and stores its state. Between two launches
/// the host checks the clock and the caller's stop flag, and adapts the quota. So the search has a
/// time limit, and the caller can stop it.
///
/// Workers without work also end a launch if they see no heartbeat for a while. A device may hold
/// fewer teams than the launch has. A team with work then waits until another team ends, and idle
/// teams must not keep it waiting. The next launch continues from there.
///
/// Used by: tree search and the component search of vertex cover.
namespace taper {

/// The state that the workers of a launch share with the host.
///
/// stop: a reason to end the launch; 0 means to go on. The host resets it before each launch.
/// heartbeat: workers increase it while they make progress.
template <class T>
concept LaunchControl = requires(T& control) {
  { control.stop } -> std::same_as<std::uint32_t&>;
  { control.heartbeat } -> std::same_as<AtomicWord&>;
};

/// When a bounded search ends before it is finished.
struct SearchBounds {
  /// After this many successive launches without a heartbeat, the search counts as stalled. It
  /// would otherwise never end.
  std::uint64_t max_silent_launches = 1000;
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  std::atomic<bool> const* stop = nullptr;  ///< true: stop after the current launch
};

/// How a bounded search has ended.
enum class SearchEnd {
  finished,  ///< after_launch() returned true
  stopped,   ///< by the deadline or the stop flag
  stalled,   ///< by max_silent_launches
};

/// Adapts a worker's quota, so that a launch takes between 0.05 s and 0.2 s.
///
/// `quota_reached`: false if the launch has ended for another reason, such as a lack of work. A
/// short duration then does not show that the quota is small, and the quota does not grow.
inline std::uint64_t next_quota(std::uint64_t quota, std::uint64_t min_quota,
                                std::chrono::duration<double> duration, bool quota_reached) {
  if (duration.count() < 0.05 && quota_reached) {
    return quota * 2;
  }
  return duration.count() > 0.2 ? std::max(quota / 2, min_quota) : quota;
}

/// Launches the search's kernel until it is finished or its bounds end it.
///
/// Each round resets `control.stop`, copies `control` to `device_control`, calls launch(), copies
/// `device_control` back, and fences. Then it calls after_launch(duration), which returns true if
/// the search is finished. after_launch() may read and change `control`, adapt the quota, and move
/// the workers' stores.
///
/// Returns: of several reasons to end after the same launch, the first of finished, stalled,
///   stopped.
/// Requires: launch() starts work on `where` alone and does not wait for it. The search is not
///   finished before the first launch.
/// Cost: per launch, one fence and two copies of a Control.
/// Async: returns with `where` fenced.
template <ExecutionSpace Exec, LaunchControl Control, class MemorySpace, class Launch,
          class AfterLaunch>
SearchEnd run_bounded_search(Exec const& where, std::string const& label, Control& control,
                             Kokkos::View<Control, MemorySpace> const& device_control,
                             SearchBounds const& bounds, Launch const& launch,
                             AfterLaunch const& after_launch) {
  using Clock = std::chrono::steady_clock;
  Kokkos::View<Control, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const
      host_control(&control);
  AtomicWord last_heartbeat = control.heartbeat;
  for (std::uint64_t silent_launches = 0;;) {
    control.stop = 0;
    Kokkos::deep_copy(where, device_control, host_control);
    Clock::time_point const begin = Clock::now();
    launch();
    Kokkos::deep_copy(where, host_control, device_control);
    where.fence(label + ": wait for the end of a launch");
    Clock::time_point const end = Clock::now();
    if (after_launch(std::chrono::duration<double>(end - begin))) {
      return SearchEnd::finished;
    }
    silent_launches = control.heartbeat == last_heartbeat ? silent_launches + 1 : 0;
    last_heartbeat = control.heartbeat;
    if (silent_launches >= bounds.max_silent_launches) {
      return SearchEnd::stalled;
    }
    // relaxed: the flag carries no data.
    if (end >= bounds.deadline ||
        (bounds.stop != nullptr && bounds.stop->load(std::memory_order_relaxed))) {
      return SearchEnd::stopped;
    }
  }
}

}  // namespace taper
