// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/write.hpp>
#include <taper/stable_marriage/options.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace taper::app {

/// The side of this name: a title that the market's file gives, else men (the first side) or women;
/// the first side where there is no name. Throws ConfigError.
stable_marriage::Proposer proposer_named(std::string_view name, io::Market const& market);

io::Proposer io_proposer(stable_marriage::Proposer proposer);

/// auto, text, csv or json.
io::MatchingFormat matching_format_named(std::string_view name);

/// The place of `person` in the list at `row`, from 1.
std::size_t rank_of(io::IdTable const& preferences, std::size_t row, std::uint32_t person);

/// How each side fares on average: the rank that its people give to their partners, from 1.
struct MeanRanks {
  double men = 0;
  double women = 0;
};
MeanRanks mean_partner_ranks(io::Market const& market,
                             std::span<std::uint32_t const> partner_of_man);

}  // namespace taper::app
