// SPDX-License-Identifier: Apache-2.0
#pragma once

// Algorithm 7: tiles in team scratch, an entry of C a thread.
#include <taper/matmul/team_tiled.hpp>
// The same with a block of C in each thread's registers.
#include <taper/matmul/register_blocked.hpp>
// One of the two, by an option.
#include <taper/matmul/launch.hpp>
// Algorithm 8: matrices in host memory. What is copied when, how, and how long that took.
#include <taper/matmul/staging.hpp>
#include <taper/matmul/stream_plan.hpp>
#include <taper/matmul/streamed.hpp>
#include <taper/matmul/timeline.hpp>
#include <taper/matmul/transfer.hpp>

#include <taper/contract.hpp>
#include <taper/duo.hpp>
#include <taper/matmul/matrix.hpp>
#include <taper/matmul/options.hpp>
#include <taper/matmul/report.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace taper::matmul::device {

/// C = alpha A B + beta C in memory that `where` reaches; C has contiguous rows, or neither rows
/// nor columns are. Engines: automatic, team_tiled, register_blocked.
///
/// Async: returns with `where` fenced.
template <class Exec, class T>
Report multiply(Exec const& where, T alpha, Matrix<T const> a, Matrix<T const> b, T beta,
                Matrix<T> c, Options const& options) {
  std::string const named =
      "taper::matmul::multiply: engine " + std::string(to_string(options.engine)) + " ";
  TAPER_REQUIRE(runs_on_gpu(options.engine),
                named + "is a host's, and the place is " + Exec::name());
  TAPER_REQUIRE(options.engine != Engine::streamed,
                named + "is for matrices in host memory, and these are where " + Exec::name() +
                    " has its own");
  if (alpha == 0 || a.columns == 0) {  // beta C is left, and alpha is not to meet the empty sum
    alpha = 0;
    a = a.block(0, 0, a.rows, 0);
    b = b.block(0, 0, 0, b.columns);
  }
  launch(options.engine, where, alpha, a, b, beta, c);
  where.fence("taper::matmul::multiply: C is complete");
  return {.engine =
              options.engine == Engine::team_tiled ? Engine::team_tiled : Engine::register_blocked};
}

/// The same with matrices in host memory, pageable or pinned, by stream_over(). Engines: automatic,
/// streamed. A Duo's host helps to copy what is not pinned; else the calling thread does it alone.
///
/// The one place where the library makes instances: Kokkos' own partition_space() splits the device
/// side's into options.streams, and they are gone on return. Who has instances calls stream_over().
template <Place P, class T>
Report stream(P const& place, T alpha, Matrix<T const> a, Matrix<T const> b, T beta, Matrix<T> c,
              Options const& options) {
  using Exec = DeviceOf<P>;
  TAPER_REQUIRE(options.engine == Engine::automatic || options.engine == Engine::streamed,
                "taper::matmul::multiply: engine " + std::string(to_string(options.engine)) +
                    (runs_on_gpu(options.engine)
                         ? " needs matrices in memory of " + std::string(Exec::name()) +
                               ", and these are in host memory: engine streamed copies them"
                         : " is a host's, and the place is " + std::string(Exec::name())));
  std::vector<Exec> const instances = Kokkos::Experimental::partition_space(
      device_of(place), std::vector<int>(static_cast<std::size_t>(options.streams), 1));
  std::span<Exec const> const where(instances);
  if constexpr (AnyDuo<P>) {
    return stream_over(where, place.host, alpha, a, b, beta, c, options);
  } else {
    return stream_over(where, CallingThread{}, alpha, a, b, beta, c, options);
  }
}

}  // namespace taper::matmul::device
