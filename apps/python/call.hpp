// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

// How calls from Python run. The interpreter's lock (GIL) is free while a solver works, and signals
// such as Ctrl-C reach Python meanwhile.

namespace taper::python {

/// Starts Kokkos unless this module or another one of the process has started it. Requires the GIL.
/// Throws: ConfigError if Kokkos has ended, or if it was started before a fork.
void start();

/// The same with a number of threads of the host backend, and a device; a negative number: not
/// given. Throws: ConfigError also if Kokkos runs already.
void start(int threads, int device);

/// Whether Kokkos runs, as far as this module knows.
bool has_started();

/// Throws ConfigError if `backend` cannot run on `threads` of its threads; 0: all. Requires
///   start().
void require_threads(std::string_view backend, int threads);

/// Waits for calls that Python has left, then ends Kokkos if this module has started it.
/// Used by: Python's atexit.
void finish();

/// How to run a piece of work.
struct CallOptions {
  bool uses_kokkos = true;  ///< calls that use Kokkos run one at a time
  /// About the number of elementary steps. If they take less than a few milliseconds, the calling
  /// thread does the work itself, and signals wait.
  double steps = 0;
  /// Asks the work to return early. Empty: it cannot be stopped. After Ctrl-C, work that does not
  /// end soon goes on in the background, and its result is dropped.
  std::function<void()> stop = {};
  /// If not empty: called four times per second during the work, with the GIL.
  std::function<void()> tick = {};
};

/// The library's options with this flag as their `stop`.
template <class Options>
Options with_stop(Options options, std::atomic<bool> const& stop) {
  options.stop = &stop;
  return options;
}

/// Runs `work` without the GIL. If Python's signal handlers raise an exception meanwhile, or `tick`
/// does, throws it within 0.2 s.
///
/// `work` may outlive the call. So it owns all that it uses, also the flag that `stop` sets, and
/// must not touch Python objects. Requires the GIL. Throws what `work` throws.
void run(CallOptions const& options, std::function<void()> work);

/// The same for a result: `work` returns it.
template <class Work>
auto call(CallOptions const& options, Work work) {
  auto const result = std::make_shared<decltype(work())>();
  run(options, [result, work = std::move(work)] { *result = work(); });
  return std::move(*result);
}

/// The same for work(stop) that ends early if the flag `stop` becomes true: an option of that name.
/// Its result is then dropped.
template <class Work>
auto call_until_stopped(CallOptions options, Work work) {
  auto const stop = std::make_shared<std::atomic<bool>>(false);
  options.stop = [stop] { *stop = true; };
  return call(options, [stop, work = std::move(work)] { return work(std::as_const(*stop)); });
}

}  // namespace taper::python
