// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/market/market.hpp>
#include <io/text/error.hpp>

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace taper::io {

enum class MarketFormat { automatic, lists, json, yaml, npy, glasgow };

/// What entry j of a numbered row means: the id of the j-th best (order), or the rank of person j
/// (rank).
enum class ListMeaning { order, rank };

enum class IdBase { automatic, zero, one };

struct MarketReadOptions {
  MarketFormat format = MarketFormat::automatic;  ///< automatic: by the extension, else the content
  ListMeaning preferences = ListMeaning::order;
  IdBase base = IdBase::automatic;  ///< automatic: 0 if the id 0 occurs, 1 if the id n does
};

/// Reads a market from one file, or from two files of which the first has the proposing side. "-"
/// is the standard input. Gzip is decompressed.
///
/// - lists: n on the first line, then a line of n ids for each man, then for each woman. Of two
///   files, each has n and its own n lists. Blanks or commas separate ids; '#' and '%' start a
///   comment.
/// - json, yaml: one file with two mappings, under any two keys, from a name to its list of names,
///   best first. Or two files with one mapping each, under a key or not. Names are UTF-8 text. A
///   list of n lists of ids under a key stands for a numbered side.
/// - npy: two files with a square table each, or one of shape (2, n, n), of any integer type up to
///   64 bits, in C order.
/// - glasgow: `0`, n and n on a line each; a line `id` and list per agent of the first side, then
///   `id`, capacity 1 and list per agent of the second.
///
/// Ensures: every list is a permutation of the other side.
/// Throws: InputError with the file, line, list and entry, and what was expected. A form that is
///   not read is named (io/form/form.hpp).
Market read_market(std::span<const std::filesystem::path> files,
                   MarketReadOptions const& options = {});

/// Reads a market from one or two texts in memory, without decompression; `name` is for messages.
Market parse_market(std::string const& name, std::span<const std::string_view> texts,
                    MarketReadOptions const& options = {});

}  // namespace taper::io
