// SPDX-License-Identifier: Apache-2.0
#include "algorithm.hpp"
#include "cli_options.hpp"
#include "command.hpp"

#include <support/config_error.hpp>
#include <support/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace taper::app {
namespace {

struct PlotArguments {
  std::filesystem::path results;
  std::string kind;  ///< empty: the algorithm's first kind
  std::filesystem::path output;
  std::uint64_t n = 0;  ///< 0: the largest of each workload
};

PictureKind const& kind_of(Algorithm const& algorithm, std::string const& name) {
  if (name.empty()) {
    return algorithm.pictures.front();
  }
  auto const found = std::ranges::find(algorithm.pictures, name, &PictureKind::name);
  if (found == algorithm.pictures.end()) {
    throw ConfigError(fmt::format("--kind {}: results of format {} can be drawn as {}", name,
                                  algorithm.results_format,
                                  enumerate(names_in(algorithm.pictures, &PictureKind::name))));
  }
  return *found;
}

/// A folder's results.json.
std::filesystem::path results_json_of(std::filesystem::path const& results) {
  if (!std::filesystem::is_directory(results)) {
    return results;
  }
  auto const file = results / "results.json";
  if (!std::filesystem::exists(file)) {
    throw ConfigError(fmt::format("{}: expected results.json in this folder", results.string()));
  }
  return file;
}

int execute(PlotArguments const& arguments) {
  auto const file = results_json_of(arguments.results);
  auto const& kind = kind_of(algorithm_of_results(file), arguments.kind);
  auto const output = arguments.output.empty()
                          ? file.parent_path() / fmt::format("{}.svg", kind.name)
                          : arguments.output;
  draw(kind.draw(file, arguments.n), output);
  fmt::print("{}\n", output.string());
  return 0;
}

}  // namespace

Command add_plot(CLI::App& app) {
  auto* command =
      app.add_subcommand("plot", "draw the results of a run with gnuplot, as SVG or PNG");
  auto arguments = std::make_shared<PlotArguments>();
  std::vector<std::string_view> kinds;
  std::string help;
  for (auto const* algorithm : algorithms()) {
    help += fmt::format("{}: ", algorithm->name);
    for (auto const& kind : algorithm->pictures) {
      kinds.push_back(kind.name);
      help += fmt::format("{}, {}; ", kind.name, kind.help);
    }
  }
  add_positional(*command, "RESULTS", arguments->results,
                 "a results.json, or the folder that holds it");
  add_checked(*command, "--kind", arguments->kind, one_of(kinds), "KIND",
              help + "default: the first kind of the algorithm");
  add_checked(*command, "--n", arguments->n, integer_in(1, 4'294'967'294), "N",
              "phases: the size to show (default: the largest of each workload)");
  add_output(*command, arguments->output,
             "the picture, .svg or .png (default: KIND.svg beside the results)");
  command->footer("Example:\n  taper plot results/quickstart --kind scaling -o scaling.png");
  return {command, [arguments] { return execute(*arguments); }};
}

}  // namespace taper::app
