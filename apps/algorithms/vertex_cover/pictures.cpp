// SPDX-License-Identifier: Apache-2.0
#include "pictures.hpp"

#include "results.hpp"

#include <experiment/columns.hpp>
#include <experiment/plot_bars.hpp>
#include <support/config_error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <tuple>

namespace taper::app {
namespace {

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

/// A group of bars per question, a bar per solver, on a logarithmic axis.
Picture grouped_bars(std::filesystem::path const& file, Quantity const& quantity) {
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
    auto const& question = questions[static_cast<std::size_t>(row)];
    auto const name = question_name(*question.front());
    longest = std::max(longest, name.size());
    names += fmt::format("{}{} {}", row == 0 ? "" : ", ", gnuplot_string(name),
                         row * group + (group - 2) / 2.0);
    for (auto const* result : question) {
      auto const value = std::max(quantity.value(*result), quantity.least);
      least = std::min(least, value);
      auto const solver = std::ranges::find(solvers, result->solver) - solvers.begin();
      data[static_cast<std::size_t>(solver)] +=
          fmt::format("{} {:.6g} {}\n", row * group + solver, value, result->solved() ? 0 : 1);
    }
  }
  // The layout is wider if names are long. So the legend has room.
  constexpr int pixels_per_bar = 14;
  constexpr int name_character = 7;  // pixels
  constexpr int names_room = 80;     // pixels, in the width of a layout
  Layout layout(1, 80 + rows * group * pixels_per_bar, stored.heading(), solvers);
  layout.width += std::max(0, static_cast<int>(longest) * name_character - names_room);
  auto const head =
      fmt::format("set logscale x\nset format x '{}'\nset xlabel '{}; only a frame: stopped by the "
                  "time limit' offset 0,0.4\nset xrange [{:.6g}:*]\n",
                  quantity.format, quantity.axis, least / 2) +
      fmt::format("set grid xtics back linetype 1 linecolor rgb '#e4e4e4'\n"
                  "set xtics nomirror scale 0.5\nset mxtics 1\nset ytics scale 0\n"
                  "set lmargin {}\nset rmargin 5\nset tmargin 0.5\nset bmargin 3.4\n"
                  "set yrange [{}:-1]\nset ytics ({})\n",
                  longest + 2, rows * group, names);
  std::string script;
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
  return layout.picture(head, std::array{script + plots + "\n"});
}

}  // namespace

Picture covers_picture(std::filesystem::path const& file, std::uint64_t) {
  return grouped_bars(file, {[](CoverCase const& result) { return median(result.runs); }, 1e-6,
                             "median time", "%.0s %cs"});
}

Picture cover_nodes_picture(std::filesystem::path const& file, std::uint64_t) {
  return grouped_bars(
      file, {[](CoverCase const& result) { return static_cast<double>(result.report.nodes); }, 1,
             "search nodes", "%.0s%c"});
}

Picture cover_activities_picture(std::filesystem::path const& file, std::uint64_t) {
  auto stored = read_cases(file);
  std::erase_if(stored.cases, [](CoverCase const& result) { return result.activities.empty(); });
  if (stored.cases.empty()) {
    throw ConfigError("no case has counted its activities; count=true does");
  }
  std::vector<BarPart> activities;
  for (auto const& [name, share] : stored.cases.front().activities) {
    activities.push_back({name, palette[activities.size() % palette.size()]});
  }
  bool const one_solver = distinct(stored.cases, &CoverCase::solver).size() == 1;
  BarPanel panel{"", "share of the time in %: the host, then all workers", {}};
  for (auto const& result : stored.cases) {
    auto& bar = panel.bars.emplace_back(
        Bar{question_name(result) + (one_solver ? "" : ", " + result.solver), {}});
    for (auto const& [name, share] : result.activities) {
      bar.parts.push_back(100 * share);
    }
    bar.parts.resize(activities.size());
  }
  return bars_picture(stored.heading(), activities, {&panel, 1});
}

}  // namespace taper::app
