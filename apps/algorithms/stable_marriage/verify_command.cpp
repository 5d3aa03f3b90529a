// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "market_options.hpp"
#include "side.hpp"
#include "solver.hpp"

#include <driver/algorithm.hpp>
#include <driver/cli_options.hpp>
#include <driver/output.hpp>
#include <driver/sparse_markets.hpp>
#include <mpi/processes.hpp>
#include <support/config_error.hpp>
#include <support/message.hpp>
#include <support/runtime.hpp>
#include <support/text.hpp>

#include <io/market/names.hpp>
#include <io/market/write.hpp>
#include <io/text/error.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

namespace taper::app {
namespace {

struct VerifyArguments {
  MarketArguments market;  ///< the last of its files is the matching
  std::string matching_format = "auto";
  std::string proposer;  ///< empty: the first side
  std::size_t limit = 10;
  int threads = 0;
  /// Of markets with short lists, ties or seats. Null: this build has none.
  std::unique_ptr<SparseMarketSolver> sparse_solver = sparse_market_solver();
};

/// Names agents in messages. It adds the side if both sides have the same names or numbers.
class AgentNames {
 public:
  explicit AgentNames(io::Market const& market) : market_(market) {
    std::unordered_set<std::string_view> const men(market.men.names.begin(),
                                                   market.men.names.end());
    share_names_ = std::ranges::any_of(market.women.names,
                                       [&](auto const& woman) { return men.contains(woman); });
  }

  std::string operator()(io::Side const& side, std::uint32_t id) const {
    auto const name = market_.name_of(side, id);
    return !market_.named() ? (&side == &market_.men ? "man " : "woman ") + name
           : share_names_   ? name + " of the " + io::title_of(market_, side)
                            : name;
  }

