// SPDX-License-Identifier: Apache-2.0
#include "picture.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace taper::app {
namespace {

constexpr int panel_width = 430;
constexpr int head_height = 78;  // the title and the legend

}  // namespace

std::string gnuplot_string(std::string_view text) {
  std::string result = "'";
  for (auto const c : text) {
    result += c == '\'' ? "''" : c == '\n' ? " " : std::string(1, c);
  }
  return result + "'";
}

Layout::Layout(std::size_t panels, int panel_height_px) : panel_height(panel_height_px) {
  columns = panels == 4 ? 2 : static_cast<int>(std::clamp<std::size_t>(panels, 1, 3));
  rows = (static_cast<int>(panels) + columns - 1) / columns;
  width = std::max(columns * panel_width, 640);
  height = head_height + rows * panel_height;
}

std::string Layout::preamble(std::string const& title, int legend_rows) const {
  return fmt::format(
      "set multiplot\n"
      "set encoding utf8\n"
      "set label 1 {} at screen 0.5,{:.5f} center font ',16' textcolor rgb '#222222'\n"
      "set key at screen 0.5,{:.5f} center center horizontal Left reverse maxrows {} samplen 1.6 "
      "width 1 "
      "textcolor rgb '#222222'\n"
      "set border 3 linecolor rgb '#888888'\n"
      "set tics textcolor rgb '#222222'\n"
      "set title offset 0,-0.4\n",
      gnuplot_string(title), 1 - 18.0 / height, 1 - 50.0 / height, legend_rows);
}

// gnuplot counts from the lower left corner, in fractions of the picture.
std::string Layout::panel(std::size_t index) const {
  auto const column = static_cast<int>(index) % columns;
  auto const row = static_cast<int>(index) / columns;
  return fmt::format("set size {:.5f},{:.5f}\nset origin {:.5f},{:.5f}\n", 1.0 / columns,
                     double(panel_height) / height, double(column) / columns,
                     double(height - head_height - (row + 1) * panel_height) / height);
}

}  // namespace taper::app
