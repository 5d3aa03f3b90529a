// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/matmul/options.hpp>
#include <taper/report.hpp>

#include <algorithm>
#include <cstdint>

namespace taper::matmul {

/// What a streamed product copied, and how well copies and kernels overlapped.
/// Used by: Report, and Timeline, which fills in the times.
///
/// Events on the device's clock measure the times. Each time is the length of a union of intervals:
/// two simultaneous copies in one direction count once.
struct Streaming {
  std::uint64_t streams = 0;  ///< execution space instances
  std::uint64_t tile_rows = 0;
  std::uint64_t tile_columns = 0;
  std::uint64_t tiles = 0;  ///< of C
  std::uint64_t bytes_to_device = 0;
  std::uint64_t bytes_to_host = 0;
  std::uint64_t device_bytes = 0;  ///< allocated for blocks and tiles
  double to_device_s = 0;          ///< while at least one copy to the device ran
  double to_host_s = 0;            ///< while at least one copy to the host ran
  double compute_s = 0;            ///< while at least one kernel ran
  double elapsed_s = 0;            ///< from the start of the first of them to the end of the last

  /// The share of the serial time, copies and kernels in turn, that overlapping saved; 0 if nothing
  /// was streamed.
  double overlap() const {
    double const apart = to_device_s + compute_s + to_host_s;
    return apart > 0 ? std::max(0.0, 1 - elapsed_s / apart) : 0;
  }
};

/// What a product or an addition did.
struct Report {
  Status status = Status::solved;     ///< stopped: Options::stop has ended a product early
  Engine engine = Engine::automatic;  ///< the engine that ran; never automatic
  /// 2 m n k for a product, m n for an addition. GFLOP/s count these operations of the definition,
  /// even if the engine does fewer.
  std::uint64_t operations = 0;
  std::uint64_t kernel_calls = 0;   ///< base cases, of host engines that read Options::kernel
  std::uint64_t levels = 0;         ///< of the recursion
  std::uint64_t scratch_bytes = 0;  ///< allocated beside the matrices, at the peak
  Streaming streaming = {};         ///< all 0 unless engine is streamed
};

}  // namespace taper::matmul
