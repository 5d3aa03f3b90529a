// SPDX-License-Identifier: Apache-2.0
#include "side.hpp"

#include <support/config_error.hpp>
#include <support/text.hpp>

#include <io/market/names.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <algorithm>
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

}  // namespace taper::app
