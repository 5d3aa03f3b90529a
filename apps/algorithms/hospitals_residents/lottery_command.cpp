// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "solve.hpp"

#include <driver/cli_options.hpp>
#include <driver/market_arguments.hpp>
#include <driver/output.hpp>
#include <support/config_error.hpp>
#include <support/message.hpp>
#include <support/runtime.hpp>
#include <support/seconds_of.hpp>
#include <support/text.hpp>

#include <io/market/names.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace taper::app {
namespace {

namespace hr = hospitals_residents;

struct LotteryArguments {
  MarketArguments market;
  std::uint64_t draws = 0;
  std::string lottery = "single";
  std::string mechanism = "deferred_acceptance";
  std::uint32_t choices_per_round = 3;
  std::uint64_t seed = 1;
  std::filesystem::path output;
  std::string backend = "widest";
  int threads = 0;
};

hr::Options options_of(LotteryArguments const& arguments) {
  hr::Options options;
  options.lottery = *parse<hr::Lottery>(arguments.lottery);
  options.mechanism = *parse<hr::Mechanism>(arguments.mechanism);
  options.choices_per_round = arguments.choices_per_round;
  options.seed = arguments.seed;
  return options;
}

/// A row per resident and hospital of its list, then one for no hospital. Outcomes that were not
/// drawn are left out.
void write_probabilities(std::ostream& out, io::SparseMarket const& market,
                         std::span<std::uint32_t const> counts, std::uint64_t draws) {
  fmt::print(out, "{},{},choice,probability,standard_error\r\n",
             io::csv_field(io::title_of(market, market.first)),
             io::csv_field(io::title_of(market, market.second)));
  auto const row = [&](std::uint32_t resident, std::string const& hospital,
                       std::string const& choice, std::uint64_t count) {
    double const p = static_cast<double>(count) / static_cast<double>(draws);
    if (count > 0) {
      fmt::print(out, "{},{},{},{:.6g},{:.2g}\r\n",
                 io::csv_field(market.name_of(market.first, resident)), io::csv_field(hospital),
                 choice, p, std::sqrt(p * (1 - p) / static_cast<double>(draws)));
    }
  };
  for (std::uint32_t resident = 0; resident < market.first.count; ++resident) {
    std::uint64_t unassigned = draws;
    for (auto entry = market.begin_of(resident); entry < market.end_of(resident); ++entry) {
      row(resident, market.name_of(market.second, market.hospitals[entry]),
          std::to_string(entry - market.begin_of(resident) + 1), counts[entry]);
      unassigned -= counts[entry];
    }
    row(resident, "", "", unassigned);
  }
}

int execute(LotteryArguments const& arguments, Runtime& runtime) {
  auto const any = io::read_any_market(arguments.market.files, arguments.market.read_options());
  auto const* const market = std::get_if<io::SparseMarket>(&any);
  if (market == nullptr) {
    throw ConfigError(
        "all lists of the market are complete and without ties: a lottery has nothing "
        "to decide; use `taper match`");
  }
  print_notes(market->notes);
  auto const options = options_of(arguments);
  auto const backend = require_backend(arguments.backend);
  Output output(arguments.output, arguments.market.files);
  runtime.start(arguments.threads);
  MarketArrays const arrays{.offsets = market->offsets,
                            .hospitals = market->hospitals,
                            .keys = market->keys,
                            .seats = market->seats,
                            .tiers = {}};
  std::vector<std::uint32_t> counts;
  double const seconds = seconds_of(
      [&] { counts = load_draws(backend, arguments.threads, arrays)(arguments.draws, options); });
  auto const assigned = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  print_message("drawn     {} on {} in {}\n", counted(arguments.draws, "lottery", "lotteries"),
                backend, format_seconds(seconds));
  print_message("assigned  {:.2f} of {} {} per draw\n",
                static_cast<double>(assigned) / static_cast<double>(arguments.draws),
                io::grouped(market->first.count), io::title_of(*market, market->first));
  write_probabilities(output.stream(), *market, counts, arguments.draws);
  output.commit();
  return 0;
}

}  // namespace

Command add_lottery(CLI::App& app, Runtime& runtime) {
  auto* command = app.add_subcommand(
      "lottery", "draw many lotteries among tied residents: the probability of each outcome");
  auto arguments = std::make_shared<LotteryArguments>();
  command->add_option("FILE", arguments->market.files, "the market in one file or two")
      ->expected(1, 2)
      ->required()
      ->type_name("");
  add_checked(*command, "--draws", arguments->draws, integer_in(1, 4'000'000'000), "N",
              "lotteries to draw")
      ->required();
  add_choice(*command, "--lottery", arguments->lottery,
             "one order of all residents (single, the default), or one per hospital",
             {"single", "multiple"});
  add_choice(*command, "--mechanism", arguments->mechanism,
             "how each draw is solved (default: the first)",
             {"deferred_acceptance", "immediate_acceptance", "parallel_mechanism"});
  add_checked(*command, "--choices-per-round", arguments->choices_per_round,
              integer_in(1, 4'000'000'000), "N",
              "parallel_mechanism: the choices that are equal for the hospitals (default: 3)");
  add_seed(*command, arguments->seed,
           "seed of the first lottery; the next ones add 1 (default: 1)");
  arguments->market.add_options(*command);
  add_output(
      *command, arguments->output,
      "the file: CSV with a row per resident and outcome (default: '-', the standard output)");
  add_backend(*command, arguments->backend);
  add_threads(*command, arguments->threads);
  command->footer("Example:\n  taper lottery schools.csv --draws 10000 -o probabilities.csv");
  return {command, [arguments, &runtime] { return execute(*arguments, runtime); }};
}

}  // namespace taper::app
