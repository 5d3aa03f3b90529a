// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "picture.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taper::app {

/// A value at x, and the range in which it lay.
struct Point {
  std::uint64_t x = 0;
  double y = 0;
  double low = 0;
  double high = 0;
};

/// Values against a number, a line for each engine. An engine's colour is its place, which is the
/// same in all panels; a line without points draws nothing.
struct Panel {
  std::string title;
  std::string axis;
  std::vector<std::vector<Point>> lines;  ///< each by x
  bool is_linear = false;                 ///< in x, however far it goes
};

/// Panels on logarithmic axes; x is linear also where it spans less than a factor of 1.5. `unit` is put
/// behind the values, as "s" or "x"; bars go from low to high.
Picture lines_picture(std::string const& title, std::span<std::string const> engines,
                      std::span<Panel const> panels, std::string_view unit);

}  // namespace taper::app
