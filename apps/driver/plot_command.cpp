// SPDX-License-Identifier: Apache-2.0
#include "cli_options.hpp"
#include "command.hpp"
#include "plot_results.hpp"

#include <fmt/format.h>

#include <memory>

namespace taper::app {
namespace {

struct Arguments {
  std::filesystem::path results;
  std::string kind;  ///< empty: what suits the results
  std::filesystem::path output;
  std::uint64_t n = 0;  ///< 0: each workload's largest
};

int execute(Arguments const& arguments) {
  auto const file = std::filesystem::is_directory(arguments.results)
                        ? arguments.results / "results.json"
                        : arguments.results;
  auto const [picture, kind] = picture_of(file, arguments.kind, arguments.n);
  auto const output =
      arguments.output.empty() ? file.parent_path() / (kind + ".svg") : arguments.output;
  draw(picture, output);
  fmt::print("{}\n", output.string());
  return 0;
}

}  // namespace

Command add_plot(CLI::App& app, Runtime&) {
  auto* command =
      app.add_subcommand("plot", "draw the results of a run with gnuplot, as SVG or PNG");
  auto arguments = std::make_shared<Arguments>();
  command->add_option("RESULTS", arguments->results, "a results.json, or the folder that holds it")
      ->required()
      ->type_name("");
  command
      ->add_option(
          "--kind", arguments->kind,
          "phases: stacked bars for each engine and workload; scaling: time against n, "
          "and against the group size where there are several; of matrix products "
          "speedup, gflops and the map of thresholds too; of propagators the distribution "
          "of times by classes, the calls one by one, and times against modified people or "
          "the total domain size (default: the first of these that the results have)")
      ->check(one_of({"phases", "scaling", "speedup", "gflops", "thresholds", "classes", "calls",
                      "modified", "domain"}))
      ->type_name("KIND");
  command
      ->add_option("--n", arguments->n,
                   "phases only: the size to show (default: each workload's largest)")
      ->check(integer_in(1, 4'294'967'294))
      ->type_name("N");
  command
      ->add_option("-o,--output", arguments->output,
                   "the picture, .svg or .png (default: KIND.svg beside the results)")
      ->type_name("FILE");
  command->footer("Example:\n  taper plot results/quickstart --kind scaling -o scaling.png");
  return {command, [arguments] { return execute(*arguments); }};
}

}  // namespace taper::app
