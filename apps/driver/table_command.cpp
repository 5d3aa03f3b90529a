// SPDX-License-Identifier: Apache-2.0
#include "algorithm.hpp"
#include "cli_options.hpp"
#include "command.hpp"

#include <experiment/summary.hpp>
#include <support/config_error.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <memory>

namespace taper::app {
namespace {

struct TableArguments {
  std::filesystem::path results;
  bool markdown = false;
  bool csv = false;
  bool details = false;
};

/// A folder's results.json, or else its summary.csv.
std::filesystem::path file_in(std::filesystem::path const& file) {
  if (!std::filesystem::is_directory(file)) {
    return file;
  }
  auto const whole = file / "results.json";
  auto const summary = file / "summary.csv";
  if (!std::filesystem::exists(whole) && !std::filesystem::exists(summary)) {
    throw ConfigError(
        fmt::format("{}: expected results.json or summary.csv in this folder", file.string()));
  }
  return std::filesystem::exists(whole) ? whole : summary;
}

std::string details_of(std::filesystem::path const& file) {
  if (file.extension() == ".csv") {
    throw ConfigError(fmt::format("--details: {}: a summary has no details", file.string()));
  }
  auto const& algorithm = algorithm_of_results(file);
  if (algorithm.details == nullptr) {
    throw ConfigError(
        fmt::format("--details: results of format {} have no details", algorithm.results_format));
  }
  return algorithm.details(file);
}

std::vector<SummaryRow> rows_of(std::filesystem::path const& file) {
  return file.extension() == ".csv" ? read_summary(file)
                                    : algorithm_of_results(file).summarize(file);
}

int execute(TableArguments const& arguments) {
  auto const file = file_in(arguments.results);
  if (arguments.details) {
    fmt::print("{}", details_of(file));
    return 0;
  }
  auto const rows = rows_of(file);
  fmt::print("{}", arguments.csv ? to_csv(rows) : summary_table(rows, arguments.markdown));
  return 0;
}

}  // namespace

Command add_table(CLI::App& app) {
  auto* command = app.add_subcommand(
      "table", "print the median times of a run: a row per case, a column per engine");
  auto arguments = std::make_shared<TableArguments>();
  add_positional(*command, "RESULTS", arguments->results,
                 "a results.json, a summary.csv, or a folder with one of them");
  auto* markdown = command->add_flag("--markdown", arguments->markdown, "print a Markdown table");
  auto* csv = command
                  ->add_flag("--csv", arguments->csv,
                             "print a summary.csv: medians, quartiles and counts, in seconds")
                  ->excludes(markdown);
  command
      ->add_flag("--details", arguments->details,
                 "print what the algorithm has besides: of vertex covers speedups, search nodes, "
                 "memory and time per activity; of matchings the latency per device")
      ->excludes(markdown)
      ->excludes(csv);
  command->footer("Example:\n  taper table results/quickstart --markdown");
  return {command, [arguments] { return execute(*arguments); }};
}

}  // namespace taper::app
