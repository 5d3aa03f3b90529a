// SPDX-License-Identifier: Apache-2.0
#include "side.hpp"

#include <mpi/lists.hpp>
#include <mpi/processes.hpp>
#include <support/config_error.hpp>
#include <support/text.hpp>

#include <io/market/names.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace taper::app {

stable_marriage::Proposer proposer_named(std::string_view name, io::Market const& market) {
  using stable_marriage::Proposer;
  auto const first = io::title_of(market, market.men);
  auto const second = io::title_of(market, market.women);
  // The file's titles come first: a file may call its second side "men".
  if (name.empty() || name == first) {
    return Proposer::men;
  }
  if (name == second) {
    return Proposer::women;
  }
  if (auto const proposer = stable_marriage::parse<Proposer>(name)) {
    return *proposer;
  }
  std::vector<std::string_view> sides{first, second};
  for (std::string_view const word : {"men", "women"}) {
    if (std::ranges::find(sides, word) == sides.end()) {
      sides.push_back(word);
    }
  }
  throw ConfigError(fmt::format("--proposer: no side has the title {}; expected one of {}",
                                io::in_quotes(name), enumerate(sides)));
}

io::Proposer io_proposer(stable_marriage::Proposer proposer) {
  return proposer == stable_marriage::Proposer::men ? io::Proposer::men : io::Proposer::women;
}

io::MatchingFormat matching_format_named(std::string_view name) {
  return name == "text"   ? io::MatchingFormat::text
         : name == "csv"  ? io::MatchingFormat::csv
         : name == "json" ? io::MatchingFormat::json
                          : io::MatchingFormat::automatic;
}

std::size_t rank_of(io::IdTable const& preferences, std::size_t row, std::uint32_t person) {
  return preferences.visit_list(row, [&](auto list) {
    return static_cast<std::size_t>(std::ranges::find(list, person) - list.begin()) + 1;
  });
}

MeanRanks mean_partner_ranks(io::Market const& market,
                             std::span<std::uint32_t const> partner_of_man) {
  MeanRanks sum;
  for (std::size_t man = 0; man < partner_of_man.size(); ++man) {
    auto const woman = partner_of_man[man];
    sum.men += static_cast<double>(rank_of(market.men.preferences, man, woman));
    sum.women += static_cast<double>(
        rank_of(market.women.preferences, woman, static_cast<std::uint32_t>(man)));
  }
  auto const n = static_cast<double>(partner_of_man.size());
  return {sum.men / n, sum.women / n};
}

MeanRanks CompleteMarket::mean_ranks(std::span<std::uint32_t const> partner_of_man) const {
  if (parts == nullptr) {
    return mean_partner_ranks(market, partner_of_man);
  }
  std::vector<RankQuestion> questions;
  for (std::uint32_t man = 0; man < partner_of_man.size(); ++man) {
    questions.push_back({.of_woman = 0, .agent = man, .other = partner_of_man[man]});
    questions.push_back({.of_woman = 1, .agent = partner_of_man[man], .other = man});
  }
  auto const ranks = parts->ranks_of(questions);
  MeanRanks sum;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    (questions[i].of_woman != 0 ? sum.women : sum.men) += ranks[i];
  }
  auto const n = static_cast<double>(partner_of_man.size());
  return {sum.men / n, sum.women / n};
}

std::size_t CompleteMarket::rank(io::Side const& side, std::uint32_t agent,
                                 std::uint32_t other) const {
  bool const of_woman = &side == &market.women;
  return parts == nullptr
             ? rank_of(side.preferences, agent, other)
             : parts->ranks_of({{.of_woman = of_woman ? 1u : 0u, .agent = agent, .other = other}})
                   .front();
}

std::optional<CompleteMarket> read_in_parts(std::span<std::filesystem::path const> files,
                                            io::MarketReadOptions const& options,
                                            std::function<void()> const& start) {
  auto const read = load_lists(files, options);
  start();
  if (processes().own != 0) {
    serve_lists();
    return std::nullopt;
  }
  auto problem = loaded_lists();
  auto const* const parts = problem.get();
  // The tables have no columns: they only say how many agents there are.
  return CompleteMarket{{.men = {"men", {}, io::IdTable(read.n, 0)},
                         .women = {"women", {}, io::IdTable(read.n, 0)},
                         .id_base = read.base,
                         .notes = {}},
                        std::move(problem),
                        parts};
}

}  // namespace taper::app
