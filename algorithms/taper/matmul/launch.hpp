// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/duo.hpp>
#include <taper/matmul/matrix.hpp>
#include <taper/matmul/options.hpp>
#include <taper/matmul/register_blocked.hpp>
#include <taper/matmul/team_tiled.hpp>

namespace taper::matmul::device {

/// Engines that multiply what is in a device's memory: team_tiled, and register_blocked for all
/// others.
///
/// Async: returns once it is launched.
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
