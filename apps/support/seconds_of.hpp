// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace taper::app {

/// The seconds that work() takes, by the steady clock.
template <class Work>
double seconds_of(Work&& work) {
  auto const begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace taper::app
