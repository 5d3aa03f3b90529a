// SPDX-License-Identifier: Apache-2.0
#include "pictures.hpp"

#include <experiment/plot_lines.hpp>
#include <support/config_error.hpp>

#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace taper::app {
namespace {

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

/// One panel of a scaling picture: times as functions of a number.
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

/// A panel per workload with n on the x axis. If `random` has several group sizes at one n, a panel
/// with the group size on the x axis; a workload with this single n then gets no panel of its own.
std::vector<Curves> curves(std::span<SummaryGroup const> groups) {
  std::map<std::uint64_t, std::vector<Curves::Point>> by_group_size;  // per n
  std::map<std::string, std::size_t> sizes;                           // per workload
  for (auto const& group : groups) {
    ++sizes[group.workload];
    if (auto const size = group_size(group.workload)) {
      by_group_size[group.n].push_back({*size, &group});
    }
  }
  std::erase_if(by_group_size, [](auto const& entry) { return entry.second.size() < 2; });

  std::vector<Curves> panels;
  for (auto const& group : groups) {
    auto const in_other_panel = group_size(group.workload) && by_group_size.contains(group.n);
    if (in_other_panel && sizes[group.workload] == 1) {
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

Picture phases_picture(std::string const& title, std::span<SummaryGroup const> groups,
                       std::optional<std::uint64_t> n) {
  auto const panels = panels_at(groups, n);
  if (panels.empty()) {
    throw ConfigError(n ? fmt::format("the results have no case with n = {}", *n)
                        : "the results have no case");
  }
  std::size_t most_engines = 0;
  std::size_t longest_name = 0;
  for (auto const* panel : panels) {
    most_engines = std::max(most_engines, panel->engines.size());
    for (auto const& engine : panel->engines) {
      longest_name = std::max(longest_name, engine.engine.size());
    }
  }
  struct Phase {
    std::string_view name;
    std::string_view color;
    double PhaseSeconds::*seconds;
  };
  std::vector<Phase> phases{{"precheck", "#e9a23b", &PhaseSeconds::precheck},
                            {"initialisation", "#4d9de0", &PhaseSeconds::initialisation},
                            {"execution", "#0b3c5d", &PhaseSeconds::execution},
                            {"postprocessing", "#d1495b", &PhaseSeconds::postprocessing}};
  if (std::ranges::any_of(panels, &SummaryGroup::copies)) {
    phases.insert(phases.begin(), {"copy", "#9a9a9a", &PhaseSeconds::copy});
  }
  std::vector<std::string> legend;
  for (auto const& phase : phases) {
    legend.emplace_back(phase.name);
  }
  Layout const layout(panels.size(), 92 + 30 * static_cast<int>(most_engines), title, legend);
  auto script = layout.preamble() +
                "set style fill solid 1.0 noborder\n"
                "set grid xtics back linetype 1 linecolor rgb '#e4e4e4'\n"
                "set ytics scale 0\nset xtics nomirror scale 0.5\n" +
                fmt::format("set lmargin {}\nset rmargin 2\nset tmargin 2.2\nset bmargin 3.4\n",
                            longest_name + 2);

  for (std::size_t index = 0; index < panels.size(); ++index) {
    auto const& group = *panels[index];
    double longest = 0;
    for (auto const& engine : group.engines) {
      longest = std::max(longest, engine.median_seconds);
    }
    auto const unit = unit_for(longest);
    std::string data = fmt::format("$panel{} << EOD\n", index);
    std::string names;
    for (std::size_t row = 0; row < group.engines.size(); ++row) {
      auto const& engine = group.engines[row];
      names += fmt::format("{}{} {}", row == 0 ? "" : ", ", gnuplot_string(engine.engine), row);
      // The bar's length is the median of whole solves. The medians of the phases, whose sum may
      // differ from it, divide the bar.
      auto const whole = engine.median_seconds / unit.seconds;
      auto const sum = engine.phase_medians.phases();
      auto end_of_phase = 0.0;
      data += std::to_string(row);
      for (auto const& phase : phases) {
        end_of_phase += sum > 0 ? engine.phase_medians.*phase.seconds / sum * whole : 0;
        data += fmt::format(" {:.6g}", end_of_phase);
      }
      data += fmt::format(" \"{:.3g}\"\n", whole);
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
        "$panel{} using {}:1:{} with labels left offset 0.6,0 textcolor rgb '#222222' notitle\n",
        index, phases.size() + 1, phases.size() + 2);
    if (index == 0) {
      script += after_first_panel;
    }
  }
  return {script + "unset multiplot\n", layout.width, layout.height};
}

Picture scaling_picture(std::string const& title, std::span<SummaryGroup const> groups) {
  std::vector<std::string> all_engines;
  for (auto const& group : groups) {
    std::ranges::transform(group.engines, std::back_inserter(all_engines), &Summary::engine);
  }
  auto const engines = distinct(all_engines, std::identity{});
  std::vector<Panel> panels;
  for (auto const& [name, axis, points] : curves(groups)) {
    auto& panel = panels.emplace_back(Panel{name, std::string(axis), {}});
    for (auto const& engine : engines) {
      auto& line = panel.lines.emplace_back();
      for (auto const& [x, group] : points) {
        auto const* summary = group->find(engine);
        if (summary != nullptr && summary->median_seconds > 0) {
          line.push_back({x, summary->median_seconds, summary->min_seconds, summary->max_seconds});
        }
      }
    }
  }
  if (panels.empty()) {
    throw ConfigError("the results have no case");
  }
  return lines_picture(title, engines, panels, "s");
}

}  // namespace taper::app
