// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/market/id_table.hpp>
#include <io/market/read.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace taper::io {

/// The part of a market of complete lists that one of several processes reads: the lists of a block
/// of men, and of the same block of women. Used by: taper over MPI.
struct ListsPart {
  std::vector<IdTable> sides;  ///< men, women: the rows of the block
  std::vector<std::size_t> n;  ///< of each file: people per side of the market
  std::size_t first = 0;       ///< person of the block
  bool base_is_known = false;  ///< a block without rows does not show it
  int base = 0;                ///< the first id in the file
};

/// Reads part `part` of `parts` of complete lists in .npy: one file with both sides, or two. Of the
/// options, `preferences` and `base` count.
///
/// Cost: the pages of the files with the rows of the part.
/// Throws: InputError, also if a row is no permutation.
ListsPart read_lists_part(std::span<std::filesystem::path const> files, std::uint64_t part,
                          std::uint64_t parts, MarketReadOptions const& options);

/// What read_market() remarks about the first id if `options` leave it to the file.
std::vector<std::string> base_notes(std::filesystem::path const& file, std::size_t n, int base,
                                    MarketReadOptions const& options);

}  // namespace taper::io
