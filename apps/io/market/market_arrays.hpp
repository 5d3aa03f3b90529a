// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/market/read.hpp>
#include <io/market/sparse_market.hpp>
#include <io/text/source.hpp>

#include <cstdint>
#include <filesystem>

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

/// The part of a market that one of several processes reads.
struct MarketPart {
  /// The residents of this part; `second.count` is that of the whole market. `offsets` begin at 0,
  /// `hospitals` has ids of the whole market, and `seats` those of a part of the hospitals.
  SparseMarket own;
  std::uint64_t residents = 0;  ///< of the whole market
};

/// Reads part `part` of `parts` from a folder: a block of the residents, and a block of the
/// hospitals. The arrays are of whole numbers, without compression; seats must be there, and scores
/// must not.
///
/// Cost: the arrays of the part, and 4 bytes per hospital of the market.
/// Throws: InputError with the array and the entry, counted in the whole array.
MarketPart read_market_part(std::filesystem::path const& folder, std::uint64_t part,
                            std::uint64_t parts);

/// Throws: InputError if `folder` is a file, or a folder with files in it.
void require_new_folder(std::filesystem::path const& folder);

/// Writes the arrays of a market into a new or empty folder. Names and titles are not kept. The
/// array that a market must have is written last, so a folder that is cut short is no market.
/// Cost: no copy of an array. Throws: InputError.
void write_market_arrays(std::filesystem::path const& folder, SparseMarket const& market);

}  // namespace taper::io