 private:
  io::Market const& market_;
  bool share_names_ = false;
};

/// The proof that (man, woman) is a blocking pair: the ranks that both give to each other and to
/// their partners.
std::string certificate(CompleteMarket const& complete, AgentNames const& name_of,
                        std::span<std::uint32_t const> partner_of_man,
                        std::span<std::uint32_t const> partner_of_woman, std::uint32_t man,
                        std::uint32_t woman) {
  auto const half = [&](io::Side const& side, io::Side const& other_side, std::uint32_t agent,
                        std::uint32_t preferred, std::uint32_t partner) {
    return fmt::format("{} ranks {} {} and has {}, {}", name_of(side, agent),
                       name_of(other_side, preferred),
                       ordinal(complete.rank(side, agent, preferred)), name_of(other_side, partner),
                       ordinal(complete.rank(side, agent, partner)));
  };
  auto const& market = complete.market;
  return half(market.men, market.women, man, woman, partner_of_man[man]) + "; " +
         half(market.women, market.men, woman, man, partner_of_woman[woman]);
}

/// The checker of markets with short lists, ties or seats. Throws ConfigError if there is none, or
/// if an option is for other markets.
SparseMarketSolver const& require_sparse_solver_of(VerifyArguments const& arguments) {
  if (!arguments.sparse_solver) {
    throw ConfigError("this market has short lists, ties or seats" + left_out_note());
  }
  if (!arguments.proposer.empty()) {
    throw ConfigError("--proposer is for complete lists; in a matching of this market the first "
                      "side comes first");
  }
  return *arguments.sparse_solver;
}

int verify_sparse(io::SparseMarket const& market, std::filesystem::path const& matching_file,
                  VerifyArguments const& arguments, Runtime& runtime) {
  auto const& solver = require_sparse_solver_of(arguments);
  print_notes(market.notes);
  try {
    auto const hospital_of =
        io::read_matching(matching_file, market, matching_format_named(arguments.matching_format));
    return solver.verify(market, hospital_of, arguments.limit, arguments.threads, runtime);
  } catch (io::MatchingError const& error) {
    fmt::print("not a matching: {}\n", error.what());
    return 1;
  }
}

int verify_complete(CompleteMarket& complete, std::filesystem::path const& matching_file,
                    VerifyArguments const& arguments, Runtime& runtime) {
  auto const& market = complete.market;
  auto const proposer = io_proposer(proposer_named(arguments.proposer, market));
  auto const read = [&](io::Proposer first) {
    return io::read_matching(matching_file, market,
                             matching_format_named(arguments.matching_format), first);
  };
  std::vector<std::uint32_t> partner_of_man;
  try {
    partner_of_man = read(proposer);
  } catch (io::MatchingError const& error) {
    fmt::print("not a perfect matching: {}\n", error.what());
    return 1;
  }

  if (!complete.problem) {
    runtime.start(arguments.threads);
    complete.problem =
        load_problem(require_backend("host"), market.men.preferences, market.women.preferences);
  }
  auto const* const problem = complete.problem.get();
  auto const verdict = problem->verify(partner_of_man);
  if (verdict.stable()) {
    fmt::print("stable: {}, no blocking pair\n", counted(market.size(), "pair", "pairs"));
    return 0;
  }
  fmt::print("not stable: {}\n",
             counted(verdict.blocking_pairs, "blocking pair", "blocking pairs"));
  auto const other = proposer == io::Proposer::men ? io::Proposer::women : io::Proposer::men;
  // If both sides have the same names, the file does not show which side comes first.
  auto const stable_with_other_first = [&] {
    try {
      return problem->verify(read(other)).stable();
    } catch (io::InputError const&) {
      return false;
    }
  };
  if (matching_file != "-" && stable_with_other_first()) {
    print_message("note: it is stable if the {0} come first in it: use --proposer {0}\n",
                  io::title_of(market, other == io::Proposer::men ? market.men : market.women));
  }
  std::vector<std::uint32_t> partner_of_woman(partner_of_man.size());
  for (std::size_t man = 0; man < partner_of_man.size(); ++man) {
    partner_of_woman[partner_of_man[man]] = static_cast<std::uint32_t>(man);
  }
  auto const pairs = problem->blocking_pairs(partner_of_man, arguments.limit);
  AgentNames const name_of(market);
  for (auto const& [man, woman] : pairs) {
    fmt::print("  {}\n",
               certificate(complete, name_of, partner_of_man, partner_of_woman, man, woman));
  }
  if (pairs.size() < verdict.blocking_pairs) {
    fmt::print("  and {} more (--limit)\n", io::grouped(verdict.blocking_pairs - pairs.size()));
  }
  return 1;
}

/// Each process of MPI reads a part of the market.
int verify_parts(std::span<std::filesystem::path const> files,
                 std::filesystem::path const& matching_file, VerifyArguments const& arguments,
                 CLI::App const& command, Runtime& runtime) {
  if (!arguments.market.are_npy(files)) {
    return require_sparse_solver_of(arguments).verify_parts(
        {.market = arguments.market.require_parts(command, files),
         .options = arguments.market.read_options(),
         .matching = matching_file,
         .format = matching_format_named(arguments.matching_format),
         .limit = arguments.limit,
         .threads = arguments.threads},
        runtime);
  }
  arguments.market.require_npy_options(command);
  auto complete = read_in_parts(files, arguments.market.read_options(),
                                [&] { start_runtime(runtime, arguments.threads); });
  if (!complete) {
    return 0;
  }
  CommandsToOthers const others;
  return verify_complete(*complete, matching_file, arguments, runtime);
}

int execute(VerifyArguments const& arguments, CLI::App const& command, Runtime& runtime) {
  auto files = arguments.market.files;
  auto const matching_file = files.back();
  files.pop_back();
  if (matching_file == "-" && std::ranges::find(files, "-") != files.end()) {
    throw ConfigError("MARKET and MATCHING cannot both be the standard input");
  }
  if (processes().count > 1) {
    return verify_parts(files, matching_file, arguments, command, runtime);
  }
  auto any = io::read_any_market(files, arguments.market.read_options());
  if (auto const* const sparse = std::get_if<io::SparseMarket>(&any)) {
    return verify_sparse(*sparse, matching_file, arguments, runtime);
  }
  CompleteMarket complete{std::move(std::get<io::Market>(any))};
  print_notes(complete.market.notes);
  return verify_complete(complete, matching_file, arguments, runtime);
}

}  // namespace

Command add_verify_matching(CLI::App& verify, Runtime& runtime) {
  auto* command = &verify;
  command->description(
      "check whether a matching is stable, and print blocking pairs if not; subcommands check "
      "other answers, such as covers, cliques and products");
  auto arguments = std::make_shared<VerifyArguments>();
  command
      ->add_option("FILE", arguments->market.files,
                   "the market in one file or two, then the matching that `taper match` writes")
      ->expected(2, 3)
      ->type_name("");
  arguments->market.add_options(*command);
  add_checked(*command, "--matching-format", arguments->matching_format,
              one_of({"auto", "text", "csv", "json"}), "NAME",
              "text, csv or json (default: by the extension, also .yaml)");
  command
      ->add_option(
          "--proposer", arguments->proposer,
          "the side that comes first in the matching: its title in the market's file, else men "
          "(the first side of the market) or women (default: the first side of the market)")
      ->type_name("SIDE");
  if (arguments->sparse_solver) {
    arguments->sparse_solver->add_verify_options(*command);
  }
  add_limit(*command, arguments->limit, "blocking pairs");
  add_threads(*command, arguments->threads);
  command->footer(
      "Example:\n"
      "  taper match market.json -o matching.json && taper verify market.json matching.json");
  require_unless_subcommand(command, {"FILE"});
  return {command,
          [arguments, command, &runtime] { return execute(*arguments, *command, runtime); }};
}

}  // namespace taper::app
