// SPDX-License-Identifier: Apache-2.0
#include <io/market/csv_table.hpp>
#include <io/text/error.hpp>
#include <io/text/fields.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace taper::io {

CsvTable::CsvTable(Source& source, std::size_t left_out) : cursor_(source) {
  while (!cursor_.at_end() && !cursor_.has_field()) {
    cursor_.next_line();
    ++next_line_;
  }
  if (cursor_.at_end()) {
    throw InputError(file(), "expected a line of column titles, found no entries");
  }
  separator_ = separator_of(cursor_);
  if (separator_ == ' ') {
    throw InputError(file(), next_line_,
                     "expected column titles with commas, semicolons or tabs between them");
  }
  next_cells();
  for (auto const cell : cells_) {
    if (!cell.empty() && std::ranges::find(titles_, cell) != titles_.end()) {
      fail(fmt::format("the title {} appears twice", in_quotes(cell)));
    }
    titles_.emplace_back(cell);
  }
  next_line_ += left_out;
}

bool CsvTable::next_row() {
  if (!next_cells()) {
    return false;
  }
  while (cells_.size() > titles_.size() && cells_.back().empty()) {
    cells_.pop_back();
  }
  if (cells_.size() > titles_.size()) {
    fail(fmt::format("expected {} cells, as there are titles, found {}", titles_.size(),
                     cells_.size()));
  }
  return true;
}

/// Splits the next line that is neither empty nor a comment.
bool CsvTable::next_cells() {
  cells_.clear();
  unquoted_.clear();
  auto const holds_cells = [&] {
    return cursor_.has_field() || (cursor_.peek() == '\n' &&
                                   cursor_.whole_line().find(separator_) != std::string_view::npos);
  };
  while (!cursor_.at_end() && !holds_cells()) {
    cursor_.next_line();
    ++next_line_;
  }
  if (cursor_.at_end()) {
    return false;
  }
  line_ = next_line_++;
  auto const text = cursor_.whole_line();
  if (auto const at = find_invalid_utf8(text); at < text.size()) {
    fail(fmt::format("expected UTF-8, found the byte 0x{:02x}",
                     static_cast<unsigned char>(text[at])));
  }
  cursor_.next_line();
  Fields fields(text, separator_);
  while (auto const field = fields.next()) {
    if (fields.is_open()) {
      fail("expected a closing double quote in this line");
    }
    auto const quoted = field->data() > text.data() && field->data()[-1] == '"';
    if (!quoted || field->find('"') == std::string_view::npos) {
      cells_.push_back(*field);
      continue;
    }
    auto& cell = unquoted_.emplace_back();
    for (std::size_t at = 0; at < field->size(); at += (*field)[at] == '"' ? 2u : 1u) {
      cell += (*field)[at];  // a doubled quote stands for one
    }
    cells_.push_back(cell);
  }
  return true;
}

void CsvTable::fail(std::string_view what) const {
  throw InputError(file(), line_, what);
}

double number_in(CsvTable const& table, std::size_t column, std::string_view what) {
  auto const cell = table.cell(column);
  double value = 0;
  auto const [stop, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc{} || stop != cell.data() + cell.size() || !std::isfinite(value)) {
    table.fail(fmt::format("{}: expected a number, found {}{}", what, in_quotes(cell),
                           cell.find(',') != cell.npos ? " (write a decimal point)" : ""));
  }
  return value + 0.0;  // -0 equals 0
}

std::uint32_t seats_in(CsvTable const& table, std::size_t column) {
  auto const cell = table.cell(column);
  std::uint32_t seats = 0;
  auto const [stop, error] = std::from_chars(cell.data(), cell.data() + cell.size(), seats);
  if (error != std::errc{} || stop != cell.data() + cell.size()) {
    table.fail(fmt::format("{}: expected a number of seats, found {}", table.titles()[column],
                           in_quotes(cell)));
  }
  return seats;
}

}  // namespace taper::io
