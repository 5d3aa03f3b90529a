// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "market_options.hpp"
#include "side.hpp"
#include "solver.hpp"

#include <driver/algorithm.hpp>
#include <driver/cli_options.hpp>
#include <driver/output.hpp>
#include <driver/sparse_markets.hpp>
#include <experiment/profile.hpp>
#include <mpi/processes.hpp>
#include <support/config_error.hpp>
#include <support/message.hpp>
#include <support/runtime.hpp>
#include <support/text.hpp>

#include <io/market/names.hpp>
#include <io/market/write.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace taper::app {

namespace sm = stable_marriage;

namespace {

struct MatchArguments {
  MarketArguments market;
  EngineArguments engine;
  std::string proposer;  ///< empty: the first side
  std::filesystem::path output;
  std::string output_format = "auto";
  std::string profile;
  std::string report = "text";
  int threads = 0;
  /// Of markets with short lists, ties or seats. Null: this build has none.
  std::unique_ptr<SparseMarketSolver> sparse_solver = sparse_market_solver();
};

/// Where a run was, and what it did there.
std::string run_in_words(Engine const& engine, std::string_view backend, Solved const& solved) {
  auto const proposals = counted(solved.report.proposals, "proposal", "proposals");
  auto const seconds = format_seconds(solved.seconds.total());
  if (auto const count = processes().count; count > 1) {
    return fmt::format("{} in {} processes, {} and {} in {}", engine.name, count, proposals,
                       counted(solved.report.rounds, "round", "rounds"), seconds);
  }
  return fmt::format("{} on {}, {} in {}", engine.name, backend, proposals, seconds);
}

void summarize_on_stderr(CompleteMarket const& complete, Engine const& engine,
                         std::string_view backend, Solved const& solved, Verdict const& verdict) {
  auto const& market = complete.market;
  auto const men_propose = engine.options.proposer == sm::Proposer::men;
  auto const men = io::title_of(market, market.men);
  auto const women = io::title_of(market, market.women);
  print_message("matched   {0} {1} with {0} {2}: no stable matching is better for any of the {1}\n",
                io::grouped(market.size()), men_propose ? men : women, men_propose ? women : men);
  if (market.size() > 0) {
    auto const ranks = complete.mean_ranks(solved.partner_of_man);
    print_message("mean rank of the partner  {} {:.2f}, {} {:.2f} (1 is the first choice)\n", men,
                  ranks.men, women, ranks.women);
    print_message("engine    {}\n", run_in_words(engine, backend, solved));
    if (processes().count > 1) {
      std::uint64_t bytes = 0;
      for (auto const& round : solved.traffic) {
        bytes += round.bytes;
      }
      print_message("traffic   {} between the processes\n", io::human_bytes(bytes));
    }
    for (auto const& migration : solved.report.migrations) {
      print_message("tail      {} moved from the {} to the {}; the tail began after {}\n",
                    counted(migration.live, "free proposer", "free proposers"),
                    to_string(migration.from), to_string(migration.to),
                    counted(solved.report.taper_step, "proposal", "proposals"));
    }
  }
  if (verdict.stable()) {
    print_message("verified  every agent has a partner; no blocking pair\n");
  } else {
    print_message("WRONG     {}\n",
                  verdict.perfect_matching
                      ? counted(verdict.blocking_pairs, "blocking pair", "blocking pairs")
                      : "not every agent has a partner");
  }
}

io::MatchingFormat output_format(MatchArguments const& arguments) {
  return arguments.output_format == "auto" ? io::matching_format_of(arguments.output)
                                           : matching_format_named(arguments.output_format);
}

int solve_and_write(CompleteMarket const& complete, Engine const& engine, std::string_view backend,
                    Output& output, MatchArguments const& arguments) {
  auto const solved = complete.problem->solve(backend, engine.options);
  auto const verdict = complete.problem->verify(solved.partner_of_man);
  summarize_on_stderr(complete, engine, backend, solved, verdict);
  if (!verdict.stable()) {
    return 1;
  }
  io::write_matching(output.stream(), complete.market, solved.partner_of_man,
                     output_format(arguments), io_proposer(engine.options.proposer));
  output.commit();
  return 0;
}

void reject_sparse_options(MatchArguments const& arguments) {
  if (auto const* const solver = arguments.sparse_solver.get()) {
    for (auto const& option : solver->given()) {
      throw ConfigError(option + " is for markets with short lists, ties or seats; in this one all "
                                 "lists are complete");
    }
  }
}

int match_complete(io::Market market, Engine engine, ProfileInUse profile,
                   MatchArguments const& arguments, Runtime& runtime) {
  reject_sparse_options(arguments);
  auto const backend = require_backend(engine.backend);
  engine.options.proposer = proposer_named(arguments.proposer, market);
  Output output(arguments.output, arguments.market.files);

  runtime.start(arguments.threads);
  reject_foreign_profile(profile);
  engine.options.machine = profile.machine();
  auto const needed = require_memory(engine, market.size(), true);
  print_message("memory    {} on {} for the solve of n = {}\n", io::human_bytes(needed), backend,
                io::grouped(market.size()));
  CompleteMarket complete{std::move(market)};
  complete.problem =
      load_problem(backend, complete.market.men.preferences, complete.market.women.preferences);
  return solve_and_write(complete, engine, backend, output, arguments);
}

/// Each process of MPI reads a part of complete lists.
int match_lists_in_parts(MatchArguments const& arguments, CLI::App const& command,
                         Runtime& runtime) {
  arguments.market.require_npy_options(command);
  reject_sparse_options(arguments);
  std::optional<Output> output;
  Engine engine;
  together([&] {
    engine = arguments.engine.resolve();
    require_rounds(engine);
    engine.options.proposer = proposer_named(
        arguments.proposer, {.men = {"men", {}, {}}, .women = {"women", {}, {}}, .notes = {}});
    output.emplace(processes().own == 0 ? arguments.output : "-", arguments.market.files);
  });
  auto const complete = read_in_parts(arguments.market.files, arguments.market.read_options(),
                                      [&] { start_runtime(runtime, arguments.threads); });
  if (!complete) {
    return 0;
  }
  CommandsToOthers const others;
  return solve_and_write(*complete, engine, {}, *output, arguments);
}

/// The solver of markets with short lists, ties or seats. Throws ConfigError if there is none, or if
/// an option is for other markets.
SparseMarketSolver const& require_sparse_solver(MatchArguments const& arguments) {
  auto const* const solver = arguments.sparse_solver.get();
  if (solver == nullptr) {
    throw ConfigError("this market has short lists, ties or seats" + left_out_note());
  }
  auto given = arguments.engine.parts.given();
  if (!arguments.engine.engine.empty()) {
    given.push_back("engine");
  }
  if (!arguments.profile.empty()) {
    given.push_back("profile");
  }
  for (auto const option : given) {
    if (std::ranges::find(solver->shared_options(), option) == solver->shared_options().end()) {
      throw ConfigError(FieldArguments<sm::Options>::flag_of(option) +
                        " is for complete lists; this market has short lists, ties or seats");
    }
  }
  return *solver;
}

int match_sparse(io::SparseMarket const& market, MatchArguments const& arguments,
                 CLI::App const& command, Runtime& runtime) {
  auto const& solver = require_sparse_solver(arguments);
  auto inputs = arguments.market.files;
  inputs.push_back(arguments.market.seats);
  Output output(arguments.output, inputs);
  return solver.match(market,
                      {.command = command,
                       .proposer = arguments.proposer,
                       .backend = arguments.engine.backend,
                       .threads = arguments.threads,
                       .json_report = arguments.report == "json",
                       .format = output_format(arguments),
                       .output = output},
                      runtime);
}

/// Each process of MPI reads a part of the market.
int match_parts(MatchArguments const& arguments, CLI::App const& command, Runtime& runtime) {
  for (auto const* const option : {"--backend", "--profile"}) {
    reject_with_processes(command, option);
  }
  if (arguments.market.are_npy(arguments.market.files)) {
    return match_lists_in_parts(arguments, command, runtime);
  }
  auto const& files = arguments.market.files;
  return require_sparse_solver(arguments).match_parts(
      {.command = command,
       .proposer = arguments.proposer,
       .market = arguments.market.require_parts(command, files),
       .options = arguments.market.read_options(),
       .output = arguments.output,
       .format = output_format(arguments),
       .threads = arguments.threads,
       .json_report = arguments.report == "json"},
      runtime);
}

int execute(MatchArguments const& arguments, CLI::App const& command, Runtime& runtime) {
  if (processes().count > 1) {
    return match_parts(arguments, command, runtime);
  }
  auto const engine = arguments.engine.resolve();
  require_backend(engine.backend);
  auto const profile = find_profile(arguments.profile);
  auto any = io::read_any_market(arguments.market.files, arguments.market.read_options());
  if (auto const* const sparse = std::get_if<io::SparseMarket>(&any)) {
    return match_sparse(*sparse, arguments, command, runtime);
  }
  auto& market = std::get<io::Market>(any);
  print_notes(market.notes);
  return match_complete(std::move(market), engine, profile, arguments, runtime);
}

}  // namespace

