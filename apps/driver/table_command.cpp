// SPDX-License-Identifier: Apache-2.0
#include "algorithm.hpp"
#include "command.hpp"

#include <experiment/summary.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <memory>

namespace taper::app {
namespace {

struct Arguments {
  std::filesystem::path results;
  bool markdown = false;
  bool csv = false;
};

std::vector<SummaryRow> rows_of(std::filesystem::path file) {
  if (std::filesystem::is_directory(file)) {
    auto const whole = file / "results.json";
    file = std::filesystem::exists(whole) ? whole : file / "summary.csv";
  }
  return file.extension() == ".csv" ? read_summary(file)
                                    : algorithm_of_results(file).summarize(file);
}

int execute(Arguments const& arguments) {
  auto const rows = rows_of(arguments.results);
  fmt::print("{}", arguments.csv ? to_csv(rows) : summary_table(rows, arguments.markdown));
  return 0;
}

}  // namespace

Command add_table(CLI::App& app) {
  auto* command = app.add_subcommand(
      "table", "print the median times of a run: a row per case, a column per engine");
  auto arguments = std::make_shared<Arguments>();
  command
      ->add_option("RESULTS", arguments->results,
                   "a results.json, a summary.csv, or a folder with one of them")
      ->required()
      ->type_name("");
  auto* markdown = command->add_flag("--markdown", arguments->markdown, "print a Markdown table");
  command
      ->add_flag("--csv", arguments->csv,
                 "print a summary.csv: medians, quartiles and counts, in seconds")
      ->excludes(markdown);
  command->footer("Example:\n  taper table results/quickstart --markdown");
  return {command, [arguments] { return execute(*arguments); }};
}

}  // namespace taper::app
