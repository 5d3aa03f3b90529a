// SPDX-License-Identifier: Apache-2.0
#include "cli_options.hpp"
#include "command.hpp"
#include "report.hpp"

#include <memory>

namespace taper::app {
namespace {

struct ReportArguments {
  std::vector<std::filesystem::path> folders;
  std::filesystem::path output;
  ReportHead head;
};

int execute(ReportArguments const& arguments) {
  auto const path =
      arguments.output.empty() ? arguments.folders.front() / "report.html" : arguments.output;
  write_report(path, arguments.folders, arguments.head);
  return 0;
}

}  // namespace

Command add_report(CLI::App& app) {
  auto* command =
      app.add_subcommand("report", "write a page of runs: times, pictures, configuration, machine");
  auto arguments = std::make_shared<ReportArguments>();
  add_positional(*command, "FOLDER", arguments->folders,
                 "a folder that `taper run` wrote, or one with summary.csv and provenance.json");
  command->add_option("--title", arguments->head.title, "the heading of the page")
      ->type_name("TEXT");
  command->add_option("--note", arguments->head.note, "a paragraph below the heading")
      ->type_name("TEXT");
  add_output(*command, arguments->output,
             "the page in HTML (default: report.html in the first FOLDER)");
  command->footer("Example:\n  taper report results/quickstart -o quickstart.html");
  return {command, [arguments] { return execute(*arguments); }};
}

}  // namespace taper::app