Command add_match(CLI::App& app, Runtime& runtime) {
  auto* command =
      app.add_subcommand("match", "find a stable matching of a market in a file, and verify it");
  auto arguments = std::make_shared<MatchArguments>();
  add_positional(*command, "FILE", arguments->market.files,
                 "the market: one file, or one per side; '-' is the standard input")
      ->expected(1, 2);
  arguments->market.add_options(*command);
  command
      ->add_option("--proposer", arguments->proposer,
                   "the side that proposes and gets its best stable partners: its title in the "
                   "file, else men (the first side) or women (default: the first side)")
      ->type_name("SIDE");
  arguments->engine.add_options(*command);
  add_output(*command, arguments->output,
             "the file of the matching (default: '-', the standard output)");
  add_checked(*command, "--output-format", arguments->output_format,
              one_of({"auto", "text", "csv", "json"}), "NAME",
              "text, csv or json, which is also YAML (default: by the extension of -o, else text)");
  add_profile(*command, arguments->profile);
  add_checked(
      *command, "--report", arguments->report, one_of({"text", "json"}), "NAME",
      "of a market with short lists, ties or seats: text on stderr (default), or json there");
  add_threads(*command, arguments->threads);
  if (arguments->sparse_solver) {
    arguments->sparse_solver->add_options(*command);
  }
  command->footer(
      "Example: --proposer replaces the default, the first side.\n"
      "  echo '{\"residents\": {\"Ada\": [\"City\", \"Park\"], \"Bob\": [\"City\", \"Park\"]},\n"
      "         \"hospitals\": {\"City\": [\"Bob\", \"Ada\"], \"Park\": [\"Bob\", \"Ada\"]}}' > "
      "market.json\n"
      "  taper match market.json --proposer hospitals -o matching.csv");
  return {command,
          [arguments, command, &runtime] { return execute(*arguments, *command, runtime); }};
}

}  // namespace taper::app
