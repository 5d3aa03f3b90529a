// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/matmul/matrix.hpp>
#include <taper/matmul/options.hpp>
#include <taper/matmul/register_blocked.hpp>
#include <taper/matmul/team_tiled.hpp>
#include <taper/place.hpp>

namespace taper::matmul::device {

/// Launches C = alpha A B + beta C in device memory: by team_tiled, or by register_blocked for
/// every other engine.
///
/// Async: returns after the launch.
/// Used by: device::multiply(), streamed.hpp.
template <ExecutionSpace Exec, class T>
void launch(Engine engine, Exec const& where, T alpha, Matrix<T const> const& a,
            Matrix<T const> const& b, T beta, Matrix<T> const& c) {
  if (engine == Engine::team_tiled) {
    team_tiled(where, alpha, a, b, beta, c);
  } else {
    register_blocked(where, alpha, a, b, beta, c);
  }
}

}  // namespace taper::matmul::device
