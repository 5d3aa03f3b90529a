// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/interrupt.hpp>

#include <atomic>

namespace taper::testing {

/// An interrupt without limits: it never stops anything.
inline vertex_cover::Interrupt never{vertex_cover::Options{}};

/// A run that is stopped before it starts. Its interrupt has not yet read the flag.
struct Stopped {
  std::atomic<bool> const stop{true};
  vertex_cover::Options const options = [this] {
    vertex_cover::Options stopped;
    stopped.stop = &stop;
    return stopped;
  }();
  vertex_cover::Interrupt interrupt{options};
};

}  // namespace taper::testing
