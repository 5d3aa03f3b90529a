// SPDX-License-Identifier: Apache-2.0
#pragma once

// GPU engines. Used by: multiply() in matmul.hpp.

// Algorithm 7: tiles in team scratch, one entry of C per thread.
#include <taper/matmul/team_tiled.hpp>
// The same, with a block of C in the registers of each thread.
#include <taper/matmul/register_blocked.hpp>
// Launches the one of the two that the options name.
#include <taper/matmul/launch.hpp>
// Algorithm 8, for matrices in host memory: copies through page-locked buffers, the partition, the
// product, its times, and direct copies.
#include <taper/matmul/copy_rows.hpp>
#include <taper/matmul/staging_ring.hpp>
#include <taper/matmul/stream_plan.hpp>
#include <taper/matmul/streamed.hpp>
#include <taper/matmul/timeline.hpp>

#include <taper/error.hpp>
#include <taper/matmul/matrix.hpp>
#include <taper/matmul/options.hpp>
#include <taper/matmul/report.hpp>
#include <taper/place.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace taper::matmul::device {

/// C = alpha A B + beta C in memory that `where` reaches. C has contiguous rows, or neither
/// contiguous rows nor contiguous columns. Engines: automatic (register_blocked), team_tiled,
/// register_blocked.
///
/// Async: returns with `where` fenced.
/// Throws: taper::Error for other engines.
template <class Exec, class T>
Report multiply(Exec const& where, T alpha, Matrix<T const> a, Matrix<T const> b, T beta,
                Matrix<T> c, Options const& options) {
  std::string const named =
      "taper::matmul::multiply: engine " + std::string(to_string(options.engine)) + " ";
  TAPER_REQUIRE(runs_on_gpu(options.engine),
                named + "runs on a host, and the place is " + Exec::name());
  TAPER_REQUIRE(options.engine != Engine::streamed,
                named + "needs matrices in host memory, and these are in memory of " +
                    Exec::name());
  if (alpha == 0 || a.columns == 0) {  // C = beta C; a NaN in alpha must not reach C
    alpha = 0;
    a = a.block(0, 0, a.rows, 0);
    b = b.block(0, 0, 0, b.columns);
  }
  launch(options.engine, where, alpha, a, b, beta, c);
  where.fence("taper::matmul::multiply: wait for C");
  return {.engine =
              options.engine == Engine::team_tiled ? Engine::team_tiled : Engine::register_blocked};
}

/// C = alpha A B + beta C with matrices in host memory, pageable or pinned, by stream_over().
/// Engines: automatic, streamed.
///
/// The host of a Duo copies what is not pinned; without a Duo the calling thread does. This is the
/// only function of the library that creates execution space instances: partition_space() splits
/// the device's into options.streams, which end on return. Callers with instances of their own use
/// stream_over().
/// Throws: taper::Error for other engines, and as stream_over().
template <Place P, class T>
Report stream(P const& place, T alpha, Matrix<T const> a, Matrix<T const> b, T beta, Matrix<T> c,
              Options const& options) {
  using Exec = DeviceOf<P>;
  TAPER_REQUIRE(options.engine == Engine::automatic || options.engine == Engine::streamed,
                "taper::matmul::multiply: engine " + std::string(to_string(options.engine)) +
                    (runs_on_gpu(options.engine)
                         ? " needs matrices in memory of " + std::string(Exec::name()) +
                               ", and these are in host memory; use engine streamed, which copies "
                               "them"
                         : " runs on a host, and the place is " + std::string(Exec::name())));
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
