// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/matmul/options.hpp>

#include <algorithm>
#include <cstdint>

namespace taper::matmul {

/// What a streamed product copied, and how much of that was hidden, as events on the device's own
/// clock measured it. Times are unions: two copies in the same direction at once count once.
struct Streaming {
  std::uint64_t streams = 0;
  std::uint64_t tile_rows = 0;
  std::uint64_t tile_columns = 0;
  std::uint64_t tiles = 0;
  std::uint64_t bytes_to_device = 0;
  std::uint64_t bytes_to_host = 0;
  std::uint64_t device_bytes = 0;  ///< allocated for tiles
  double to_device_s = 0;          ///< during which something went to the device
  double to_host_s = 0;            ///< during which something came back
  double compute_s = 0;            ///< during which a kernel ran
  double elapsed_s = 0;            ///< from the first copy to the last

  /// Of the time that copies and kernels take one after the other, the share that was saved by
  /// doing them at once; 0 where nothing was streamed.
  double overlap() const {
    double const apart = to_device_s + compute_s + to_host_s;
    return apart > 0 ? std::max(0.0, 1 - elapsed_s / apart) : 0;
  }
};

/// What a run did.
struct Report {
  Engine engine = Engine::automatic;  ///< the one that multiplied; never automatic
  /// Floating-point operations of the definition, 2 m n k (m n of an addition): what GFLOP/s are
  /// counted in, whatever the engine saves.
  std::uint64_t operations = 0;
  std::uint64_t kernel_calls = 0;   ///< base cases of host engines that have a kernel
  std::uint64_t levels = 0;         ///< of the recursion above them
  std::uint64_t scratch_bytes = 0;  ///< allocated beside the matrices, at the peak
  Streaming streaming = {};
};

}  // namespace taper::matmul
