// SPDX-License-Identifier: Apache-2.0
#include "plot_propagator.hpp"

#include "config_error.hpp"
#include "plot_lines.hpp"

#include <io/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <string>
#include <vector>

namespace taper::app {
namespace {

using Measured = Stored<PropagatorCase>;
using Cases = std::vector<PropagatorCase const*>;
using marriage_propagator::Family;

std::string heading(Measured const& results) {
  return results.title.empty() ? results.name : results.title;
}

std::vector<std::string> engines_of(Measured const& results) {
  std::vector<std::string> engines;
  for (auto const& result : results.cases) {
    if (std::ranges::find(engines, result.engine) == engines.end()) {
      engines.push_back(result.engine);
    }
  }
  return engines;
}

/// Where the value at this share of sorted ones lies, between two of them by their distance.
double quantile(std::vector<double> const& sorted, double share) {
  auto const place = share * static_cast<double>(sorted.size() - 1);
  auto const below = static_cast<std::size_t>(place);
  auto const above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - std::floor(place));
}

/// What the cases of one panel share: all but their instances, engines, and what is on the x axis.
std::string panel_label(PropagatorCase const& result, Along along) {
  auto question = result.question;
  if (along == Along::total_domain) {
    question.narrowed = 0;
    question.decided = 0;
  }
  return fmt::format("n = {}, {}: {}", io::grouped(result.n), result.lists,
                     along == Along::modified
                         ? "none free" + (question.narrowed > 0
                                              ? fmt::format(", narrowed {}", question.narrowed)
                                              : std::string{})
                     : result.part.empty() ? class_label(question)
                                           : result.part);
}

bool is_along(PropagatorCase const& result, Along along) {
  auto const family = result.question.family;
  return along == Along::instances || family == Family::none_free ||
         (along == Along::total_domain && family == Family::two_free);
}

double x_of(PropagatorCase const& result, Along along) {
  return static_cast<double>(along == Along::instances  ? result.question.seed
                             : along == Along::modified ? result.situation.modified_people
                                                        : result.total_domain_size());
}

Point point_of(Cases const& cases, Along along) {
  std::vector<double> places;
  for (auto const* result : cases) {
    places.push_back(x_of(*result, along));
  }
  auto const times = times_of("", "", medians_of(cases));
  return {static_cast<std::uint64_t>(std::llround(median(places))), times.median_seconds,
          times.min_seconds, times.max_seconds};
}

/// Cases that become one point.
std::vector<Cases> points_of(Cases const& panel, Along along) {
  if (along != Along::instances) {
    return grouped_instances(panel);
  }
  std::vector<Cases> points;
  for (auto const* result : panel) {
    points.push_back({result});
  }
  return points;
}

}  // namespace

Picture classes_picture(Measured const& results) {
  auto const engines = engines_of(results);
  auto const all = with_calls(results.cases);
  auto const panels =
      grouped_by(std::span<PropagatorCase const>(all), [](PropagatorCase const& result) {
        return panel_label(result, Along::instances);
      });
  if (panels.empty()) {
    throw ConfigError("the results hold no case");
  }
  Layout const layout(panels.size(), 320);
  auto script = layout.preamble(heading(results), engines.size() > 5 ? 2 : 1) +
                "set logscale y\nset format y '%.0s %cs'\n"
                "set grid ytics back linetype 1 linecolor rgb '#e4e4e4'\n"
                "set style fill solid 0.4\nset boxwidth 0.5\nunset xtics\n"
                "set ytics nomirror scale 0.5\nset mytics 1\n" +
                fmt::format("set xrange [-0.6:{}]\n", double(engines.size()) - 0.4) +
                "set lmargin 10\nset rmargin 3\nset tmargin 2.2\nset bmargin 1.4\n";
  for (std::size_t index = 0; index < panels.size(); ++index) {
    std::string data;
    std::string plots;
    for (std::size_t engine = 0; engine < engines.size(); ++engine) {
      Cases mine;
      std::ranges::copy_if(panels[index], std::back_inserter(mine),
                           [&](auto const* one) { return one->engine == engines[engine]; });
      data += fmt::format("$panel{}_{} << EOD\n", index, engine);
      if (auto seconds = medians_of(mine); !seconds.empty()) {
        std::ranges::sort(seconds);
        data += fmt::format("{} {:.6g} {:.6g} {:.6g} {:.6g} {:.6g}\n", engine, seconds.front(),
                            quantile(seconds, 0.25), quantile(seconds, 0.5),
                            quantile(seconds, 0.75), seconds.back());
      }
      data += "EOD\n";
      plots += fmt::format(
          "{0}$panel{1}_{2} using 1:3:2:6:5 with candlesticks linecolor rgb '{3}' title {4} "
          "whiskerbars 0.5, \\\n$panel{1}_{2} using 1:4:4:4:4 with candlesticks linecolor rgb "
          "'{3}' linewidth 2 notitle",
          engine == 0 ? "plot " : ", \\\n", index, engine, palette[engine % palette.size()],
          gnuplot_string(engines[engine]));
    }
    script += data + layout.panel(index) +
              fmt::format("set title {}\n",
                          gnuplot_string(panel_label(*panels[index].front(), Along::instances))) +
              plots + "\n";
    if (index == 0) {
      script += after_first_panel;
    }
  }
  return {script + "unset multiplot\n", layout.width, layout.height};
}

Picture propagator_lines_picture(Measured const& results, Along along) {
  auto const engines = engines_of(results);
  Cases cases;
  for (auto const& result : results.cases) {
    if (is_along(result, along) && x_of(result, along) > 0 && median(result.runs) > 0) {
      cases.push_back(&result);
    }
  }
  std::vector<Panel> panels;
  for (auto const& group :
       grouped_by(std::span<PropagatorCase const* const>(cases),
                  [&](PropagatorCase const& result) { return panel_label(result, along); })) {
    auto& panel = panels.emplace_back();
    panel.title = panel_label(*group.front(), along);
    panel.axis = along == Along::instances  ? "instance"
                 : along == Along::modified ? "modified people"
                                            : "total domain size";
    panel.is_linear = along == Along::instances;
    panel.lines.resize(engines.size());
    for (auto const& point : points_of(group, along)) {
      auto const engine = std::ranges::find(engines, point.front()->engine) - engines.begin();
      panel.lines[static_cast<std::size_t>(engine)].push_back(point_of(point, along));
    }
    for (auto& line : panel.lines) {
      std::ranges::sort(line, {}, &Point::x);
    }
  }
  if (panels.empty()) {
    throw ConfigError("the results hold no calls of such a class");
  }
  return lines_picture(heading(results), engines, panels, "s");
}

}  // namespace taper::app
