// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/market/read_csv_market.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace taper::io {

/// The lines of a table that one of several processes reads: a range of bytes, cut at line ends.
/// Each row is in exactly one range. Ranges of lower numbers have earlier rows.
/// Used by: taper over MPI.
class CsvRange {
 public:
  /// Finds and copies the titles and the lines of part `part` of `parts`. Throws: InputError if the
  /// file cannot be read, is compressed or UTF-16, or has lines that end with CR alone.
  CsvRange(std::filesystem::path const& path, std::uint64_t part, std::uint64_t parts);

  /// The number of lines of this part.
  std::size_t lines() const { return lines_; }

  /// Reads the rows of this part. `lines_before`: the number of lines of all parts before, for
  /// messages. Throws: InputError.
  void read(CsvMarketReader& reader, std::size_t lines_before) const;

 private:
  std::string name_;
  std::string text_;  ///< the titles, then the lines
  std::size_t lines_ = 0;
};

}  // namespace taper::io
