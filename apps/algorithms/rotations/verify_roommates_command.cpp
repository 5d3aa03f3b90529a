// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"

#include <driver/cli_options.hpp>
#include <support/text.hpp>

#include <io/agents/agent_lists.hpp>
#include <io/text/source.hpp>
#include <io/text/strings.hpp>
#include <taper/roommates/verify.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace taper::app {

namespace rm = roommates;

namespace {

using Json = nlohmann::ordered_json;
using Kind = rm::Flaw::Kind;

struct VerifyRoommatesArguments {
  std::filesystem::path file;
  std::filesystem::path answer;
};

/// Throws: io::InputError if the file is no JSON object.
Json read_object(std::filesystem::path const& path) {
  io::Source source(path);
  source.read_as_text();
  std::string text;
  for (auto part = source.buffered(); !part.empty(); part = source.buffered()) {
    text += part;
    source.skip(part.size());
  }
  auto json = Json::parse(text, nullptr, false);
  if (!json.is_object()) {
    throw io::InputError(source.name(), "expected the JSON that taper roommates --json writes");
  }
  return json;
}

/// The agents' partners or successors: an object from each name to a name or null.
/// Throws: io::InputError if an agent is missing or unknown.
std::vector<std::int32_t> read_partners(std::string const& file, Json const& object,
                                        io::AgentLists const& agents) {
  std::unordered_map<std::string, std::int32_t> number_of;
  for (std::size_t i = 0; i < agents.names.size(); ++i) {
    number_of.emplace(agents.names[i], static_cast<std::int32_t>(i));
  }
  std::vector<std::int32_t> partners;
  for (auto const& name : agents.names) {
    auto const entry = object.find(name);
    if (entry == object.end() || !(entry->is_null() || entry->is_string())) {
      throw io::InputError(
          file, fmt::format("expected a name or null for the agent {}", io::in_quotes(name)));
    }
    auto const partner =
        entry->is_null() ? number_of.end() : number_of.find(entry->get<std::string>());
    if (!entry->is_null() && partner == number_of.end()) {
      throw io::InputError(file, fmt::format("{}, the partner of {}, is not among the agents",
                                             io::in_quotes(entry->get<std::string>()),
                                             io::in_quotes(name)));
    }
    partners.push_back(entry->is_null() ? rm::no_partner : partner->second);
  }
  if (object.size() != agents.names.size()) {
    throw io::InputError(
        file, fmt::format("expected {} agents, found {}", agents.names.size(), object.size()));
  }
  return partners;
}

std::string text_of(rm::Flaw const& flaw, io::AgentLists const& agents) {
  auto const name = [&](std::int32_t agent) {
    return agent < 0 ? std::string("no agent") : agents.names[static_cast<std::size_t>(agent)];
  };
  std::string const first = name(flaw.first);
  std::string const second = name(flaw.second);
  switch (flaw.kind) {
  case Kind::blocking:
    return fmt::format("{} and {} prefer each other", first, second);
  case Kind::unlisted:
    return fmt::format("{} and {} do not list each other", first, second);
  case Kind::direction:
    return fmt::format("{} prefers its predecessor to its successor {}", first, second);
  case Kind::shared:
    return fmt::format("{} has {}, which has another partner or predecessor", first, second);
  case Kind::even:
    return "no party is odd and has three or more agents";
  case Kind::range:
  case Kind::size:
    break;
  }
  return fmt::format("{} has {} as partner or successor", first, second);
}

int execute(VerifyRoommatesArguments const& arguments) {
  io::AgentLists const agents = io::read_roommates(arguments.file);
  Json const answer = read_object(arguments.answer);
  bool const solvable = answer.contains("matching");
  auto const part = answer.find(solvable ? "matching" : "successor");
  if (part == answer.end() || !part->is_object()) {
    throw io::InputError(arguments.answer.string(),
                         "expected an object under the key matching or successor");
  }
  auto const partners = read_partners(arguments.answer.string(), *part, agents);
  auto const flaw = solvable ? rm::find_flaw_of_matching(agents.view(), partners)
                             : rm::find_flaw_of_proof(agents.view(), partners);
  if (flaw) {
    fmt::print("wrong: {}\n", text_of(*flaw, agents));
    return 1;
  }
  fmt::print("{}\n", solvable ? "stable: no blocking pair"
                              : "right: a stable partition with an odd party of three or more; "
                                "no matching is stable");
  return 0;
}

}  // namespace

Command add_verify_roommates(CLI::App& verify_group) {
  auto* command = verify_group.add_subcommand(
      "roommates", "check a stable matching of roommates, or the proof that there is none");
  auto arguments = std::make_shared<VerifyRoommatesArguments>();
  add_positional(*command, "FILE", arguments->file, "the instance, as for `taper roommates`");
  add_positional(*command, "ANSWER", arguments->answer,
                 "the JSON that `taper roommates --json` writes");
  command->footer("Example:\n"
                  "  taper roommates students.json --json -o answer.json\n"
                  "  taper verify roommates students.json answer.json");
  return {command, [arguments] { return execute(*arguments); }};
}

}  // namespace taper::app
