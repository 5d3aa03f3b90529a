// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace taper::app {

/// A gnuplot program and what it draws on.
struct Picture {
  std::string script;
  int width = 0;  ///< pixels
  int height = 0;
};

/// Runs gnuplot on it and moves the result into place; .svg or .png by the extension.
/// Throws ConfigError where gnuplot is missing or fails.
void draw(Picture const& picture, std::filesystem::path const& output);

/// A gnuplot string: in single quotes, where only the quote itself means something.
std::string gnuplot_string(std::string_view text);

/// Told apart by readers with any colour vision, and in grey by their lightness.
inline constexpr std::array<std::string_view, 10> palette{
    "#0b3c5d", "#d1495b", "#2a9d8f", "#e9a23b", "#7a5195",
    "#4d9de0", "#8c564b", "#6b7a2b", "#c77cba", "#555555"};

/// Panels in a grid, under a title and a legend that stand for all.
struct Layout {
  int columns = 1;
  int rows = 1;
  int panel_height = 0;
  int width = 0;
  int height = 0;

  Layout(std::size_t panels, int panel_height_px);

  /// What a script begins with.
  std::string preamble(std::string const& title, int legend_rows) const;
  /// What a panel begins with.
  std::string panel(std::size_t index) const;
};

/// After the first panel: its legend and title stand for all.
inline constexpr std::string_view after_first_panel = "unset key\nunset label 1\n";

}  // namespace taper::app
