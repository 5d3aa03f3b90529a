// SPDX-License-Identifier: Apache-2.0
#include "plot_lines.hpp"

#include <io/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace taper::app {
namespace {

/// Range and ticks of the x axis: as many ticks as can be read.
std::string x_axis(Panel const& panel) {
  std::set<std::uint64_t> places;
  for (auto const& line : panel.lines) {
    for (auto const& point : line) {
      places.insert(point.x);
    }
  }
  if (places.empty()) {
    return {};
  }
  constexpr std::size_t readable = 10;
  auto const step = (places.size() + readable - 1) / readable;
  std::string ticks;
  std::size_t index = 0;
  for (auto const x : places) {
    if (index++ % step == 0) {
      ticks += fmt::format("{}{} {}", ticks.empty() ? "" : ", ", gnuplot_string(io::grouped(x)), x);
    }
  }
  auto const first = double(*places.begin());
  auto const last = double(*places.rbegin());
  auto const linear = first < last && last < 1.5 * first;
  auto const margin = 0.02 * (last - first);
  return fmt::format("{} logscale x\nset xrange [{}:{}]\nset yrange [*:*]\nset xtics ({})\n",
                     linear ? "unset" : "set", linear ? first - margin : first / 1.2,
                     linear ? last + margin : last * 1.2, ticks);
}

}  // namespace

Picture lines_picture(std::string const& title, std::span<std::string const> engines,
                      std::span<Panel const> panels, std::string_view unit) {
  Layout const layout(panels.size(), 320);
  auto script =
      layout.preamble(title, engines.size() > 5 ? 2 : 1) +
      fmt::format("set logscale xy\nset format y '%.0s %c{}'\n", unit) +
      "set format x '%.0s%c'\n"
      "set grid xtics ytics back linetype 1 linecolor rgb '#e4e4e4'\n"
      "set xtics nomirror scale 0.5\nset ytics nomirror scale 0.5\nset mxtics 1\nset mytics 1\n"
      "set bars 0.4\n"
      "set lmargin 10\nset rmargin 3\nset tmargin 2.2\nset bmargin 3.4\n";
  for (std::size_t index = 0; index < panels.size(); ++index) {
    auto const& panel = panels[index];
    std::string data;
    std::string plots;
    for (std::size_t engine = 0; engine < engines.size(); ++engine) {
      data += fmt::format("$panel{}_{} << EOD\n", index, engine);
      for (auto const& [x, y, low, high] : panel.lines[engine]) {
        data += fmt::format("{} {:.6g} {:.6g} {:.6g}\n", x, y, low, high);
      }
      data += "EOD\n";
      plots += fmt::format(
          "{0}$panel{1}_{2} using 1:2:3:4 with yerrorlines linecolor rgb '{3}' linewidth 2 "
          "pointtype {4} pointsize 0.7 title {5}",
          engine == 0 ? "plot " : ", \\\n", index, engine, palette[engine % palette.size()],
          std::array{7, 5, 9, 13, 11}[engine % 5], gnuplot_string(engines[engine]));
    }
    script += data + layout.panel(index) +
              fmt::format("set title {}\nset xlabel {} offset 0,0.4\n", gnuplot_string(panel.title),
                          gnuplot_string(panel.axis));
    script += x_axis(panel) + plots + "\n";
    if (index == 0) {
      script += after_first_panel;
    }
  }
  return {script + "unset multiplot\n", layout.width, layout.height};
}

}  // namespace taper::app
