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
#include <taper/roommates/fields.hpp>
#include <taper/roommates/verify.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace taper::app {

namespace rm = roommates;

namespace {

using Json = nlohmann::ordered_json;

struct RoommatesArguments {
  std::filesystem::path file;
  bool json = false;
  std::filesystem::path output;
};

/// The odd parties of three or more agents, each as the cycle of its successors.
std::vector<std::vector<std::string>> odd_parties(io::AgentLists const& agents,
                                                  std::span<std::int32_t const> successor) {
  std::vector<std::vector<std::string>> parties;
  std::vector<std::uint8_t> seen(successor.size(), 0);
  for (std::size_t start = 0; start < successor.size(); ++start) {
    std::vector<std::string> party;
    for (std::size_t at = start; seen[at] == 0; at = static_cast<std::size_t>(successor[at])) {
      seen[at] = 1;
      party.push_back(agents.names[at]);
    }
    if (party.size() >= 3 && party.size() % 2 != 0) {
      parties.push_back(std::move(party));
    }
  }
  return parties;
}

/// Checks the answer by its definition. One that fails is a defect of this program.
void require_right(io::AgentLists const& agents, rm::Result const& result) {
  if (result.solvable ? rm::find_flaw_of_matching(agents.view(), result.partner)
                      : rm::find_flaw_of_proof(agents.view(), result.successor)) {
    throw std::logic_error("the answer is wrong; please report this");
  }
}

Json json_of(io::AgentLists const& agents, rm::Result const& result) {
  Json json{{"solvable", result.solvable}};
  write_fields(json, result.report);
  if (result.solvable) {
    json["matching"] = partners_json(agents.names, agents.names, result.partner);
  } else {
    json["parties"] = odd_parties(agents, result.successor);
    json["successor"] = partners_json(agents.names, agents.names, result.successor);
  }
  return json;
}

int execute(RoommatesArguments const& arguments) {
  io::AgentLists const agents = io::read_roommates(arguments.file);
  Output output(arguments.output, std::span(&arguments.file, 1));
  rm::Result result;
  double const seconds = seconds_of([&] { result = solve_roommates(agents.view()); });
  require_right(agents, result);
  auto const& report = result.report;
  print_message("solved    {} of {}, {} in {}\n",
                counted(std::uint64_t(report.agents), "agent", "agents"), agents.title,
                counted(std::uint64_t(report.rotations), "rotation", "rotations"),
                format_seconds(seconds));
  if (report.one_sided > 0) {
    print_message("dropped   {}: the other does not list the agent\n",
                  counted(std::uint64_t(report.one_sided), "entry", "entries"));
  }
  if (arguments.json) {
    output.stream() << json_of(agents, result).dump(2) << '\n';
  }
  if (result.solvable) {
    if (!arguments.json) {
      io::write_partners(output.stream(), agents.names, agents.names, result.partner);
    }
    print_message("verified  {}, {} alone; no blocking pair\n",
                  counted(std::uint64_t(report.pairs), "pair", "pairs"),
                  io::grouped(std::uint64_t(report.unmatched)));
    output.commit();
    return 0;
  }
  if (arguments.json) {
    output.commit();
  }
  print_message("verified  no matching is stable: a stable partition has {} of three or more\n",
                counted(std::uint64_t(report.odd_parties), "odd party", "odd parties"));
  for (auto const& party : odd_parties(agents, result.successor)) {
    print_message("party     {}\n", fmt::join(party, ", "));
  }
  return 1;
}

}  // namespace

Command add_roommates(CLI::App& app) {
  auto* command = app.add_subcommand(
      "roommates", "find a stable matching of agents that rank each other, or prove there is none");
  auto arguments = std::make_shared<RoommatesArguments>();
  add_positional(*command, "FILE", arguments->file,
                 "JSON or YAML with a mapping from names to lists of names, of any length; '-' is "
                 "the standard input");
  command->add_flag("--json", arguments->json,
                    "print JSON: the matching, or the successors of the stable partition");
  add_output(*command, arguments->output,
             "the file of the matching (default: '-', the standard output)");
  command->footer(
      "Example:\n"
      "  echo '{\"Ada\": [\"Bob\", \"Eve\", \"Jim\"], \"Bob\": [\"Eve\", \"Ada\", \"Jim\"],\n"
      "         \"Eve\": [\"Jim\", \"Ada\", \"Bob\"], \"Jim\": [\"Ada\", \"Eve\", \"Bob\"]}' > "
      "students.json\n"
      "  taper roommates students.json");
  return {command, [arguments] { return execute(*arguments); }};
}

}  // namespace taper::app
