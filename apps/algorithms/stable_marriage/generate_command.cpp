// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "market_options.hpp"
#include "solver.hpp"

#include <driver/cli_options.hpp>
#include <driver/output.hpp>
#include <support/config_error.hpp>
#include <support/runtime.hpp>

#include <io/market/write.hpp>

#include <fmt/format.h>

#include <memory>

namespace taper::app {

namespace sm = stable_marriage;

namespace {

struct GenerateArguments {
  std::string family;
  sm::Workload workload;
  std::filesystem::path output;
  int threads = 0;
};

int execute(GenerateArguments const& arguments, Runtime& runtime) {
  auto workload = arguments.workload;
  workload.family = *sm::parse<sm::Family>(arguments.family);
  if (workload.family == sm::Family::solo && workload.n < 4) {
    throw ConfigError(fmt::format("the family 'solo' needs N >= 4, found {}", workload.n));
  }
  io::require_memory(workload.n);
  Output output(arguments.output);
  io::Market market;
  market.men = {"men", {}, io::IdTable(workload.n, workload.n)};
  market.women = {"women", {}, io::IdTable(workload.n, workload.n)};
  runtime.start(arguments.threads);
  generate_tables(workload, market.men.preferences, market.women.preferences);
  io::write_market(output.stream(), market, io::market_format_of(arguments.output));
  output.commit();
  return 0;
}

}  // namespace

Command add_generate_market(CLI::App& generate, Runtime& runtime) {
  auto* command = &generate;
  command->description(
      "write a market of a family; the same seed gives the same market; subcommands write markets "
      "with seats, graphs and matrices");
  auto arguments = std::make_shared<GenerateArguments>();
  auto& workload = arguments->workload;
  add_family(*command, arguments->family, names_of<sm::Family>());
  add_checked(*command, "N", workload.n, integer_in(0, stable_marriage::max_people), "",
              "agents per side");
  add_seed(*command, workload.seed, "seed of all shuffles (default: 1)");
  auto* group_size = add_checked(
      *command, "--group-size", workload.group_size, integer_in(1, stable_marriage::max_people),
      "G", "random only: the length of the groups that are shuffled in a list (default: 5)");
  auto* strength = add_checked(*command, "--strength", workload.strength, real_in(0, 1), "S",
                               "correlated only: how similar the lists are, 0 to 1 (default: 0.5)");
  add_output(*command, arguments->output,
             "the file: .json, .yaml, .npy, else lists of ids; each also with .gz (default: '-', "
             "the standard output)");
  add_threads(*command, arguments->threads);
  command->footer(
      "Example:\n  taper generate random 1000 --group-size 20 --seed 7 -o market.txt.gz");
  require_unless_subcommand(command, {"FAMILY", "N"});
  return {command, [arguments, group_size, strength, &runtime] {
            require_only_for(group_size, arguments->family, "random");
            require_only_for(strength, arguments->family, "correlated");
            return execute(*arguments, runtime);
          }};
}

}  // namespace taper::app
