// SPDX-License-Identifier: Apache-2.0
#include "choices.hpp"
#include "cli_options.hpp"
#include "command.hpp"
#include "config_error.hpp"
#include "output.hpp"
#include "runtime.hpp"
#include "solver.hpp"

#include <io/write.hpp>

#include <fmt/format.h>

#include <array>
#include <limits>
#include <memory>

namespace taper::app {

namespace sm = stable_marriage;

namespace {

struct Arguments {
  std::string family;
  sm::Workload workload;
  std::filesystem::path output;
  int threads = 0;
};

int execute(Arguments const& arguments, Runtime& runtime) {
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

Command add_generate(CLI::App& app, Runtime& runtime) {
  auto* command = app.add_subcommand(
      "generate", "write a market of a family; the same seed is the same market; `generate graph`: "
                  "a graph; `generate matrix`: a matrix");
  auto arguments = std::make_shared<Arguments>();
  auto& workload = arguments->workload;
  command
      ->add_option("FAMILY", arguments->family,
                   fmt::format("{}", fmt::join(spellings<sm::Family>(), ", ")))
      ->check(one_of(spellings<sm::Family>()))
      ->type_name("");
  command->add_option("N", workload.n, "people on each side")
      ->check(integer_in(0, stable_marriage::max_people))
      ->type_name("");
  command->add_option("--seed", workload.seed, "of all shuffles (default: 1)")
      ->check(integer_in(0, std::numeric_limits<std::int64_t>::max()))
      ->type_name("SEED");
  auto* group_size =
      command
          ->add_option(
              "--group-size", workload.group_size,
              "random only: how many neighbours in a list are shuffled together (default: 5)")
          ->check(integer_in(1, stable_marriage::max_people))
          ->type_name("G");
  auto* strength = command
                       ->add_option("--strength", workload.strength,
                                    "correlated only: how far all agree, 0 to 1 (default: 0.5)")
                       ->check(real_in(0, 1))
                       ->type_name("S");
  command
      ->add_option("-o,--output", arguments->output,
                   "the file; .json, .yaml, .npy or else lists of ids, all with .gz too (default: "
                   "'-', the standard output)")
      ->type_name("FILE");
  add_threads(*command, arguments->threads);
  command->footer(
      "Example:\n  taper generate random 1000 --group-size 20 --seed 7 -o market.txt.gz");
  require_unless_subcommand(command, {"FAMILY", "N"});
  std::array const others{add_generate_graph(*command), add_generate_matrix(*command, runtime)};
  return {command, [arguments, group_size, strength, others, &runtime] {
            if (auto const* other = chosen(others)) {
              return other->execute();
            }
            if (group_size->count() > 0 && arguments->family != "random") {
              throw ConfigError("--group-size: only the family 'random' has a group size");
            }
            if (strength->count() > 0 && arguments->family != "correlated") {
              throw ConfigError("--strength: only the family 'correlated' has a strength");
            }
            return execute(*arguments, runtime);
          }};
}

}  // namespace taper::app
