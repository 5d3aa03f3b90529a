// SPDX-License-Identifier: Apache-2.0
#include "plot.hpp"

#include "config_error.hpp"

#include <io/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace taper::app {
namespace {

/// Told apart by readers with any colour vision, and in grey by their lightness.
constexpr std::array<std::string_view, 10> palette{"#0b3c5d", "#d1495b", "#2a9d8f", "#e9a23b",
                                                   "#7a5195", "#4d9de0", "#8c564b", "#6b7a2b",
                                                   "#c77cba", "#555555"};

constexpr int panel_width = 430;
constexpr int head_height = 78;  // the title and the legend

struct Layout {
  int columns = 1;
  int rows = 1;
  int panel_height = 0;
  int width = 0;
  int height = 0;

  Layout(std::size_t panels, int panel_height_px) : panel_height(panel_height_px) {
    columns = panels == 4 ? 2 : static_cast<int>(std::clamp<std::size_t>(panels, 1, 3));
    rows = (static_cast<int>(panels) + columns - 1) / columns;
    width = std::max(columns * panel_width, 640);
    height = head_height + rows * panel_height;
  }

  /// gnuplot counts from the lower left corner, in fractions of the picture.
  std::string panel(std::size_t index) const {
    auto const column = static_cast<int>(index) % columns;
    auto const row = static_cast<int>(index) / columns;
    return fmt::format("set size {:.5f},{:.5f}\nset origin {:.5f},{:.5f}\n", 1.0 / columns,
                       double(panel_height) / height, double(column) / columns,
                       double(height - head_height - (row + 1) * panel_height) / height);
  }
};

std::string preamble(std::string const& title, Layout const& layout, int legend_rows) {
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
      gnuplot_string(title), 1 - 18.0 / layout.height, 1 - 50.0 / layout.height, legend_rows);
}

/// After the first panel: its legend and title stand for all.
constexpr std::string_view after_first_panel = "unset key\nunset label 1\n";

std::string panel_title(SummaryGroup const& group) {
  return fmt::format("{}, n = {}", group.workload, io::grouped(group.n));
}

struct Unit {
  double seconds;
  std::string_view name;
};

Unit unit_for(double seconds) {
  return seconds >= 1 ? Unit{1, "s"} : seconds >= 1e-3 ? Unit{1e-3, "ms"} : Unit{1e-6, "µs"};
}

std::vector<SummaryGroup const*> panels_at(std::span<SummaryGroup const> groups,
                                           std::optional<std::uint64_t> n) {
  std::vector<SummaryGroup const*> panels;
  for (auto const& group : groups) {
    if (n && group.n != *n) {
      continue;
    }
    auto const same = std::ranges::find(panels, group.workload, &SummaryGroup::workload);
    if (same == panels.end()) {
      panels.push_back(&group);
    } else if ((*same)->n < group.n) {
      *same = &group;
    }
  }
  return panels;
}

/// One panel of a scaling picture: times against a number.
struct Curves {
  struct Point {
    std::uint64_t x;
    SummaryGroup const* group;
  };
  std::string title;
  std::string_view axis;
  std::vector<Point> points;  ///< by x
};

/// The g of "random(g)", as WorkloadSpec::label() writes it.
std::optional<std::uint64_t> group_size(std::string_view workload) {
  constexpr std::string_view before = "random(";
  std::uint64_t size = 0;
  if (!workload.starts_with(before) ||
      std::from_chars(workload.data() + before.size(), workload.data() + workload.size(), size)
              .ec != std::errc{}) {
    return std::nullopt;
  }
  return size;
}

/// A panel for each workload, against n; and one for each n at which `random` has several group
/// sizes, against these. Workloads that such a panel shows whole get none of their own.
std::vector<Curves> curves(std::span<SummaryGroup const> groups) {
  std::map<std::uint64_t, std::vector<Curves::Point>> by_group_size;  // of each n
  std::map<std::string, std::size_t> sizes;                           // of each workload
  for (auto const& group : groups) {
    ++sizes[group.workload];
    if (auto const size = group_size(group.workload)) {
      by_group_size[group.n].push_back({*size, &group});
    }
  }
  std::erase_if(by_group_size, [](auto const& entry) { return entry.second.size() < 2; });

  std::vector<Curves> panels;
  for (auto const& group : groups) {
    auto const in_another = group_size(group.workload) && by_group_size.contains(group.n);
    if (in_another && sizes[group.workload] == 1) {
      continue;
    }
    auto panel = std::ranges::find(panels, group.workload, &Curves::title);
    if (panel == panels.end()) {
      panel = panels.insert(panel, {group.workload, "n", {}});
    }
    panel->points.push_back({group.n, &group});
  }
  for (auto& [n, points] : by_group_size) {
    panels.push_back(
        {fmt::format("random, n = {}", io::grouped(n)), "group size", std::move(points)});
  }
  for (auto& panel : panels) {
    std::ranges::sort(panel.points, {}, &Curves::Point::x);
  }
  return panels;
}

}  // namespace

std::string gnuplot_string(std::string_view text) {
  std::string result = "'";
  for (auto const c : text) {
    result += c == '\'' ? "''" : c == '\n' ? " " : std::string(1, c);
  }
  return result + "'";
}

