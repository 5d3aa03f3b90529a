// SPDX-License-Identifier: Apache-2.0
#include "plot_matmul.hpp"

#include "config_error.hpp"
#include "plot_lines.hpp"

#include <io/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace taper::app {
namespace {

using Results = Stored<MatmulCase>;

std::uint64_t largest(Extents const& extents) {
  return std::max({extents.m, extents.n, extents.k});
}

std::string heading(Results const& results) {
  return results.title.empty() ? results.name : results.title;
}

MatmulCase const* baseline_of(Results const& results, MatmulCase const& result) {
  auto wanted = result;
  wanted.engine = results.configuration.at("baseline");
  auto const found = std::ranges::find_if(
      results.cases, [&](MatmulCase const& other) { return other.same_case(wanted); });
  return found == results.cases.end() ? nullptr : &*found;
}

std::optional<Point> point_of(Results const& results, MatmulCase const& result, Against against) {
  auto const times = result.times();
  auto const x = largest(result.extents);
  if (times.min_seconds <= 0 || x == 0) {
    return std::nullopt;
  }
  if (against == Against::time) {
    return Point{x, times.median_seconds, times.min_seconds, times.max_seconds};
  }
  // Both are a number of seconds by that of the engine.
  auto dividend = static_cast<double>(result.report.operations) / 1e9;
  if (against == Against::speedup) {
    auto const* baseline = baseline_of(results, result);
    if (baseline == nullptr) {
      return std::nullopt;
    }
    dividend = baseline->times().median_seconds;
  }
  return Point{x, dividend / times.median_seconds, dividend / times.max_seconds,
               dividend / times.min_seconds};
}

/// The thresholds that were tried of one series and type: speedups by (n, threshold).
struct ThresholdMap {
  std::string title;
  std::map<std::pair<std::uint64_t, std::int64_t>, double> seconds;
};

std::vector<ThresholdMap> threshold_maps(Results const& results) {
  std::vector<ThresholdMap> maps;
  for (auto const& result : results.cases) {
    auto const& engines = results.configuration.at("engines");
    auto const entry = std::ranges::find_if(
        engines, [&](auto const& engine) { return engine.at("name") == result.engine; });
    if (entry == engines.end() || !entry->contains("threshold") ||
        entry->at("threshold").is_null() || result.times().median_seconds <= 0) {
      continue;
    }
    auto const title = fmt::format("{}, {}", entry->at("series").template get<std::string>(),
                                   io::to_string(result.type));
    auto map = std::ranges::find(maps, title, &ThresholdMap::title);
    if (map == maps.end()) {
      map = maps.insert(map, {title, {}});
    }
    map->seconds[{largest(result.extents), entry->at("threshold")}] = result.times().median_seconds;
  }
  return maps;
}

/// The places of the values in their order.
template <class Value>
std::size_t place(std::set<Value> const& values, Value value) {
  return static_cast<std::size_t>(std::distance(values.begin(), values.find(value)));
}

template <class Value>
std::string ticks(std::set<Value> const& values) {
  std::string text;
  for (auto const value : values) {
    text += fmt::format("{}'{}' {}", text.empty() ? "" : ", ", value, place(values, value));
  }
  return text;
}

/// The script of one map in a panel: cells, marks of the best, staircase.
std::string map_script(ThresholdMap const& map, std::size_t index) {
  std::set<std::uint64_t> sizes;
  std::set<std::int64_t> thresholds;
  for (auto const& [key, seconds] : map.seconds) {
    sizes.insert(key.first);
    thresholds.insert(key.second);
  }
  std::string cells = fmt::format("$cells{} << EOD\n", index);
  std::string best = fmt::format("$best{} << EOD\n", index);
  std::string stairs = fmt::format("$stairs{} << EOD\n", index);
  for (auto const n : sizes) {
    auto slowest = 0.0;
    std::optional<std::int64_t> fastest, fastest_cut;
    auto const time = [&](std::int64_t threshold) { return map.seconds.at({n, threshold}); };
    for (auto const threshold : thresholds) {
      if (!map.seconds.contains({n, threshold})) {
        continue;
      }
      slowest = std::max(slowest, time(threshold));
      auto const better = [&](std::optional<std::int64_t>& best_so_far) {
        if (!best_so_far || time(threshold) < time(*best_so_far)) {
          best_so_far = threshold;
        }
      };
      better(fastest);
      if (std::cmp_less(threshold, n)) {
        better(fastest_cut);
      }
    }
    auto const x = place(sizes, n);
    for (auto const threshold : thresholds) {
      if (map.seconds.contains({n, threshold})) {
        cells += fmt::format("{} {} {:.4g}\n", x, place(thresholds, threshold),
                             slowest / time(threshold));
      }
    }
    best += fmt::format("{} {} 0.5 {}\n", x, place(thresholds, *fastest), 0xf2c200);
    if (fastest_cut) {
      // A yellow frame stays where it is the fastest of all.
      best += fmt::format("{} {} {} {}\n", x, place(thresholds, *fastest_cut),
                          fastest_cut == fastest ? 0.42 : 0.5, 0x57b65f);
    }
    auto const sequential = std::ranges::count_if(
        thresholds, [&](auto threshold) { return std::cmp_less(threshold, n); });
    stairs += fmt::format("{} {}\n{} {}\n", x - 0.5, sequential - 0.5, x + 0.5, sequential - 0.5);
  }
  auto script = cells + "EOD\n" + best + "EOD\n" + stairs + "EOD\n";
  script += fmt::format("set title {}\nset xlabel 'n' offset 0,0.4\nset ylabel 'threshold'\n",
                        gnuplot_string(map.title));
  script += fmt::format(
      "set xrange [-0.5:{}]\nset yrange [-0.5:{}]\nset xtics ({})\nset ytics ({})\n",
      double(sizes.size()) - 0.5, double(thresholds.size()) - 0.5, ticks(sizes), ticks(thresholds));
  script += fmt::format(
      "plot $cells{0} using 1:2:(0.5):(0.5):3 with boxxyerror fillcolor palette notitle, \\\n"
      "$best{0} using 1:2:3:3:4 with boxxyerror fillcolor rgb variable notitle, \\\n"
      "$cells{0} using 1:2:(sprintf('%.3g', $3)) with labels font ',8' notitle, \\\n"
      "$stairs{0} using 1:2 with lines linecolor rgb '#000000' linewidth 2 notitle\n",
      index);
  return script;
}

}  // namespace

