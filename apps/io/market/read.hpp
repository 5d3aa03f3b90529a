// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/market/market.hpp>
#include <io/market/sparse_market.hpp>
#include <io/text/error.hpp>

#include <atomic>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace taper::io {

enum class MarketFormat {
  automatic,
  lists,
  json,
  yaml,
  npy,
  glasgow,
  csv,
  algmatch,     ///< algmatch_hr or algmatch_sm, as the lists suggest
  algmatch_hr,  ///< the second side has seats
  algmatch_sm,  ///< it has not
  preflib,
  arrays
};

/// What entry j of a numbered row means: the id of the j-th best (order), or the rank of person j
/// (rank).
enum class ListMeaning { order, rank };

enum class IdBase { automatic, zero, one };

/// The titles of a table's columns. An empty one is recognised by common titles.
struct MarketColumns {
  std::string resident = {};  ///< of the first side
  std::string hospital = {};  ///< of the second side
  /// The place of the hospital in the list of the resident; equal places are a tie.
  std::string rank = {};
  std::string score = {};  ///< of the resident at the hospital; see MarketReadOptions::lowest_first
  std::string priority = {};  ///< of the resident at the hospital, the lowest first
  std::string seats = {};     ///< of the hospital
};

struct MarketReadOptions {
  MarketFormat format = MarketFormat::automatic;  ///< automatic: by the extension, else the content
  ListMeaning preferences = ListMeaning::order;
  IdBase base = IdBase::automatic;          ///< automatic: 0 if the id 0 occurs, 1 if the id n does
  bool strict = false;                      ///< refuse one-sided entries instead of dropping them
  MarketColumns columns = {};               ///< of CSV
  bool lowest_first = false;                ///< of CSV and arrays: a lower score is better
  std::filesystem::path seats = {};         ///< a table of hospitals and their seats; empty: none
  std::atomic<bool> const* stop = nullptr;  ///< if set while it reads a file, it throws Interrupted
};

/// A market as its file has it. A Market has equal sides, complete lists without ties, and one seat
/// per agent; a SparseMarket has any.
using AnyMarket = std::variant<Market, SparseMarket>;

/// Reads a market from one file, or from two files of which the first has the proposing side. "-"
/// is the standard input. Gzip is decompressed.
///
/// - lists: n on the first line, then a line of n ids for each man, then for each woman. Of two
///   files, each has n and its own n lists. Blanks or commas separate ids; '#' and '%' start a
///   comment. Always a Market.
/// - json, yaml: one file with two mappings, under any two keys, from a name to its list of names,
///   best first; a list in a list is a tie. A mapping under the key `capacities` has the seats of
///   agents of the second side. Or two files with one mapping each, under a key or not. Names are
///   UTF-8 text. A list of n lists of ids under a key stands for a numbered side of a Market.
/// - npy: two files with a square table each, or one of shape (2, n, n), of any integer type up to
///   64 bits, in C order. Always a Market.
/// - csv: a table with titles, of which one row is an entry (resident, hospital, rank) or an agent
///   (resident, choice1, choice2, ...). Further columns or a second table hold what hospitals want
///   (score, or priority, or their own ranks) and their seats. Without either all residents tie.
///   Always a SparseMarket.
/// - glasgow: `0`, and the sizes of both sides, on a line each; a line `id` and list per agent of
///   the first side, then `id`, seats and list per agent of the second. Round brackets are a tie.
/// - algmatch: the sizes of both sides; then the same lines. The second side has seats, or not.
/// - preflib: two files of orders, .soc, .soi, .toc or .toi. Each names the agents of the other side,
///   as its alternatives, and its own agents are the voters, in the order of its lines.
/// - arrays: a folder of .npy files, or a .npz archive, as in io/market/market_arrays.hpp.
///
/// Throws: InputError with the file, line, list and entry, and what was expected. A form that is
///   not read is named (io/form/form.hpp).
AnyMarket read_any_market(std::span<const std::filesystem::path> files,
                          MarketReadOptions const& options = {});

/// Reads a market from one or two texts in memory, without decompression; `name` is for messages.
AnyMarket parse_any_market(std::string const& name, std::span<const std::string_view> texts,
                           MarketReadOptions const& options = {});

/// As read_any_market(), of complete lists alone. Ensures: every list is a permutation of the other
/// side. Throws: InputError also if the market is a SparseMarket.
Market read_market(std::span<const std::filesystem::path> files,
                   MarketReadOptions const& options = {});
Market parse_market(std::string const& name, std::span<const std::string_view> texts,
                    MarketReadOptions const& options = {});

}  // namespace taper::io
