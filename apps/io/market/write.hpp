// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/market/market.hpp>
#include <io/market/read.hpp>
#include <io/text/error.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taper::io {

/// Writes `market` as one file that read_market() reads back.
///
/// Lists (also MarketFormat::automatic) and .npy hold numbers, in the market's base. JSON and YAML
/// write numbers as names.
/// Throws: InputError if a market with names is to be written as lists or .npy.
void write_market(std::ostream& out, Market const& market, MarketFormat format);

/// Writes a sparse market as one file that read_any_market() reads back: JSON or YAML with ties and
/// `capacities`, or CSV with a row per entry. Numbers become names.
///
/// JSON and YAML have no scores: the lists of the second side keep their order and their ties. CSV
/// begins with a row per agent of the second side, which has its seats.
/// Throws: InputError for another format.
void write_market(std::ostream& out, SparseMarket const& market, MarketFormat format);

/// The format for a file name, by its extension: .json, .yaml, .yml, .csv, .npy, else lists.
MarketFormat market_format_of(std::filesystem::path path);

enum class MatchingFormat { automatic, text, csv, json };

enum class Proposer { men, women };

/// Writes a matching, in the names or numbers of the market's file.
///
/// - text: one line "PROPOSER PARTNER" per pair. Names with a blank, a quote or a comment sign are
///   in double quotes.
/// - csv: RFC 4180, man and woman, with the titles of the sides as header
/// - json: an object from each proposer's name to the partner's
///
/// Requires: partner_of_man is a perfect matching, 0-based.
void write_matching(std::ostream& out, Market const& market,
                    std::span<const std::uint32_t> partner_of_man,
                    MatchingFormat format = MatchingFormat::text,
                    Proposer proposer = Proposer::men);

/// The format for a file name, by its extension: .csv, .json, .yaml or .yml (JSON, which is valid
/// YAML), else text.
MatchingFormat matching_format_of(std::filesystem::path path);

/// Reads the partner of each man, 0-based, from a file in a format of write_matching(). "-" is the
/// standard input.
///
/// `proposer` is the side that comes first in a pair. A CSV header overrides it, and so does a
/// first name that only the other side has.
/// Throws: MatchingError if a person appears twice or has no partner. InputError if a name or
///   number is unknown.
std::vector<std::uint32_t> read_matching(std::filesystem::path const& path, Market const& market,
                                         MatchingFormat format = MatchingFormat::automatic,
                                         Proposer proposer = Proposer::men);

/// Reads a matching from a text in memory, without decompression; `name` is for messages.
std::vector<std::uint32_t> parse_matching(std::string name, std::string_view text,
                                          Market const& market,
                                          MatchingFormat format = MatchingFormat::automatic,
                                          Proposer proposer = Proposer::men);

/// What a matching of a sparse market has for a resident without a hospital.
inline constexpr std::uint32_t unassigned = ~std::uint32_t{0};

/// Writes a matching of a sparse market, in the names or numbers of its file and in its order.
///
/// - text: one line "RESIDENT HOSPITAL" per resident, and "RESIDENT -" for one that is unassigned.
///   A hospital that is called "-" is in quotes.
/// - csv: RFC 4180, with the titles of the sides as header; an empty cell for no hospital
/// - json: an object from each resident's name to the hospital's, or null
///
/// Requires: hospital_of has an id below second.count or `unassigned` per resident.
void write_matching(std::ostream& out, SparseMarket const& market,
                    std::span<const std::uint32_t> hospital_of,
                    MatchingFormat format = MatchingFormat::text);

/// Reads the hospital of each resident, or `unassigned`, from a file in a format of
/// write_matching(). "-" is the standard input. Residents that the file does not name are
/// unassigned. Residents come first, unless a CSV header says otherwise.
/// Throws: MatchingError if a resident appears twice or has a hospital that it does not list, or if
///   a hospital has more residents than seats. InputError if a name or number is unknown.
std::vector<std::uint32_t> read_matching(std::filesystem::path const& path,
                                         SparseMarket const& market,
                                         MatchingFormat format = MatchingFormat::automatic);

/// A matching that was read without the lists of its market, which other processes have.
struct UncheckedMatching {
  std::string file;                        ///< for messages
  std::vector<std::uint32_t> hospital_of;  ///< per resident
  std::vector<std::size_t> line_of;        ///< per resident: of its pair
  std::vector<std::uint32_t> order;        ///< the residents of the pairs, in the order of the file
  std::exception_ptr error;                ///< the InputError at which reading ended; or null
};

/// Reads up to the first error. Of `market` it needs titles, names and seats.
UncheckedMatching read_unchecked_matching(std::filesystem::path const& path,
                                          SparseMarket const& market, MatchingFormat format);

/// Throws what read_matching() throws with the lists. `unlisted`: of the residents that do not list
/// their hospital, the first in `order`; nothing if all do.
void require_right(UncheckedMatching const& matching, SparseMarket const& market,
                   std::optional<std::uint32_t> unlisted);

/// Reads a matching from a text in memory, without decompression; `name` is for messages.
std::vector<std::uint32_t> parse_matching(std::string name, std::string_view text,
                                          SparseMarket const& market,
                                          MatchingFormat format = MatchingFormat::automatic);

}  // namespace taper::io
