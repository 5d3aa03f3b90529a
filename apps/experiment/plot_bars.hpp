// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "picture.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taper::app {

/// An entry of the legend: the name and the colour of a part that each bar has.
struct BarPart {
  std::string_view name;
  std::string_view color;
};

/// A horizontal bar of parts that follow one another, with a label behind it.
struct Bar {
  std::string name;
  std::vector<double> parts;  ///< lengths, in the unit of the panel's axis
  std::string label = {};
};

/// One panel: bars from top to bottom.
struct BarPanel {
  std::string title;
  std::string axis;
  std::vector<Bar> bars;
};

/// Panels of stacked bars with one legend. Each panel has its own linear axis from 0 on. Bars with
/// long names make the picture wider.
Picture bars_picture(std::string const& title, std::span<BarPart const> parts,
                     std::span<BarPanel const> panels);

}  // namespace taper::app
