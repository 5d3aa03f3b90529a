// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "json.hpp"
#include "solve.hpp"

#include <driver/cli_options.hpp>
#include <driver/output.hpp>
#include <experiment/fields.hpp>
#include <support/message.hpp>
#include <support/seconds_of.hpp>
#include <support/text.hpp>

#include <io/agents/agent_lists.hpp>
#include <io/text/strings.hpp>
#include <taper/rotations/fields.hpp>
#include <taper/rotations/optimum.hpp>

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <stdexcept>
#include <string>

namespace taper::app {

namespace rot = rotations;

namespace {

using Json = nlohmann::ordered_json;
using Sides = std::array<io::AgentLists, 2>;

struct StableMatchingsArguments {
  std::filesystem::path file;
  bool count = false;
  std::uint64_t list = 0;  ///< the most matchings; 0: do not list
  std::optional<rot::Objective> objective;
  std::uint64_t limit = rot::Options{}.visit_limit;
  bool json = false;
  std::filesystem::path output;
};

rot::Market market_of(Sides const& sides) {
  return {sides[0].view(), sides[1].view()};
}

/// The independent check. A matching that fails it is a defect of this program.
void require_stable(Sides const& sides, std::span<std::int32_t const> partners) {
  if (check_matching(market_of(sides), partners)) {
    throw std::logic_error("the matching is not stable; please report this");
  }
}

Json json_of(Sides const& sides, std::span<std::int32_t const> partners) {
  return partners_json(sides[0].names, sides[1].names, partners);
}

void write_text(std::ostream& out, Sides const& sides, std::span<std::int32_t const> partners) {
  io::write_partners(out, sides[0].names, sides[1].names, partners);
}

/// Prints the number. Status 1: it is a lower bound.
int count(StableMatchingsArguments const& arguments, rot::RotationPoset const& poset,
          std::ostream& out) {
  rot::Count const count = solve_count(poset, arguments.limit);
  if (arguments.json) {
    out << Json{{"matchings", count.matchings}, {"exact", count.exact}}.dump(2) << '\n';
  } else {
    out << count.matchings << '\n';
  }
  if (!count.exact) {
    print_message("count     a lower bound: {} sets of rotations were visited (--limit)\n",
                  io::grouped(count.visited));
  }
  return count.exact ? 0 : 1;
}

/// Prints matchings up to the limit, with an empty line between two.
int list(StableMatchingsArguments const& arguments, Sides const& sides,
         rot::RotationPoset const& poset, std::ostream& out) {
  std::uint64_t listed = 0;
  auto matchings = Json::array();
  bool const complete = list_matchings(poset, [&](std::span<std::int32_t const> partners) {
    if (listed == arguments.list) {
      return false;
    }
    require_stable(sides, partners);
    if (arguments.json) {
      matchings.push_back(json_of(sides, partners));
    } else {
      out << (listed > 0 ? "\n" : "");
      write_text(out, sides, partners);
    }
    ++listed;
    return true;
  });
  if (arguments.json) {
    out << Json{{"complete", complete}, {"matchings", std::move(matchings)}}.dump(2) << '\n';
  }
  print_message("listed    {}\n",
                complete ? fmt::format("all: {}", io::grouped(listed))
                         : fmt::format("the first {}; there are more", io::grouped(listed)));
  return 0;
}

/// Prints the best matching. Status 1: it is not proved to be the best.
int optimize(StableMatchingsArguments const& arguments, Sides const& sides,
             rot::RotationPoset const& poset, std::ostream& out) {
  rot::Optimum const best =
      solve_optimum(poset, {.objective = *arguments.objective, .visit_limit = arguments.limit});
  require_stable(sides, best.partner_of_man);
  rot::Costs const costs = rot::costs_of(poset, best.partner_of_man);
  if (arguments.json) {
    Json json{{"objective", to_string(*arguments.objective)}, {"proved", best.proved}};
    write_fields(json, costs);
    json["matching"] = json_of(sides, best.partner_of_man);
    out << json.dump(2) << '\n';
  } else {
    write_text(out, sides, best.partner_of_man);
  }
  print_message("matching  {}: sum of ranks {} ({} {}, {} {}), worst rank {} (0 is the best)\n",
                to_string(*arguments.objective), io::grouped(std::uint64_t(costs.egalitarian)),
                sides[0].title, io::grouped(std::uint64_t(costs.men_ranks)), sides[1].title,
                io::grouped(std::uint64_t(costs.women_ranks)), costs.regret);
  print_message("verified  no blocking pair\n");
  if (!best.proved) {
    print_message("limit     {} sets of rotations were visited; a better matching may exist\n",
                  io::grouped(best.visited));
  }
  return best.proved ? 0 : 1;
}

int execute(StableMatchingsArguments const& arguments) {
  Sides const sides = io::read_two_sides(arguments.file);
  Output output(arguments.output, std::span(&arguments.file, 1));
  rot::RotationPoset poset;
  double const seconds = seconds_of([&] { poset = solve_rotations(market_of(sides)); });
  rot::Report const report = rot::report_of(poset);
  print_message("market    {} {}, {} {}; {} in every stable matching\n",
                io::grouped(std::uint64_t(report.men)), sides[0].title,
                io::grouped(std::uint64_t(report.women)), sides[1].title,
                counted(std::uint64_t(report.pairs), "pair", "pairs"));
  if (report.one_sided > 0) {
    print_message("dropped   {}: the other does not list the agent\n",
                  counted(std::uint64_t(report.one_sided), "entry", "entries"));
  }
  print_message("rotations {}, {} in {}\n", io::grouped(std::uint64_t(report.rotations)),
                counted(std::uint64_t(report.stable_pairs), "stable pair", "stable pairs"),
                format_seconds(seconds));
  int const status = arguments.objective  ? optimize(arguments, sides, poset, output.stream())
                     : arguments.list > 0 ? list(arguments, sides, poset, output.stream())
                                          : count(arguments, poset, output.stream());
  output.commit();
  return status;
}

/// The options that say what to print. They exclude each other.
void add_questions(CLI::App& command, std::shared_ptr<StableMatchingsArguments> const& arguments) {
  std::vector<CLI::Option*> questions{
      command.add_flag("--count", arguments->count, "the number of stable matchings (the default)"),
      add_checked(command, "--list", arguments->list,
                  integer_in(1, std::numeric_limits<std::int64_t>::max()), "N",
                  "the first N stable matchings; the first one is the best for the first side")};
  auto const add = [&](std::string const& flag, rot::Objective objective, std::string const& what) {
    questions.push_back(command.add_flag_callback(
        flag, [=] { arguments->objective = objective; }, what));
  };
  add("--man-optimal", rot::Objective::man_optimal, "the best one for the first side");
  add("--woman-optimal", rot::Objective::woman_optimal, "the best one for the second side");
  add("--egalitarian", rot::Objective::egalitarian, "the one with the least sum of ranks");
  add("--minimum-regret", rot::Objective::minimum_regret, "the one whose worst rank is the least");
  add("--sex-equal", rot::Objective::sex_equal,
      "the one with the least difference between the sides' sums of ranks");
  for (std::size_t i = 0; i < questions.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      questions[i]->excludes(questions[j]);
    }
  }
}

}  // namespace

