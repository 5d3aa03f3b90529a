// SPDX-License-Identifier: Apache-2.0
#include "pictures.hpp"

#include <experiment/plot_lines.hpp>
#include <support/config_error.hpp>

#include <io/text/strings.hpp>

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

/// The title of a case's panel. Cases of one panel differ in instance, engine and value of the x
/// axis.
std::string panel_label(PropagatorCase const& result, XAxis x_axis) {
  auto spec = result.spec;
  if (x_axis == XAxis::total_domain) {
    spec.narrowed = 0;
    spec.decided = 0;
  }
  return fmt::format("n = {}, {}: {}", io::grouped(result.n), result.lists,
                     x_axis == XAxis::modified
                         ? "none free" + (spec.narrowed > 0
                                              ? fmt::format(", narrowed {}", spec.narrowed)
                                              : std::string{})
                     : result.part.empty() ? class_label(spec)
                                           : result.part);
}

/// Whether a picture with this x axis shows the case.
bool is_shown(PropagatorCase const& result, XAxis x_axis) {
  auto const family = result.spec.family;
  return x_axis == XAxis::instances || family == Family::none_free ||
         (x_axis == XAxis::total_domain && family == Family::two_free);
}

double x_of(PropagatorCase const& result, XAxis x_axis) {
  return static_cast<double>(x_axis == XAxis::instances  ? result.spec.seed
                             : x_axis == XAxis::modified ? result.situation.modified_people
                                                         : result.total_domain_size());
}

Point point_of(Cases const& cases, XAxis x_axis) {
  std::vector<double> x_values;
  for (auto const* result : cases) {
    x_values.push_back(x_of(*result, x_axis));
  }
  auto const times = times_of("", "", medians_of(cases));
  return {static_cast<std::uint64_t>(std::llround(median(x_values))), times.median_seconds,
          times.min_seconds, times.max_seconds};
}

/// The cases of a panel, grouped by point.
std::vector<Cases> points_of(Cases const& panel, XAxis x_axis) {
  if (x_axis != XAxis::instances) {
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
  auto const engines = distinct(results.cases, &PropagatorCase::engine);
  auto const all = with_calls(results.cases);
  auto const panels =
      grouped_by(std::span<PropagatorCase const>(all), [](PropagatorCase const& result) {
        return panel_label(result, XAxis::instances);
      });
  if (panels.empty()) {
    throw ConfigError("the results have no case");
  }
  Layout const layout(panels.size(), 320, results.heading(), engines);
  auto const head = "set logscale y\nset format y '%.0s %cs'\n"
                    "set grid ytics back linetype 1 linecolor rgb '#e4e4e4'\n"
                    "set style fill solid 0.4\nset boxwidth 0.5\nunset xtics\n"
                    "set ytics nomirror scale 0.5\nset mytics 1\n" +
                    fmt::format("set xrange [-0.6:{}]\n", double(engines.size()) - 0.4) +
                    "set lmargin 10\nset rmargin 3\nset tmargin 2.2\nset bmargin 1.4\n";
  std::vector<std::string> scripts;
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
    scripts.push_back(data +
                      layout.panel_title(panel_label(*panels[index].front(), XAxis::instances)) +
                      plots + "\n");
  }
  return layout.picture(head, scripts);
}

Picture propagator_lines_picture(Measured const& results, XAxis x_axis) {
  auto const engines = distinct(results.cases, &PropagatorCase::engine);
  Cases cases;
  for (auto const& result : results.cases) {
    if (is_shown(result, x_axis) && x_of(result, x_axis) > 0 && median(result.runs) > 0) {
      cases.push_back(&result);
    }
  }
  std::vector<Panel> panels;
  for (auto const& group :
       grouped_by(std::span<PropagatorCase const* const>(cases),
                  [&](PropagatorCase const& result) { return panel_label(result, x_axis); })) {
    auto& panel = panels.emplace_back();
    panel.title = panel_label(*group.front(), x_axis);
    panel.axis = x_axis == XAxis::instances  ? "instance"
                 : x_axis == XAxis::modified ? "modified people"
                                             : "total domain size";
    panel.is_linear = x_axis == XAxis::instances;
    for (auto const& point : points_of(group, x_axis)) {
      panel.add(engines, point.front()->engine, point_of(point, x_axis));
    }
  }
  if (panels.empty()) {
    throw ConfigError("the results have no calls of such a class");
  }
  return lines_picture(results.heading(), engines, panels, "s");
}

}  // namespace taper::app
