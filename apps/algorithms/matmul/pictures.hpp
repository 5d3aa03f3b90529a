// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "results.hpp"

#include <experiment/case_results.hpp>
#include <experiment/picture.hpp>

namespace taper::app {

/// The y axis of a picture of matrix products; the x axis is n.
enum class YAxis {
  time,     ///< seconds
  speedup,  ///< over the baseline at the same size
  gflops,   ///< 1e9 operations of the definition per second
};

/// A panel per type, a line per engine, logarithmic axes. n is the largest extent. Throws
/// ConfigError if there is no case.
Picture matmul_lines_picture(Stored<MatmulCase> const& results, YAxis y_axis);

/// A map of thresholds over n, with a panel per series of engines and type, and a cell per
/// threshold and n. Its number is the speedup over the slowest threshold at that n. The fastest
/// cell is yellow. The fastest cell that divides the matrices is green, with a yellow frame if it
/// is also the fastest. Above the black staircase no threshold divides. Throws ConfigError if no
/// engine has a threshold.
Picture thresholds_picture(Stored<MatmulCase> const& results);

}  // namespace taper::app