Command add_stable_matchings(CLI::App& app) {
  auto* command = app.add_subcommand(
      "stable-matchings", "count, list or optimize the stable matchings of a market in a file");
  auto arguments = std::make_shared<StableMatchingsArguments>();
  add_positional(*command, "FILE", arguments->file,
                 "JSON or YAML with two mappings from names to lists of names, of any length; '-' "
                 "is the standard input");
  add_questions(*command, arguments);
  add_checked(*command, "--limit", arguments->limit,
              integer_in(0, std::numeric_limits<std::int64_t>::max()), "N",
              fmt::format("--count and --sex-equal: sets of rotations to visit; 0: no limit "
                          "(default: {})",
                          arguments->limit));
  command->add_flag("--json", arguments->json, "print JSON; null for no partner");
  add_output(*command, arguments->output,
             "the file of the answer (default: '-', the standard output)");
  command->footer(
      "Example: a market with two stable matchings\n"
      "  echo '{\"residents\": {\"Ada\": [\"City\", \"Park\"], \"Bob\": [\"Park\", \"City\"]},\n"
      "         \"hospitals\": {\"City\": [\"Bob\", \"Ada\"], \"Park\": [\"Ada\", \"Bob\"]}}' > "
      "market.json\n"
      "  taper stable-matchings market.json --list 10");
  return {command, [arguments] { return execute(*arguments); }};
}

}  // namespace taper::app
