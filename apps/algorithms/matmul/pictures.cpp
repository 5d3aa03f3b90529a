// SPDX-License-Identifier: Apache-2.0
#include "pictures.hpp"

#include <experiment/plot_lines.hpp>
#include <support/config_error.hpp>

#include <io/text/strings.hpp>

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

MatmulCase const* baseline_of(Results const& results, MatmulCase const& result) {
  auto wanted = result;
  wanted.engine = results.configuration.at("baseline");
  auto const found = std::ranges::find_if(
      results.cases, [&](MatmulCase const& other) { return other.same_case(wanted); });
  return found == results.cases.end() ? nullptr : &*found;
}

std::optional<Point> point_of(Results const& results, MatmulCase const& result, YAxis y_axis) {
  auto const times = result.times();
  auto const x = largest(result.extents);
  if (times.min_seconds <= 0 || x == 0) {
    return std::nullopt;
  }
  if (y_axis == YAxis::time) {
    return Point{x, times.median_seconds, times.min_seconds, times.max_seconds};
  }
  // Both other values are a quotient by the engine's seconds.
  auto dividend = static_cast<double>(result.report.operations) / 1e9;
  if (y_axis == YAxis::speedup) {
    auto const* baseline = baseline_of(results, result);
    if (baseline == nullptr) {
      return std::nullopt;
    }
    dividend = baseline->times().median_seconds;
  }
  return Point{x, dividend / times.median_seconds, dividend / times.max_seconds,
               dividend / times.min_seconds};
}

/// The times of one series and type, by (n, threshold).
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

/// The index of a value in its set.
template <class Value>
std::size_t index_of(std::set<Value> const& values, Value value) {
  return static_cast<std::size_t>(std::distance(values.begin(), values.find(value)));
}

template <class Value>
std::string ticks(std::set<Value> const& values) {
  std::string text;
  for (auto const value : values) {
    text += fmt::format("{}'{}' {}", text.empty() ? "" : ", ", value, index_of(values, value));
  }
  return text;
}

/// The script of one map: its cells, the frames of the best, and the staircase.
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
    std::optional<std::int64_t> fastest, fastest_divided;
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
        better(fastest_divided);
      }
    }
    auto const x = index_of(sizes, n);
    for (auto const threshold : thresholds) {
      if (map.seconds.contains({n, threshold})) {
        cells += fmt::format("{} {} {:.4g}\n", x, index_of(thresholds, threshold),
                             slowest / time(threshold));
      }
    }
    best += fmt::format("{} {} 0.5 {}\n", x, index_of(thresholds, *fastest), 0xf2c200);
    if (fastest_divided) {
      // If it is also the fastest of all, its smaller cell leaves a yellow frame.
      best += fmt::format("{} {} {} {}\n", x, index_of(thresholds, *fastest_divided),
                          fastest_divided == fastest ? 0.42 : 0.5, 0x57b65f);
    }
    auto const dividing = std::ranges::count_if(
        thresholds, [&](auto threshold) { return std::cmp_less(threshold, n); });
    auto const middle = static_cast<double>(x);
    auto const height = static_cast<double>(dividing) - 0.5;
    stairs += fmt::format("{} {}\n{} {}\n", middle - 0.5, height, middle + 0.5, height);
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

Picture matmul_lines_picture(Stored<MatmulCase> const& results, YAxis y_axis) {
  auto const engines = distinct(results.cases, &MatmulCase::engine);
  std::vector<Panel> panels;
  for (auto const& type : grouped_by(std::span<MatmulCase const>(results.cases),
                                     [](MatmulCase const& result) { return result.type; })) {
    auto& panel = panels.emplace_back();
    panel.title = io::to_string(type.front()->type);
    panel.axis = "n";
    panel.lines.resize(engines.size());
    for (auto const* result : type) {
      if (auto const point = point_of(results, *result, y_axis)) {
        panel.add(engines, result->engine, *point);
      }
    }
  }
  if (panels.empty()) {
    throw ConfigError("the results have no case");
  }
  return lines_picture(results.heading(), engines, panels,
                       y_axis == YAxis::time      ? "s"
                       : y_axis == YAxis::speedup ? "x"
                                                  : "GFLOP/s");
}

Picture thresholds_picture(Stored<MatmulCase> const& results) {
  auto const maps = threshold_maps(results);
  if (maps.empty()) {
    throw ConfigError("the results have no engine with a threshold");
  }
  Layout const layout(maps.size(), 380,
                      results.heading() +
                          "\nNumbers: speedup over the slowest threshold. Yellow: the fastest; "
                          "green: the fastest that divides.",
                      {});
  std::vector<std::string> scripts;
  for (auto const& map : maps) {
    scripts.push_back(map_script(map, scripts.size()));
  }
  return layout.picture("set style fill solid 1.0 border rgb '#ffffff'\n"
                        "set palette defined (0 '#f7fbff', 1 '#6baed6')\nunset colorbox\n"
                        "set logscale cb\n"
                        "set xtics nomirror scale 0\nset ytics nomirror scale 0\n"
                        "set lmargin 9\nset rmargin 2\nset tmargin 2.2\nset bmargin 3.4\n",
                        scripts);
}

}  // namespace taper::app
