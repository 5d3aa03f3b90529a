// SPDX-License-Identifier: Apache-2.0
#include "cli_options.hpp"
#include "command.hpp"
#include "config_error.hpp"
#include "runtime.hpp"
#include "side.hpp"
#include "solver.hpp"
#include "text.hpp"

#include <io/error.hpp>
#include <io/names.hpp>
#include <io/text.hpp>
#include <io/write.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace taper::app {
namespace {

struct Arguments {
  MarketArguments market;  ///< its files end in the matching until execute() takes it off
  std::string matching_format = "auto";
  std::string proposer;  ///< empty: the side that comes first
  std::size_t limit = 10;
  int threads = 0;
};

/// Who is who in the sentences about a market: names may be the same on both sides, as numbers are.
class People {
 public:
  explicit People(io::Market const& market) : market_(market) {
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

/// Both halves of the certificate: why he would leave, and why she would.
std::string certificate(io::Market const& market, People const& person,
                        std::span<std::uint32_t const> partner_of_man,
                        std::span<std::uint32_t const> partner_of_woman, std::uint32_t man,
                        std::uint32_t woman) {
  auto const side = [&](io::Side const& mine, io::Side const& theirs, std::uint32_t me,
                        std::uint32_t wanted, std::uint32_t had) {
    return fmt::format("{} ranks {} {} and has {}, {}", person(mine, me), person(theirs, wanted),
                       ordinal(rank_of(mine.preferences, me, wanted)), person(theirs, had),
                       ordinal(rank_of(mine.preferences, me, had)));
  };
  return side(market.men, market.women, man, woman, partner_of_man[man]) + "; " +
         side(market.women, market.men, woman, man, partner_of_woman[woman]);
}

int execute(Arguments const& arguments, Runtime& runtime) {
  auto files = arguments.market.files;
  auto const matching_file = files.back();
  files.pop_back();
  if (matching_file == "-" && std::ranges::find(files, "-") != files.end()) {
    throw ConfigError("MARKET and MATCHING cannot both be the standard input");
  }
  auto const market = io::read_market(files, arguments.market.read_options());
  for (auto const& note : market.notes) {
    fmt::print(stderr, "note: {}\n", note);
  }
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

  runtime.start(arguments.threads);
  auto const problem =
      load_problem(require_backend("host"), market.men.preferences, market.women.preferences);
  auto const verdict = problem->verify(partner_of_man);
  if (verdict.stable()) {
    fmt::print("stable: {}, and no two people would rather have each other\n",
               counted(market.size(), "pair", "pairs"));
    return 0;
  }
  fmt::print("not stable: {}\n",
             counted(verdict.blocking_pairs, "blocking pair", "blocking pairs"));
  auto const other = proposer == io::Proposer::men ? io::Proposer::women : io::Proposer::men;
  // Where both sides have the same names, nothing shows whose come first.
  auto const stable_the_other_way = [&] {
    try {
      return problem->verify(read(other)).stable();
    } catch (io::InputError const&) {
      return false;
    }
  };
  if (matching_file != "-" && stable_the_other_way()) {
    fmt::print(stderr, "note: read with the {0} first it is stable: --proposer {0}\n",
               io::title_of(market, other == io::Proposer::men ? market.men : market.women));
  }
  std::vector<std::uint32_t> partner_of_woman(partner_of_man.size());
  for (std::size_t man = 0; man < partner_of_man.size(); ++man) {
    partner_of_woman[partner_of_man[man]] = static_cast<std::uint32_t>(man);
  }
  auto const pairs = problem->blocking_pairs(partner_of_man, arguments.limit);
  People const person(market);
  for (auto const& [man, woman] : pairs) {
    fmt::print("  {}\n", certificate(market, person, partner_of_man, partner_of_woman, man, woman));
  }
  if (pairs.size() < verdict.blocking_pairs) {
    fmt::print("  and {} more (--limit)\n", io::grouped(verdict.blocking_pairs - pairs.size()));
  }
  return 1;
}

}  // namespace

Command add_verify(CLI::App& app, Runtime& runtime) {
  auto* command = app.add_subcommand(
      "verify", "say whether a matching is stable, and if not, which pairs block; "
                "`verify cover`: whether a set of vertices covers a graph; `verify product`: "
                "whether a matrix is the product of two others");
  auto arguments = std::make_shared<Arguments>();
  command
      ->add_option("FILE", arguments->market.files,
                   "the market, one file or two, and last the matching as `taper match` writes it")
      ->expected(2, 3)
      ->type_name("");
  arguments->market.add_options(*command);
  command
      ->add_option("--matching-format", arguments->matching_format,
                   "text, csv or json (default: by the extension, .yaml too)")
      ->check(one_of({"auto", "text", "csv", "json"}))
      ->type_name("NAME");
  command
      ->add_option(
          "--proposer", arguments->proposer,
          "the side that comes first in the matching: its title in the market's file, else men "
          "(the first one there) or women (default: the first one there)")
      ->type_name("SIDE");
  command->add_option("--limit", arguments->limit, "blocking pairs to show (default: 10)")
      ->check(integer_in(0, 1'000'000))
      ->type_name("K");
  add_threads(*command, arguments->threads);
  command->footer(
      "Example:\n"
      "  taper match market.json -o matching.json && taper verify market.json matching.json");
  require_unless_subcommand(command, {"FILE"});
  std::array const others{add_verify_cover(*command), add_verify_product(*command, runtime)};
  return {command, [arguments, others, &runtime] {
            auto const other = chosen(others);
            return other != nullptr ? other->execute() : execute(*arguments, runtime);
          }};
}

}  // namespace taper::app
