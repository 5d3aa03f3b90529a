// SPDX-License-Identifier: Apache-2.0
#include "plot_lines.hpp"

#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace taper::app {
namespace {

/// Range and ticks of an x axis of `width` pixels. It labels the first and the last value, and the
/// others that do not overlap a label.
std::string x_axis(Panel const& panel, double width) {
  std::set<std::uint64_t> places;
  for (auto const& line : panel.lines) {
    for (auto const& point : line) {
      places.insert(point.x);
    }
  }
  if (places.empty()) {
    return {};
  }
  auto const first = double(*places.begin());
  auto const last = double(*places.rbegin());
  auto const linear = first < last && (panel.is_linear || last < 1.5 * first);
  auto const begin = linear ? first - 0.02 * (last - first) : first / 1.2;
  auto const end = linear ? last + 0.02 * (last - first) : last * 1.2;

  struct Label {
    std::string text;
    double begin, end;  // pixels, including the gap between two labels
  };
  auto const label = [&](std::uint64_t x) {
    constexpr double pixels_per_character = 7;
    constexpr double gap = 8;
    auto const at = width * (linear ? (double(x) - begin) / (end - begin)
                                    : std::log(double(x) / begin) / std::log(end / begin));
    auto const text = io::grouped(x);
    auto const half = (double(text.size()) * pixels_per_character + gap) / 2;
    return Label{fmt::format("{} {}", gnuplot_string(text), x), at - half, at + half};
  };
  auto const last_label = label(*places.rbegin());
  std::string ticks;
  double taken = -width;
  for (auto const x : places) {
    auto const here = label(x);
    bool const is_end = x == *places.begin() || x == *places.rbegin();
    if (is_end || (here.begin >= taken && here.end <= last_label.begin)) {
      ticks += (ticks.empty() ? "" : ", ") + here.text;
      taken = here.end;
    }
  }
  return fmt::format("{} logscale x\nset xrange [{}:{}]\nset yrange [*:*]\nset xtics ({})\n",
                     linear ? "unset" : "set", begin, end, ticks);
}

/// The labels of the y axis: factors as they are, other values with the prefixes of the SI.
std::string y_format(std::string_view unit) {
  return fmt::format("set format y '{}{}'\n", unit == "x" ? "%g " : "%.0s %c", unit);
}

}  // namespace

void Panel::add(std::span<std::string const> engines, std::string_view engine, Point const& point) {
  lines.resize(engines.size());
  auto& line =
      lines[static_cast<std::size_t>(std::ranges::find(engines, engine) - engines.begin())];
  line.insert(std::ranges::upper_bound(line, point.x, {}, &Point::x), point);
}

Picture lines_picture(std::string const& title, std::span<std::string const> engines,
                      std::span<Panel const> panels, std::string_view unit) {
  Layout const layout(panels.size(), 320, title, engines);
  // Room for "100 Mnodes/s" left of the axis, in characters.
  auto const left_margin = std::max<std::size_t>(10, unit.size() + 6);
  constexpr double pixels_per_character = 7.3;
  double const margins = double(left_margin + 3) * pixels_per_character;
  double const plot_width = double(layout.width) / layout.columns - margins;
  auto const head =
      "set logscale xy\n"
      "set format x '%.0s%c'\n"
      "set grid xtics ytics back linetype 1 linecolor rgb '#e4e4e4'\n"
      "set xtics nomirror scale 0.5\nset ytics nomirror scale 0.5\nset mxtics 1\nset mytics 1\n"
      "set bars 0.4\n"
      "set rmargin 3\nset tmargin 2.2\nset bmargin 3.4\n" +
      fmt::format("set lmargin {}\n", left_margin);
  std::vector<std::string> scripts;
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
          "pointtype {4} pointsize 0.7{6} title {5}",
          engine == 0 ? "plot " : ", \\\n", index, engine, palette[engine % palette.size()],
          std::array{7, 5, 9, 13, 11}[engine % 5], gnuplot_string(engines[engine]),
          engine < palette.size() ? "" : " dashtype 2");  // the colours and points repeat
    }
    scripts.push_back(data + layout.panel_title(panel.title) +
                      fmt::format("set xlabel {} offset 0,0.4\n", gnuplot_string(panel.axis)) +
                      y_format(panel.unit.value_or(std::string(unit))) + x_axis(panel, plot_width) +
                      plots + "\n");
  }
  return layout.picture(head, scripts);
}

}  // namespace taper::app
