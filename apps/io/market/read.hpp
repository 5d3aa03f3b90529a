// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/error.hpp>
#include <io/market.hpp>

#include <filesystem>
#include <span>

namespace taper::io {

enum class Format { automatic, lists, json, yaml, npy };

/// What entry j of a numbered row is: the j-th best (order), or how the person ranks person j
/// (rank).
enum class Meaning { order, rank };

enum class Base { automatic, zero, one };

struct ReadOptions {
  Format format = Format::automatic;  ///< automatic: by the file's extension, else by its content
  Meaning preferences = Meaning::order;
  Base base = Base::automatic;  ///< automatic: 0 where the id 0 occurs, 1 where the id n does
};

/// The market in one file, or in two, the proposing side's first. "-" is the standard input; gzip
/// is seen through.
///
/// - lists: n on the first line, then a line of n ids for each man, then for each woman; of two
///   files, each holds n and its own n lists. Blanks or commas part the ids, '#' and '%' start a
///   comment.
/// - json, yaml: one file with two mappings, under any two keys, from a name to its list of names,
///   best first; or two files with one mapping each, bare or under a key. Names are plain text, in
///   UTF-8.
/// - npy: two square tables, or one of shape (2, n, n), of any integer type up to 64 bits, C order.
///
/// Every list is checked to be a permutation of the other side.
/// Throws: InputError, naming the file, the line, the list and the entry, and what was expected.
Market read_market(std::span<const std::filesystem::path> files, ReadOptions const& options = {});

}  // namespace taper::io
