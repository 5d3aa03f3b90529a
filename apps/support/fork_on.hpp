// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spaces.hpp"

#include <taper/backend.hpp>
#include <taper/fork_join.hpp>

#include <functional>
#include <string_view>
#include <type_traits>

namespace taper::app {

/// Calls root(fork) on `threads` threads of a host backend; 0: all. Used by: sources named
/// *_kokkos.cpp.
inline void fork_on(std::string_view backend, int threads, std::function<void(Fork&)> const& root) {
  with_backend(backend, [&]<class Space>(std::type_identity<Space>) {
    if constexpr (is_host_space<Space>) {
      auto const where = with_threads<Space>(threads);
      fork_join(where, concurrency(where) > 1 ? Scheduler::pool : Scheduler::serial, root);
    }
  });
}

}  // namespace taper::app
