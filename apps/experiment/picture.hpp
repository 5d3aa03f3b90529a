// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taper::app {

/// A gnuplot script and the size of its picture.
struct Picture {
  std::string script;
  int width = 0;  ///< pixels
  int height = 0;
};

/// Draws the picture with gnuplot, as .svg or .png by the extension of `output`.
/// Throws ConfigError if gnuplot is missing or fails.
void draw(Picture const& picture, std::filesystem::path const& output);

/// The same as the text of an SVG document. `name`: of the picture, for errors.
std::string draw_svg(Picture const& picture, std::string const& name);

/// A gnuplot string in single quotes, in which only the quote is special.
std::string gnuplot_string(std::string_view text);

/// Colours that readers with any colour vision can distinguish, and that differ in lightness, for
/// prints in grey.
inline constexpr std::array<std::string_view, 10> palette{
    "#0b3c5d", "#d1495b", "#2a9d8f", "#e9a23b", "#7a5195",
    "#4d9de0", "#8c564b", "#6b7a2b", "#c77cba", "#555555"};

/// A grid of panels below a head with the title and the legend of all panels. The height of the
/// head depends on its lines, so that title and legend never overlap.
struct Layout {
  int columns = 1;
  int rows = 1;
  int panel_height = 0;
  int width = 0;
  int height = 0;

  /// `legend`: the names of the lines or boxes; empty: no legend. The title may have line feeds.
  /// `margins`: the characters left and right of the first plot, as in gnuplot's lmargin and
  /// rmargin. gnuplot breaks the legend at the width of that plot.
  Layout(std::size_t panels, int panel_height_px, std::string const& title,
         std::span<std::string const> legend, std::size_t margins = 13);

  /// The picture: `head`, and the script of each panel.
  Picture picture(std::string_view head, std::span<std::string const> panels) const;
  /// The line of the script with a panel's title. A long title has smaller letters, so that it
  /// stays within its panel.
  std::string panel_title(std::string_view title) const;

 private:
  /// The script up to the first panel: title and legend.
  std::string preamble() const;
  /// The first lines of a panel.
  std::string panel(std::size_t index) const;

  std::vector<std::string> title_lines_;
  int legend_columns_ = 1;
  int legend_rows_ = 0;
  int head_height_ = 0;
};

}  // namespace taper::app
