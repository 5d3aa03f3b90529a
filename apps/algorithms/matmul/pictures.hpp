// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "case_results.hpp"
#include "matmul_results.hpp"
#include "picture.hpp"

namespace taper::app {

/// What a picture of matrix products shows of each engine against n, on logarithmic axes.
enum class Against {
  time,     ///< seconds
  speedup,  ///< times faster than the baseline at the same size
  gflops,   ///< operations of the definition a second
};

/// A panel for each type, a line for each engine. The x axis is the largest extent.
Picture matmul_lines_picture(Stored<MatmulCase> const& results, Against against);

/// A panel for each series of engines with several thresholds, and each type: thresholds against n,
/// a cell for each pair. Its number is the speedup over the slowest threshold at that n; the
/// fastest is yellow, the fastest that cuts up at all green, and where they are the same it is
/// green with a yellow frame. Above the black staircase nothing is cut up.
Picture thresholds_picture(Stored<MatmulCase> const& results);

}  // namespace taper::app
