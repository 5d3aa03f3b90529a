// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/error.hpp>
#include <io/market.hpp>
#include <io/read.hpp>

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <span>
#include <vector>

namespace taper::io {

/// Writes `market` as one file that read_market() reads back.
///
/// Lists (Format::automatic too) and .npy hold numbers (in the market's base), so a market with
/// names is refused there; JSON and YAML take numbers as names. Throws: InputError.
void write_market(std::ostream& out, Market const& market, Format format);

/// The form of a market in a file of this name, by its extension: .json, .yaml, .yml, .npy, else
/// lists.
Format market_format_of(std::filesystem::path path);

enum class MatchingFormat { automatic, text, csv, json };

enum class Proposer { men, women };

/// Writes who is matched with whom, in the names or the numbers of the market's own file.
///
/// - text: "PROPOSER PARTNER" a line; a name with a blank, a quote or a comment sign stands in double
///   quotes
/// - csv: RFC 4180, man and woman, under the titles of the sides
/// - json: an object from each proposer's name to the partner's
///
/// Requires: partner_of_man is a perfect matching, 0-based. Throws: InputError.
void write_matching(std::ostream& out, Market const& market,
                    std::span<const std::uint32_t> partner_of_man,
                    MatchingFormat format = MatchingFormat::text,
                    Proposer proposer = Proposer::men);

/// The form of a matching in a file of this name, by its extension: .csv, .json, .yaml or .yml (as
/// JSON, which is YAML), else text.
MatchingFormat matching_format_of(std::filesystem::path path);

/// The partner of each man, 0-based, in a file that write_matching() could have written; "-" is the
/// standard input.
///
/// `proposer` is the side that comes first, where no header of a CSV file says it; names that are
/// the other side's alone say so too.
/// Throws: MatchingError where somebody stands twice or has no partner, InputError where a name or
/// number is unknown.
std::vector<std::uint32_t> read_matching(std::filesystem::path const& path, Market const& market,
                                         MatchingFormat format = MatchingFormat::automatic,
                                         Proposer proposer = Proposer::men);

}  // namespace taper::io