Picture matmul_lines_picture(Stored<MatmulCase> const& results, Against against) {
  std::vector<std::string> engines;
  for (auto const& result : results.cases) {
    if (std::ranges::find(engines, result.engine) == engines.end()) {
      engines.push_back(result.engine);
    }
  }
  std::vector<Panel> panels;
  for (auto const& type : grouped_by(std::span<MatmulCase const>(results.cases),
                                     [](MatmulCase const& result) { return result.type; })) {
    auto& panel = panels.emplace_back();
    panel.title = io::to_string(type.front()->type);
    panel.axis = "n";
    panel.lines.resize(engines.size());
    for (auto const* result : type) {
      if (auto const point = point_of(results, *result, against)) {
        auto const engine = std::ranges::find(engines, result->engine) - engines.begin();
        panel.lines[static_cast<std::size_t>(engine)].push_back(*point);
      }
    }
    for (auto& line : panel.lines) {
      std::ranges::sort(line, {}, &Point::x);
    }
  }
  if (panels.empty()) {
    throw ConfigError("the results hold no case");
  }
  return lines_picture(heading(results), engines, panels,
                       against == Against::time      ? "s"
                       : against == Against::speedup ? "x"
                                                     : "GFLOP/s");
}

Picture thresholds_picture(Stored<MatmulCase> const& results) {
  auto const maps = threshold_maps(results);
  if (maps.empty()) {
    throw ConfigError("the results hold no engine with a threshold");
  }
  Layout const layout(maps.size(), 380);
  auto script = layout.preamble(heading(results), 1) +
                fmt::format("set label 2 {} at screen 0.5,{:.5f} center textcolor rgb '#222222'\n",
                            gnuplot_string("Numbers: speedup over the slowest threshold. Yellow: "
                                           "the fastest; green: the fastest that cuts up."),
                            1 - 46.0 / layout.height) +
                "set style fill solid 1.0 border rgb '#ffffff'\n"
                "set palette defined (0 '#f7fbff', 1 '#6baed6')\nunset colorbox\nset logscale cb\n"
                "set xtics nomirror scale 0\nset ytics nomirror scale 0\n"
                "set lmargin 9\nset rmargin 2\nset tmargin 2.2\nset bmargin 3.4\n";
  for (std::size_t index = 0; index < maps.size(); ++index) {
    script += layout.panel(index) + map_script(maps[index], index);
    if (index == 0) {
      script += std::string(after_first_panel) + "unset label 2\n";
    }
  }
  return {script + "unset multiplot\n", layout.width, layout.height};
}

}  // namespace taper::app
