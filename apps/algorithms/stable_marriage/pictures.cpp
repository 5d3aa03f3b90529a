// SPDX-License-Identifier: Apache-2.0
#include "pictures.hpp"

#include <experiment/plot_bars.hpp>
#include <experiment/plot_lines.hpp>
#include <support/config_error.hpp>

#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <algorithm>
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
  auto const selected = panels_at(groups, n);
  if (selected.empty()) {
    throw ConfigError(n ? fmt::format("the results have no case with n = {}", *n)
                        : "the results have no case");
  }
  struct Phase {
    BarPart part;
    double PhaseSeconds::*seconds;
  };
  std::vector<Phase> phases{{{"precheck", "#e9a23b"}, &PhaseSeconds::precheck},
                            {{"initialisation", "#4d9de0"}, &PhaseSeconds::initialisation},
                            {{"execution", "#0b3c5d"}, &PhaseSeconds::execution},
                            {{"postprocessing", "#d1495b"}, &PhaseSeconds::postprocessing}};
  if (std::ranges::any_of(selected, &SummaryGroup::copies)) {
    phases.insert(phases.begin(), {{"copy", "#9a9a9a"}, &PhaseSeconds::copy});
  }
  std::vector<BarPart> parts;
  std::ranges::transform(phases, std::back_inserter(parts), &Phase::part);

  std::vector<BarPanel> panels;
  for (auto const* group : selected) {
    double longest = 0;
    for (auto const& engine : group->engines) {
      longest = std::max(longest, engine.median_seconds);
    }
    auto const unit = unit_for(longest);
    BarPanel panel{panel_title(*group), fmt::format("time in {}", unit.name), {}};
    for (auto const& engine : group->engines) {
      // The bar's length is the median of whole solves. The medians of the phases, whose sum may
      // differ from it, divide the bar.
      auto const whole = engine.median_seconds / unit.seconds;
      auto const sum = engine.phase_medians.phases();
      auto& bar = panel.bars.emplace_back(Bar{engine.engine, {}, fmt::format("{:.3g}", whole)});
      for (auto const& phase : phases) {
        bar.parts.push_back(sum > 0 ? engine.phase_medians.*phase.seconds / sum * whole : 0);
      }
    }
    panels.push_back(std::move(panel));
  }
  return bars_picture(title, parts, panels);
}

namespace {

/// All engines, in the order of their first runs.
std::vector<std::string> engines_of(std::span<SummaryGroup const> groups) {
  std::vector<std::string> engines;
  for (auto const& group : groups) {
    std::ranges::transform(group.engines, std::back_inserter(engines), &Summary::engine);
  }
  return distinct(engines, std::identity{});
}

/// A panel per curve: point_of() gives a summary's point, or none.
template <class PointOf>
std::vector<Panel> panels_of(std::span<SummaryGroup const> groups,
                             std::span<std::string const> engines, PointOf const& point_of) {
  std::vector<Panel> panels;
  for (auto const& [name, axis, points] : curves(groups)) {
    auto& panel = panels.emplace_back(Panel{name, std::string(axis), {}});
    for (auto const& engine : engines) {
      auto& line = panel.lines.emplace_back();
      for (auto const& [x, group] : points) {
        auto const* summary = group->find(engine);
        if (auto const point = summary == nullptr ? std::nullopt : point_of(x, *summary)) {
          line.push_back(*point);
        }
      }
    }
  }
  if (panels.empty()) {
    throw ConfigError("the results have no case");
  }
  return panels;
}

std::optional<Point> time_at(std::uint64_t x, Summary const& summary) {
  if (summary.median_seconds <= 0) {
    return {};
  }
  return Point{x, summary.median_seconds, summary.min_seconds, summary.max_seconds};
}

std::optional<Point> atomics_at(std::uint64_t x, Summary const& summary) {
  if (summary.atomic_operations.value_or(0) == 0) {
    return {};
  }
  auto const atomics = static_cast<double>(*summary.atomic_operations);
  return Point{x, atomics, atomics, atomics};
}

}  // namespace

Picture scaling_picture(std::string const& title, std::span<SummaryGroup const> groups) {
  auto const engines = engines_of(groups);
  return lines_picture(title, engines, panels_of(groups, engines, time_at), "s");
}

Picture atomics_picture(std::string const& title, std::span<SummaryGroup const> groups) {
  auto const engines = engines_of(groups);
  auto panels = panels_of(groups, engines, time_at);
  for (auto& panel : panels) {
    panel.title += ": time";
  }
  bool counted = false;
  for (auto& panel : panels_of(groups, engines, atomics_at)) {
    counted =
        counted || std::ranges::any_of(panel.lines, [](auto const& line) { return !line.empty(); });
    panel.title += ": atomic operations";
    panel.unit = "";
    panels.push_back(std::move(panel));
  }
  if (!counted) {
    throw ConfigError("the results have no atomic operations; run with count: true or published");
  }
  return lines_picture(title, engines, panels, "s");
}

Picture rank_share_picture(std::string const& title, std::span<SummaryGroup const> groups) {
  std::vector<BarPanel> panels;
  for (auto const& group : groups) {
    std::vector<Bar> bars;
    for (auto const& [name, with_pr_matrix] :
         {std::pair{"GS-Seq-CPU", "GS with PRMatrix"}, std::pair{"MW-Seq-CPU", "LA-Seq-CPU"}}) {
      auto const* engine = group.find(name);
      auto const* local = group.find(with_pr_matrix);
      if (engine != nullptr && local != nullptr) {
        auto const rest = local->phase_medians.execution / engine->phase_medians.execution;
        auto const look_ups = 100 * std::max(0.0, 1 - rest);
        bars.push_back({name, {look_ups, 100 - look_ups}, fmt::format("{:.0f} %", look_ups)});
      }
    }
    if (!bars.empty()) {
      panels.push_back({panel_title(group), "share of the execution time in %", std::move(bars)});
    }
  }
  if (panels.empty()) {
    throw ConfigError("the results have no workload with both MW-Seq-CPU and LA-Seq-CPU, or "
                      "GS-Seq-CPU and 'GS with PRMatrix'");
  }
  std::vector<BarPart> const parts{{"look-ups in the rank matrix", "#0b3c5d"},
                                   {"the rest", "#c9d6df"}};
  return bars_picture(title, parts, panels);
}

}  // namespace taper::app
