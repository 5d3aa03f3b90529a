// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <tuple>
#include <utility>

// Searches that Python watches and stops.

namespace taper::python {

/// What a search and the thread that waits for it share. The lambda of the work must capture the
/// pointer to it explicitly (`shared = shared`), even if it uses no member: the work may outlive
/// its call.
template <class Progress>
struct Shared {
  std::atomic<bool> stop = false;
  Progress progress;
};

/// For CallOptions::tick: calls callback(seconds, numbers...), where numbers(progress) is a tuple.
/// Empty if the callback is None.
template <class Progress, class Numbers>
std::function<void()> ticker(pybind11::object const& callback,
                             std::shared_ptr<Shared<Progress>> const& shared,
                             Numbers const& numbers) {
  using Clock = std::chrono::steady_clock;
  if (callback.is_none()) {
    return {};
  }
  return [callback, shared, numbers, begun = Clock::now()] {
    auto const seconds = std::chrono::duration<double>(Clock::now() - begun).count();
    std::apply([&](auto const&... values) { callback(seconds, values...); },
               numbers(shared->progress));
  };
}

}  // namespace taper::python
