// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/market/write.hpp>
#include <taper/stable_marriage/options.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace taper::app {

/// The side that `name` means: a title in the market's file, else men (the first side) or women.
/// Empty: the first side. Throws ConfigError with the titles.
stable_marriage::Proposer proposer_named(std::string_view name, io::Market const& market);

io::Proposer io_proposer(stable_marriage::Proposer proposer);

/// The format with this name: auto, text, csv or json.
io::MatchingFormat matching_format_named(std::string_view name);

/// The rank of `person` in the list at `row`, from 1.
std::size_t rank_of(io::IdTable const& preferences, std::size_t row, std::uint32_t person);

/// The mean rank, from 1, that each side's agents give to their partners.
struct MeanRanks {
  double men = 0;
  double women = 0;
};
MeanRanks mean_partner_ranks(io::Market const& market,
                             std::span<std::uint32_t const> partner_of_man);

}  // namespace taper::app
