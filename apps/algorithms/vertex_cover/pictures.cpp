// SPDX-License-Identifier: Apache-2.0
#include "pictures.hpp"

#include "results.hpp"

#include <experiment/columns.hpp>
#include <support/config_error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <tuple>

namespace taper::app {
namespace {

constexpr int pixels_per_bar = 14;

/// A number of each case, drawn as bars.
struct Quantity {
  double (*value)(CoverCase const& result);
  double least;             ///< smaller values are drawn like this one
  std::string_view axis;    ///< its title
  std::string_view format;  ///< of its numbers
};

std::string question_name(CoverCase const& result) {
  return result.k < 0 ? result.graph : fmt::format("{}, k = {}", result.graph, result.k);
}

Stored<CoverCase> read_cases(std::filesystem::path const& file) {
  auto stored = read_stored<CoverCase>(file);
  if (stored.cases.empty()) {
    throw ConfigError("the results have no case");
  }
  return stored;
}

/// A layout of one panel of bars, which is wider if their names are long. So the legend has room.
Layout bar_layout(int bars_height, std::string const& title, std::span<std::string const> legend,
                  std::size_t longest_name) {
  constexpr int name_character = 7;  // pixels
  constexpr int names_room = 80;     // pixels, in the width of a layout
  Layout layout(1, 80 + bars_height, title, legend);
  layout.width += std::max(0, static_cast<int>(longest_name) * name_character - names_room);
  return layout;
}

/// Margins, and the names on the vertical axis, for `rows` bars below each other.
std::string bar_axes(std::size_t longest_name, int rows, std::string const& names) {
  return fmt::format("set grid xtics back linetype 1 linecolor rgb '#e4e4e4'\n"
                     "set xtics nomirror scale 0.5\nset mxtics 1\nset ytics scale 0\n"
                     "set lmargin {}\nset rmargin 5\nset tmargin 0.5\nset bmargin 3.4\n"
                     "set yrange [{}:-1]\nset ytics ({})\n",
                     longest_name + 2, rows, names);
}

/// A group of bars per question, a bar per solver, on a logarithmic axis.
Picture bars_picture(std::filesystem::path const& file, Quantity const& quantity) {
  auto const stored = read_cases(file);
  auto const solvers = distinct(stored.cases, &CoverCase::solver);
  auto const questions =
      grouped_by(std::span<CoverCase const>(stored.cases),
                 [](CoverCase const& result) { return std::tie(result.graph, result.k); });
  auto const rows = static_cast<int>(questions.size());
  auto const group = static_cast<int>(solvers.size()) + 1;

  double least = std::numeric_limits<double>::max();
  std::vector<std::string> data(solvers.size());
  std::string names;
  std::size_t longest = 0;
  for (int row = 0; row < rows; ++row) {
    auto const name = question_name(*questions[row].front());
    longest = std::max(longest, name.size());
    names += fmt::format("{}{} {}", row == 0 ? "" : ", ", gnuplot_string(name),
                         row * group + (group - 2) / 2.0);
    for (auto const* result : questions[row]) {
      auto const value = std::max(quantity.value(*result), quantity.least);
      least = std::min(least, value);
      auto const solver = std::ranges::find(solvers, result->solver) - solvers.begin();
      data[static_cast<std::size_t>(solver)] +=
          fmt::format("{} {:.6g} {}\n", row * group + solver, value, result->solved() ? 0 : 1);
    }
  }
  auto const layout = bar_layout(rows * group * pixels_per_bar, stored.heading(), solvers, longest);
  auto script = layout.preamble() + layout.panel(0) +
                fmt::format("set logscale x\nset format x '{}'\nset xlabel '{}; only a frame: "
                            "stopped by the time limit' offset 0,0.4\nset xrange [{:.6g}:*]\n",
                            quantity.format, quantity.axis, least / 2) +
                bar_axes(longest, rows * group, names);
  std::string plots;
  for (std::size_t solver = 0; solver < solvers.size(); ++solver) {
    auto const color = palette[solver % palette.size()];
    script += fmt::format("$solver{} << EOD\n{}EOD\n", solver, data[solver]);
    plots += fmt::format(
        "{0}$solver{1} using ({2:.6g}):1:({2:.6g}):2:($1-0.42):($1+0.42):($3 > 0 ? 0xffffff : {3}) "
        "with boxxyerror linecolor rgb variable fillstyle solid 1.0 noborder notitle, \\\n"
        "$solver{1} using ({2:.6g}):1:({2:.6g}):2:($1-0.42):($1+0.42) with boxxyerror linecolor "
        "rgb '{4}' fillstyle empty border notitle, \\\n"
        "NaN with boxes fillstyle solid 1.0 linecolor rgb '{4}' title {5}",
        solver == 0 ? "plot " : ", \\\n", solver, least / 2, fmt::format("0x{}", color.substr(1)),
        color, gnuplot_string(solvers[solver]));
  }
  return {script + plots + "\nunset multiplot\n", layout.width, layout.height};
}

}  // namespace

Picture covers_picture(std::filesystem::path const& file, std::uint64_t) {
  return bars_picture(file, {[](CoverCase const& result) { return median(result.runs); }, 1e-6,
                             "median time", "%.0s %cs"});
}

Picture cover_nodes_picture(std::filesystem::path const& file, std::uint64_t) {
  return bars_picture(
      file, {[](CoverCase const& result) { return static_cast<double>(result.report.nodes); }, 1,
             "search nodes", "%.0s%c"});
}

Picture cover_activities_picture(std::filesystem::path const& file, std::uint64_t) {
  auto stored = read_cases(file);
  std::erase_if(stored.cases, [](CoverCase const& result) { return result.activities.empty(); });
  if (stored.cases.empty()) {
    throw ConfigError("no case has counted its activities; count=true does");
  }
  std::vector<std::string> activities;
  for (auto const& [name, share] : stored.cases.front().activities) {
    activities.push_back(name);
  }
  bool const one_solver = distinct(stored.cases, &CoverCase::solver).size() == 1;
  auto const rows = static_cast<int>(stored.cases.size());
  std::vector<std::string> data(activities.size());
  std::string names;
  std::size_t longest = 0;
  for (int row = 0; row < rows; ++row) {
    auto const& result = stored.cases[static_cast<std::size_t>(row)];
    auto const name = question_name(result) + (one_solver ? "" : ", " + result.solver);
    longest = std::max(longest, name.size());
    names += fmt::format("{}{} {}", row == 0 ? "" : ", ", gnuplot_string(name), row);
    double begin = 0;
    for (std::size_t i = 0; i < std::min(activities.size(), result.activities.size()); ++i) {
      auto const end = begin + 100 * result.activities[i].second;
      data[i] += fmt::format("{} {:.4f} {:.4f}\n", row, begin, end);
      begin = end;
    }
  }
  auto const layout = bar_layout(2 * rows * pixels_per_bar, stored.heading(), activities, longest);
  auto script = layout.preamble() + layout.panel(0) +
                "set format x '%g %%'\nset xrange [0:100]\n"
                "set xlabel 'share of the time: the host, then all workers' offset 0,0.4\n" +
                bar_axes(longest, rows, names);
  std::string plots;
  for (std::size_t i = 0; i < activities.size(); ++i) {
    script += fmt::format("$activity{} << EOD\n{}EOD\n", i, data[i]);
    plots += fmt::format("{0}$activity{1} using 2:1:2:3:($1-0.4):($1+0.4) with boxxyerror "
                         "fillstyle solid 1.0 noborder linecolor rgb '{2}' notitle, \\\n"
                         "NaN with boxes fillstyle solid 1.0 linecolor rgb '{2}' title {3}",
                         i == 0 ? "plot " : ", \\\n", i, palette[i % palette.size()],
                         gnuplot_string(activities[i]));
  }
  return {script + plots + "\nunset multiplot\n", layout.width, layout.height};
}

}  // namespace taper::app