Picture phases_picture(std::string const& title, std::span<SummaryGroup const> groups,
                       std::optional<std::uint64_t> n) {
  auto const panels = panels_at(groups, n);
  if (panels.empty()) {
    throw ConfigError(n ? fmt::format("the results hold nothing at n = {}", *n)
                        : "the results hold no case");
  }
  std::size_t most_engines = 0;
  std::size_t longest_name = 0;
  for (auto const* panel : panels) {
    most_engines = std::max(most_engines, panel->engines.size());
    for (auto const& engine : panel->engines) {
      longest_name = std::max(longest_name, engine.engine.size());
    }
  }
  Layout const layout(panels.size(), 92 + 30 * static_cast<int>(most_engines));
  auto script = preamble(title, layout, 1) +
                "set style fill solid 1.0 noborder\n"
                "set grid xtics back linetype 1 linecolor rgb '#e4e4e4'\n"
                "set ytics scale 0\nset xtics nomirror scale 0.5\n" +
                fmt::format("set lmargin {}\nset rmargin 2\nset tmargin 2.2\nset bmargin 3.4\n",
                            longest_name + 2);

  struct Phase {
    std::string_view name;
    std::string_view color;
    double PhaseSeconds::*seconds;
  };
  constexpr std::array<Phase, 4> phases{
      {{"precheck", "#e9a23b", &PhaseSeconds::precheck},
       {"initialisation", "#4d9de0", &PhaseSeconds::initialisation},
       {"execution", "#0b3c5d", &PhaseSeconds::execution},
       {"postprocessing", "#d1495b", &PhaseSeconds::postprocessing}}};
  for (std::size_t index = 0; index < panels.size(); ++index) {
    auto const& group = *panels[index];
    double longest = 0;
    for (auto const& engine : group.engines) {
      longest = std::max(longest, engine.phase_medians.total());
    }
    auto const unit = unit_for(longest);
    std::string data = fmt::format("$panel{} << EOD\n", index);
    std::string names;
    for (std::size_t row = 0; row < group.engines.size(); ++row) {
      auto const& engine = group.engines[row];
      names += fmt::format("{}{} {}", row == 0 ? "" : ", ", gnuplot_string(engine.engine), row);
      auto reached = 0.0;
      data += std::to_string(row);
      for (auto const& phase : phases) {
        reached += engine.phase_medians.*phase.seconds / unit.seconds;
        data += fmt::format(" {:.6g}", reached);
      }
      data += fmt::format(" \"{:.3g}\"\n", reached);
    }
    script += data + "EOD\n" + layout.panel(index);
    script += fmt::format("set title {}\nset xlabel 'time in {}' offset 0,0.4\n",
                          gnuplot_string(panel_title(group)), unit.name);
    script += fmt::format("set xrange [0:{:.6g}]\nset yrange [{}:-0.6]\nset ytics ({})\n",
                          longest / unit.seconds * 1.18 + 1e-12, double(group.engines.size()) - 0.4,
                          names);
    script += "plot ";
    for (std::size_t phase = 0; phase < phases.size(); ++phase) {
      auto const from = phase == 0 ? std::string("(0)") : fmt::format("{}", phase + 1);
      script += fmt::format("$panel{0} using {1}:1:{1}:{2}:($1-0.34):($1+0.34) with boxxyerror "
                            "linecolor rgb '{3}' title '{4}', \\\n",
                            index, from, phase + 2, phases[phase].color, phases[phase].name);
    }
    script += fmt::format(
        "$panel{} using 5:1:6 with labels left offset 0.6,0 textcolor rgb '#222222' notitle\n",
        index);
    if (index == 0) {
      script += after_first_panel;
    }
  }
  return {script + "unset multiplot\n", layout.width, layout.height};
}

Picture scaling_picture(std::string const& title, std::span<SummaryGroup const> groups) {
  auto const panels = curves(groups);
  if (panels.empty()) {
    throw ConfigError("the results hold no case");
  }
  std::vector<std::string> engines;
  for (auto const& group : groups) {
    for (auto const& engine : group.engines) {
      if (std::ranges::find(engines, engine.engine) == engines.end()) {
        engines.push_back(engine.engine);
      }
    }
  }
  Layout const layout(panels.size(), 320);
  auto script =
      preamble(title, layout, engines.size() > 5 ? 2 : 1) +
      "set logscale xy\n"
      "set format y '%.0s %cs'\nset format x '%.0s%c'\n"
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
      for (auto const& [x, group] : panel.points) {
        auto const* summary = group->find(engines[engine]);
        if (summary != nullptr && summary->median_seconds > 0) {
          data += fmt::format("{} {:.6g} {:.6g} {:.6g}\n", x, summary->median_seconds,
                              summary->min_seconds, summary->max_seconds);
        }
      }
      data += "EOD\n";
      auto const color = palette[engine % palette.size()];
      plots += fmt::format(
          "{0}$panel{1}_{2} using 1:2:3:4 with yerrorlines linecolor rgb '{3}' linewidth 2 "
          "pointtype {4} pointsize 0.7 title {5}",
          engine == 0 ? "plot " : ", \\\n", index, engine, color,
          std::array{7, 5, 9, 13, 11}[engine % 5], gnuplot_string(engines[engine]));
    }
    std::string ticks;
    for (auto const& point : panel.points) {
      ticks += fmt::format("{}{} {}", ticks.empty() ? "" : ", ",
                           gnuplot_string(io::grouped(point.x)), point.x);
    }
    script += data + layout.panel(index) +
              fmt::format("set title {}\nset xlabel {} offset 0,0.4\n", gnuplot_string(panel.title),
                          gnuplot_string(panel.axis));
    script += fmt::format("set xrange [{}:{}]\nset yrange [*:*]\nset xtics ({})\n",
                          double(panel.points.front().x) / 1.2, double(panel.points.back().x) * 1.2,
                          ticks);
    script += plots + "\n";
    if (index == 0) {
      script += after_first_panel;
    }
  }
  return {script + "unset multiplot\n", layout.width, layout.height};
}

}  // namespace taper::app
