// SPDX-License-Identifier: Apache-2.0
#include "picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>

namespace taper::app {
namespace {

constexpr int panel_width = 430;
constexpr int margin = 20;
// Sizes in pixels of gnuplot's fonts, rounded up.
constexpr double title_character = 9.2;
constexpr double legend_character = 7.4;
constexpr double legend_sample = 52;  // the line or box beside a name
constexpr int title_line = 24;
constexpr double margin_character = 8.5;  // of lmargin and rmargin
constexpr int legend_line = 18;
constexpr double panel_title_character = 6.4;
constexpr int panel_title_font = 12;
constexpr double panel_title_margins = 65;  // a title is centred on the plot, not on its panel

/// The text in lines of at most `max_characters`, broken at spaces.
std::vector<std::string> wrapped(std::string const& text, std::size_t max_characters) {
  std::vector<std::string> lines;
  std::istringstream paragraphs(text);
  for (std::string paragraph; std::getline(paragraphs, paragraph);) {
    std::istringstream words(paragraph);
    std::string line;
    for (std::string word; words >> word;) {
      if (!line.empty() && line.size() + 1 + word.size() > max_characters) {
        lines.push_back(std::exchange(line, {}));
      }
      line += (line.empty() ? "" : " ") + word;
    }
    lines.push_back(line);
  }
  return lines;
}

}  // namespace

std::string gnuplot_string(std::string_view text) {
  std::string result = "'";
  for (auto const c : text) {
    result += c == '\'' ? "''" : c == '\n' ? " " : std::string(1, c);
  }
  return result + "'";
}

Layout::Layout(std::size_t panels, int panel_height_px, std::string const& title,
               std::span<std::string const> legend, std::size_t margins)
    : panel_height(panel_height_px) {
  columns = panels == 4 ? 2 : static_cast<int>(std::clamp<std::size_t>(panels, 1, 3));
  rows = (static_cast<int>(panels) + columns - 1) / columns;
  width = std::max(columns * panel_width, 640);
  auto const room = static_cast<double>(width - 2 * margin);
  title_lines_ = wrapped(title, static_cast<std::size_t>(room / title_character));
  if (!legend.empty()) {
    auto const first_plot =
        static_cast<double>(width) / columns - margin_character * static_cast<double>(margins);
    auto const longest = std::ranges::max(legend, {}, &std::string::size).size();
    auto const entry = static_cast<double>(longest) * legend_character + legend_sample;
    auto const entries = static_cast<int>(legend.size());
    auto const fit = std::clamp(static_cast<int>(first_plot / entry), 1, entries);
    legend_rows_ = (entries + fit - 1) / fit;
    legend_columns_ = (entries + legend_rows_ - 1) / legend_rows_;  // rows of equal length
  }
  head_height_ =
      10 + title_line * static_cast<int>(title_lines_.size()) + legend_line * legend_rows_ + 10;
  height = head_height_ + rows * panel_height;
}

Picture Layout::picture(std::string_view head, std::span<std::string const> panels) const {
  auto script = preamble().append(head);
  for (std::size_t index = 0; index < panels.size(); ++index) {
    script += panel(index) + panels[index];
    if (index == 0) {  // the others have no legend and no title of the picture
      script += "unset key\nunset label\n";
    }
  }
  return {script + "unset multiplot\n", width, height};
}

std::string Layout::preamble() const {
  // Title and legend begin at the left: a narrow screen shows that part of a picture.
  std::string script = "set multiplot\nset encoding utf8\n";
  auto const left = double(margin) / width;
  for (std::size_t line = 0; line < title_lines_.size(); ++line) {
    auto const y = 10 + title_line * (static_cast<double>(line) + 0.5);
    script += fmt::format(
        "set label {} {} at screen {:.5f},{:.5f} left font ',{}' textcolor rgb '#222222'\n",
        line + 1, gnuplot_string(title_lines_[line]), left, 1 - y / height, line == 0 ? 16 : 14);
  }
  if (legend_rows_ == 0) {
    script += "unset key\n";
  } else {
    auto const y = 10 + title_line * static_cast<double>(title_lines_.size()) +
                   legend_line * legend_rows_ / 2.0;
    script += fmt::format("set key at screen {:.5f},{:.5f} left center horizontal Left reverse "
                          "maxcols {} maxrows {} samplen 1.6 width 1 textcolor rgb '#222222'\n",
                          left, 1 - y / height, legend_columns_, legend_rows_);
  }
  return script + "set border 3 linecolor rgb '#888888'\n"
                  "set tics textcolor rgb '#222222'\n"
                  "set title offset 0,-0.4\n";
}

// gnuplot measures from the lower left corner, in fractions of the picture.
std::string Layout::panel(std::size_t index) const {
  auto const column = static_cast<int>(index) % columns;
  auto const row = static_cast<int>(index) / columns;
  return fmt::format("set size {:.5f},{:.5f}\nset origin {:.5f},{:.5f}\n", 1.0 / columns,
                     double(panel_height) / height, double(column) / columns,
                     double(height - head_height_ - (row + 1) * panel_height) / height);
}

std::string Layout::panel_title(std::string_view title) const {
  auto const room = static_cast<double>(width) / columns - panel_title_margins;
  auto const needed = static_cast<double>(title.size() + 1) * panel_title_character;
  auto const font = std::min(panel_title_font, static_cast<int>(panel_title_font * room / needed));
  // gnuplot keeps a font for the next title, so each title states its own.
  return fmt::format("set title {} font ',{}'\n", gnuplot_string(title), font);
}

}  // namespace taper::app
