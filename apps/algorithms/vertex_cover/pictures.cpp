// SPDX-License-Identifier: Apache-2.0
#include "pictures.hpp"

#include "results.hpp"

#include <experiment/columns.hpp>
#include <support/config_error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>

namespace taper::app {
namespace {

constexpr int pixels_per_bar = 14;

}  // namespace

Picture covers_picture(std::filesystem::path const& file, std::uint64_t) {
  auto const stored = read_stored<CoverCase>(file);
  if (stored.cases.empty()) {
    throw ConfigError("the results have no case");
  }
  auto const solvers = distinct(stored.cases, &CoverCase::solver);
  auto const questions =
      grouped_by(std::span<CoverCase const>(stored.cases),
                 [](CoverCase const& result) { return std::tie(result.graph, result.k); });
  auto const rows = static_cast<int>(questions.size());
  auto const group = static_cast<int>(solvers.size()) + 1;
  Layout const layout(1, 80 + rows * group * pixels_per_bar, stored.heading(), solvers);

  double least = std::numeric_limits<double>::max();
  std::vector<std::string> data(solvers.size());
  std::string names;
  std::size_t longest = 0;
  for (int row = 0; row < rows; ++row) {
    auto const& first = *questions[row].front();
    auto const name = first.k < 0 ? first.graph : fmt::format("{}, k = {}", first.graph, first.k);
    longest = std::max(longest, name.size());
    names += fmt::format("{}{} {}", row == 0 ? "" : ", ", gnuplot_string(name),
                         row * group + (group - 2) / 2.0);
    for (auto const* result : questions[row]) {
      auto const seconds = std::max(median(result->runs), 1e-6);
      least = std::min(least, seconds);
      auto const solver = std::ranges::find(solvers, result->solver) - solvers.begin();
      data[static_cast<std::size_t>(solver)] +=
          fmt::format("{} {:.6g} {}\n", row * group + solver, seconds, result->solved() ? 0 : 1);
    }
  }
  auto script = layout.preamble() + layout.panel(0) +
                "set logscale x\nset format x '%.0s %cs'\nset xlabel 'median time; only a frame: "
                "stopped by the time limit' offset 0,0.4\n"
                "set grid xtics back linetype 1 linecolor rgb '#e4e4e4'\n"
                "set xtics nomirror scale 0.5\nset mxtics 1\nset ytics scale 0\n" +
                fmt::format("set lmargin {}\nset rmargin 3\nset tmargin 0.5\nset bmargin 3.4\n"
                            "set yrange [{}:-1]\nset ytics ({})\nset xrange [{:.6g}:*]\n",
                            longest + 2, rows * group, names, least / 2);
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

}  // namespace taper::app
