// SPDX-License-Identifier: Apache-2.0
#include <io/market/assignment_words.hpp>
#include <io/market/names.hpp>
#include <io/market/write.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace taper::io {
namespace {

constexpr std::size_t most_listed = 10;  ///< agents in a line of the report

/// What a hospital thinks of a resident: its score, or its place in the hospital's list.
std::string opinion(SparseMarket const& market, std::uint32_t key) {
  return market.scores.empty() ? ordinal(std::uint64_t{key} + 1)
                               : fmt::format("{}", market.scores[key]);
}

std::string unassigned_in_words(SparseMarket const& market,
                                std::vector<std::uint32_t> const& unassigned) {
  if (unassigned.empty()) {
    return "none unassigned";
  }
  if (unassigned.size() > most_listed) {
    return grouped(unassigned.size()) + " unassigned";
  }
  std::vector<std::string> names;
  for (auto const id : unassigned) {
    names.push_back(market.name_of(market.first, id));
  }
  return fmt::format("unassigned: {}", fmt::join(names, ", "));
}

std::string choices_in_words(AssignmentSummary const& summary) {
  std::vector<std::string> counts;
  for (std::size_t choice = 0; choice < std::min(summary.by_choice.size(), most_listed); ++choice) {
    counts.push_back(fmt::format("{} {}", ordinal(choice + 1), grouped(summary.by_choice[choice])));
  }
  std::uint64_t later = 0;
  for (auto choice = counts.size(); choice < summary.by_choice.size(); ++choice) {
    later += summary.by_choice[choice];
  }
  if (later > 0) {
    counts.push_back("later " + grouped(later));
  }
  return fmt::format("{}; mean {:.2f}", fmt::join(counts, ", "), summary.mean_choice);
}

}  // namespace

AgentWords::AgentWords(SparseMarket const& market) : market_(market) {
  std::unordered_set<std::string_view> const first(market.first.names.begin(),
                                                   market.first.names.end());
  share_names_ = market.first.names.empty() || market.second.names.empty() ||
                 std::ranges::any_of(market.second.names,
                                     [&](auto const& name) { return first.contains(name); });
}

std::string AgentWords::name(Agents const& side, std::uint32_t id) const {
  auto const name = market_.name_of(side, id);
  return share_names_ ? name + " of the " + title_of(market_, side) : name;
}

std::vector<std::string> report_lines(SparseMarket const& market,
                                      AssignmentSummary const& summary) {
  std::vector<std::string> lines;
  lines.push_back(fmt::format("assigned  {} of {} ({}); {}", grouped(summary.assigned),
                              grouped(market.first.count), title_of(market, market.first),
                              unassigned_in_words(market, summary.unassigned)));
  lines.push_back(fmt::format("seats     {} of {} filled ({})", grouped(summary.assigned),
                              grouped(summary.seats), title_of(market, market.second)));
  if (summary.assigned > 0) {
    lines.push_back("choices   " + choices_in_words(summary));
  }
  if (market.second.count > most_listed) {
    lines.push_back("cut-offs  of all with --report json");
    return lines;
  }
  std::vector<std::string> cut_offs;
  for (std::uint32_t id = 0; id < market.second.count; ++id) {
    auto const& hospital = summary.hospitals[id];
    cut_offs.push_back(fmt::format("{} {} ({} of {})", market.name_of(market.second, id),
                                   hospital.last_key ? opinion(market, *hospital.last_key) : "-",
                                   hospital.filled, market.seats[id]));
  }
  lines.push_back(fmt::format("cut-offs  {}", fmt::join(cut_offs, ", ")));
  return lines;
}

nlohmann::ordered_json report_json(SparseMarket const& market, AssignmentSummary const& summary) {
  nlohmann::ordered_json json;
  json["residents"] = market.first.count;
  json["assigned"] = summary.assigned;
  auto& without = json["unassigned"] = nlohmann::ordered_json::array();
  for (auto const id : summary.unassigned) {
    without.push_back(market.name_of(market.first, id));
  }
  json["seats"] = summary.seats;
  json["by_choice"] = summary.by_choice;
  json["mean_choice"] = summary.mean_choice;
  auto& hospitals = json["hospitals"] = nlohmann::ordered_json::array();
  for (std::uint32_t id = 0; id < market.second.count; ++id) {
    auto const& hospital = summary.hospitals[id];
    nlohmann::ordered_json entry{{"name", market.name_of(market.second, id)},
                                 {"seats", market.seats[id]},
                                 {"filled", hospital.filled}};
    entry[market.scores.empty() ? "last_rank" : "last_score"] =
        !hospital.last_key      ? nlohmann::ordered_json()
        : market.scores.empty() ? nlohmann::ordered_json(std::uint64_t{*hospital.last_key} + 1)
                                : nlohmann::ordered_json(market.scores[*hospital.last_key]);
    hospitals.push_back(std::move(entry));
  }
  return json;
}

BlockingPairFacts facts_of_pair(SparseMarket const& market,
                                std::span<std::uint32_t const> hospital_of, std::uint32_t resident,
                                std::uint32_t hospital) {
  auto const entry = *entry_of(market, resident, hospital);
  BlockingPairFacts pair{.resident = resident,
                         .hospital = hospital,
                         .choice = market.tier(resident, entry),
                         .held = hospital_of[resident],
                         .key = market.keys[entry]};
  if (pair.held != unassigned) {
    pair.held_choice = market.tier(resident, *entry_of(market, resident, pair.held));
  }
  for (std::uint32_t other = 0; other < hospital_of.size(); ++other) {
    if (hospital_of[other] == hospital) {
      auto const key = market.keys[*entry_of(market, other, hospital)];
      if (pair.filled++ == 0 || key > pair.worst_key) {
        pair.worst = other;
        pair.worst_key = key;
      }
    }
  }
  return pair;
}

std::string certificate(SparseMarket const& market, AgentWords const& words,
                        BlockingPairFacts const& pair) {
  auto const choice = [](std::uint32_t tier) { return ordinal(std::uint64_t{tier} + 1); };
  auto const r = words.resident(pair.resident), h = words.hospital(pair.hospital);
  auto text =
      fmt::format("{} ranks {} {} and {}; ", r, h, choice(pair.choice),
                  pair.held == unassigned ? "is unassigned"
                                          : fmt::format("has {}, {}", words.hospital(pair.held),
                                                        choice(pair.held_choice)));
  if (pair.filled < market.seats[pair.hospital]) {
    return text + fmt::format("{} has a free seat", h);
  }
  auto const* const verb = market.scores.empty() ? "ranks" : "scores";
  return text + fmt::format("{} {} {} {} and has {}, {}", h, verb, r, opinion(market, pair.key),
                            words.resident(pair.worst), opinion(market, pair.worst_key));
}

}  // namespace taper::io
