// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/market/read.hpp>
#include <io/market/sparse_market.hpp>

#include <cstdint>
#include <filesystem>
#include <vector>

namespace taper::io {

// Markets of which each of several processes reads a part. Used by: taper over MPI.

/// The part of a market that one process reads.
struct MarketPart {
  /// The residents of this part; `second.count` is that of the whole market. `offsets` begin at 0,
  /// `hospitals` has ids of the whole market, and `seats` those of a part of the hospitals.
  SparseMarket own;
  std::uint64_t residents = 0;  ///< of the whole market
  /// If the file has scores: the score of each entry. `own` has no keys then, since keys depend on
  /// the scores of the whole market.
  std::vector<double> scores;
  bool has_scores = false;
  bool lowest_first = false;  ///< a lower score is better
};

/// Reads part `part` of `parts` of the arrays that io/market/market_arrays.hpp describes: a block
/// of the residents, and a block of the hospitals. The arrays are in a folder or an archive,
/// without compression; seats must be there. Of the options, lowest_first counts.
///
/// Cost: the arrays of the part, and 4 bytes per hospital of the market.
/// Throws: InputError with the array and the entry, counted in the whole array.
MarketPart read_market_part(std::filesystem::path const& market, std::uint64_t part,
                            std::uint64_t parts, MarketReadOptions const& options = {});

}  // namespace taper::io
