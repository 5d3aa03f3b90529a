// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "picture.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taper::app {

/// A value at x, and the range of its measurements.
struct Point {
  std::uint64_t x = 0;
  double y = 0;
  double low = 0;
  double high = 0;
};

/// One panel: values as functions of a number, a line per engine. An engine has the same index, and
/// so the same colour, in all panels. A line without points draws nothing.
struct Panel {
  /// Adds a point to the line of one of `engines`, by its x.
  void add(std::span<std::string const> engines, std::string_view engine, Point const& point);

  std::string title;
  std::string axis;
  std::vector<std::vector<Point>> lines;  ///< per engine; points by rising x
  bool is_linear = false;                 ///< whether the x axis is always linear
  std::optional<std::string> unit = {};   ///< of the y axis; none: that of the picture
};

/// Panels with logarithmic axes. The x axis is linear also if it spans less than a factor of 1.5.
/// `unit` follows the values of the y axis, such as "s" or "x". Error bars go from low to high.
Picture lines_picture(std::string const& title, std::span<std::string const> engines,
                      std::span<Panel const> panels, std::string_view unit);

}  // namespace taper::app
