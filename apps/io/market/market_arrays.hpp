// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/market/read.hpp>
#include <io/market/sparse_market.hpp>
#include <io/text/source.hpp>

#include <cstdint>
#include <filesystem>
#include <string>

namespace taper::io {

// Large sparse markets as NumPy arrays of one dimension: a folder of .npy files, or a .npz archive.
//
// | array          | entries    | holds                                                           |
// |----------------|------------|-----------------------------------------------------------------|
// | offsets        | residents+1| where each resident's list begins; the last: all entries         |
// | hospitals      | entries    | ids of hospitals, the best of a list first                      |
// | keys           | entries    | the place of the resident at the hospital, lower is better      |
// | scores         | entries    | instead of keys: numbers, higher is better, or as an option says |
// | priorities     | entries    | instead of keys: numbers, lower is better                       |
// | seats          | hospitals  | optional, else 1 each                                           |
// | resident_tiers | entries    | optional: the tie class of the entry in its list, not falling   |

/// Reads a folder. Names that others use are read too: `entries` for hospitals, `ranks` for keys,
/// `capacities` for seats. Without keys and scores all residents tie.
///
/// Cost: the arrays, and a piece of a file. With scores 8 bytes per entry more, and a sort.
/// Throws: InputError with the array and the entry.
SparseMarket read_market_folder(std::filesystem::path const& folder,
                                MarketReadOptions const& options = {});

/// Reads an archive. Cost: as read_market_folder(), and the file and one array as bytes.
SparseMarket read_market_archive(Source& source, MarketReadOptions const& options = {});

/// Checks that ids are below the number of hospitals, and that no list has one twice. The market may
/// be a part of that of the file, which begins with these numbers. Throws: InputError.
void check_lists(std::string const& file, SparseMarket const& market,
                 std::uint64_t first_resident = 0, std::uint64_t first_entry = 0);
/// The same, that classes begin with 0 and do not fall within a list.
void check_tiers(std::string const& file, SparseMarket const& market,
                 std::uint64_t first_entry = 0);

/// Throws: InputError if `folder` is a file, or a folder with files in it.
void require_new_folder(std::filesystem::path const& folder);

/// Writes the arrays of a market into a new or empty folder. Names and titles are not kept. The
/// array that a market must have is written last, so a folder that is cut short is no market.
/// Cost: no copy of an array. Throws: InputError.
void write_market_arrays(std::filesystem::path const& folder, SparseMarket const& market);

}  // namespace taper::io
