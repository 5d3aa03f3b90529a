// SPDX-License-Identifier: Apache-2.0
#include "plot_bars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace taper::app {
namespace {

double length_of(Bar const& bar) {
  return std::accumulate(bar.parts.begin(), bar.parts.end(), 0.0);
}

/// The distance of marks on an axis from 0 to `end`: 1, 2 or 5 times a power of ten, at most six of
/// them, so that their numbers do not meet.
double mark_distance(double end) {
  double const least = end / 6;
  double const power = std::pow(10, std::floor(std::log10(least)));
  for (double const step : {1.0, 2.0, 5.0}) {
    if (step * power >= least) {
      return step * power;
    }
  }
  return 10 * power;
}

/// The panel's data: per bar its row, the end of each part, and the label.
std::string data_of(BarPanel const& panel) {
  std::string data;
  for (std::size_t row = 0; row < panel.bars.size(); ++row) {
    data += std::to_string(row);
    double end = 0;
    for (double const part : panel.bars[row].parts) {
      end += part;
      data += fmt::format(" {:.6g}", end);
    }
    data += fmt::format(" \"{}\"\n", panel.bars[row].label);
  }
  return data;
}

}  // namespace

Picture bars_picture(std::string const& title, std::span<BarPart const> parts,
                     std::span<BarPanel const> panels) {
  std::size_t most_bars = 0;
  std::size_t longest_name = 0;
  for (auto const& panel : panels) {
    most_bars = std::max(most_bars, panel.bars.size());
    for (auto const& bar : panel.bars) {
      longest_name = std::max(longest_name, bar.name.size());
    }
  }
  std::vector<std::string> legend;
  for (auto const& part : parts) {
    legend.emplace_back(part.name);
  }
  constexpr std::size_t usual_name = 24;  // characters that have room in a panel of usual width
  constexpr int name_character = 9;       // pixels of lmargin
  Layout layout(panels.size(), 92 + 30 * static_cast<int>(most_bars), title, legend,
                std::min(longest_name, usual_name) + 4);
  layout.width += layout.columns * name_character *
                  static_cast<int>(std::max(longest_name, usual_name) - usual_name);
  auto const head = "set style fill solid 1.0 noborder\n"
                    "set grid xtics back linetype 1 linecolor rgb '#e4e4e4'\n"
                    "set ytics scale 0\nset xtics nomirror scale 0.5\n" +
                    fmt::format("set lmargin {}\nset rmargin 2\nset tmargin 2.2\nset bmargin 3.4\n",
                                longest_name + 2);
  std::vector<std::string> scripts;
  for (std::size_t index = 0; index < panels.size(); ++index) {
    auto const& panel = panels[index];
    double longest = 0;
    std::string names;
    for (std::size_t row = 0; row < panel.bars.size(); ++row) {
      auto const& bar = panel.bars[row];
      longest = std::max(longest, length_of(bar));
      names += fmt::format("{}{} {}", row == 0 ? "" : ", ", gnuplot_string(bar.name), row);
    }
    auto& script =
        scripts.emplace_back(fmt::format("$panel{} << EOD\n{}EOD\n", index, data_of(panel)));
    script += layout.panel_title(panel.title) +
              fmt::format("set xlabel {} offset 0,0.4\n", gnuplot_string(panel.axis));
    // Space for the label behind the longest bar.
    bool const labels =
        std::ranges::any_of(panel.bars, [](auto const& bar) { return !bar.label.empty(); });
    double const end = longest * (labels ? 1.18 : 1) + 1e-12;
    script += fmt::format(
        "set xrange [0:{:.6g}]\nset xtics {:.6g}\nset yrange [{}:-0.6]\nset ytics ({})\n", end,
        mark_distance(end), double(panel.bars.size()) - 0.4, names);
    script += "plot ";
    for (std::size_t part = 0; part < parts.size(); ++part) {
      auto const from = part == 0 ? std::string("(0)") : fmt::format("{}", part + 1);
      script +=
          fmt::format("$panel{0} using {1}:1:{1}:{2}:($1-0.34):($1+0.34) with boxxyerror "
                      "linecolor rgb '{3}' title {4}, \\\n",
                      index, from, part + 2, parts[part].color, gnuplot_string(parts[part].name));
    }
    script += fmt::format(
        "$panel{} using {}:1:{} with labels left offset 0.6,0 textcolor rgb '#222222' notitle\n",
        index, parts.size() + 1, parts.size() + 2);
  }
  return layout.picture(head, scripts);
}

}  // namespace taper::app
