// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/text/cursor.hpp>
#include <io/text/source.hpp>

#include <cstddef>
#include <list>
#include <string>
#include <string_view>
#include <vector>

namespace taper::io {

/// Reads a table with titles in its first line, row by row. Commas, semicolons or tabs separate
/// cells; the first line shows which. A cell may be in double quotes (RFC 4180), but not contain a
/// line end. Empty lines and lines that begin with # or % are passed over.
/// Used by: read_csv_market().
class CsvTable {
 public:
  /// Reads the titles. `left_out`: lines that the file has between them and the first row.
  /// Throws: InputError if there are none, or if one appears twice.
  explicit CsvTable(Source& source, std::size_t left_out = 0);

  std::string const& file() const { return cursor_.name(); }
  std::vector<std::string> const& titles() const { return titles_; }

  /// Goes to the next row; false at the end. Throws: InputError if it has more cells than titles.
  bool next_row();
  /// The line of this row, from 1; before the first row: that of the titles.
  std::size_t line() const { return line_; }
  /// A cell of this row, until the next one; empty if the row is shorter.
  std::string_view cell(std::size_t column) const {
    return column < cells_.size() ? cells_[column] : std::string_view{};
  }

  /// Throws InputError about this row: "FILE:LINE: WHAT".
  [[noreturn]] void fail(std::string_view what) const;

 private:
  bool next_cells();

  Cursor cursor_;
  char separator_ = ',';
  std::size_t line_ = 0;
  std::size_t next_line_ = 1;
  std::vector<std::string> titles_;
  std::vector<std::string_view> cells_;
  std::list<std::string> unquoted_;  // cells with a quote, whose text is not in the file
};

/// The number that a cell holds. Throws: InputError "WHAT: expected a number, found ...".
double number_in(CsvTable const& table, std::size_t column, std::string_view what);

/// The seats that a cell holds, a whole number of up to 32 bits. Throws: InputError.
std::uint32_t seats_in(CsvTable const& table, std::size_t column);

}  // namespace taper::io
