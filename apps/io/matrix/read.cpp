// SPDX-License-Identifier: Apache-2.0
#include <io/form/form.hpp>
#include <io/market/id_table.hpp>
#include <io/matrix/matrix.hpp>
#include <io/matrix/matrix_market_banner.hpp>
#include <io/matrix/npy.hpp>
#include <io/text/cursor.hpp>
#include <io/text/source.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>

namespace taper::io {
namespace {

/// An error message if a matrix of these extents exceeds `free` bytes.
std::optional<std::string> too_large(Scalar scalar, std::uint64_t rows, std::uint64_t columns,
                                     std::uint64_t free) {
  auto const bytes = matrix_bytes(scalar, rows, columns);
  if (bytes <= free) {
    return std::nullopt;
  }
  return fmt::format("a matrix of {} {} needs {}, this machine has {} free", extents(rows, columns),
                     to_string(scalar), human_bytes(bytes), human_bytes(free));
}

// ---- .npy

void swap_bytes(std::span<char> bytes, std::size_t width) {
  for (std::size_t at = 0; at < bytes.size(); at += width) {
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                 bytes.begin() + static_cast<std::ptrdiff_t>(at + width));
  }
}

template <class T>
DenseMatrix read_entries(Source& source, NpyHeader const& header) {
  auto const rows = header.shape[0], columns = header.shape[1];
  auto const count = rows * columns;
  NpyData data(source, count * sizeof(T));
  std::vector<T> entries;
  entries.reserve(count);
  // Piece by piece: a header that announces too much must not fill the memory.
  constexpr std::size_t piece = std::size_t{1} << 18;
  while (entries.size() < count) {
    auto const begin = entries.size();
    entries.resize(std::min(count, begin + piece));
    auto const bytes = std::span(reinterpret_cast<char*>(entries.data() + begin),
                                 (entries.size() - begin) * sizeof(T));
    data.read(bytes);
    if (header.type.front() == '>') {
      swap_bytes(bytes, sizeof(T));
    }
  }
  data.end();
  return {std::move(entries), rows, columns,
          header.fortran_order ? Order::by_columns : Order::by_rows};
}

DenseMatrix read_npy_matrix(Source& source, std::uint64_t free) {
  auto const header = read_npy_header(source);
  std::string_view const type = header.type;
  auto const single = type == "<f4" || type == ">f4";
  if (!single && type != "<f8" && type != ">f8") {
    throw InputError(source.name(), fmt::format("expected entries of float32 or float64, found "
                                                "dtype {}: save matrix.astype('<f8')",
                                                in_quotes(type)));
  }
  if (header.shape.size() != 2) {
    throw InputError(source.name(), fmt::format("expected a matrix, shape (rows, columns), found "
                                                "shape ({})",
                                                fmt::join(header.shape, ", ")));
  }
  auto const scalar = single ? Scalar::float32 : Scalar::float64;
  if (auto const problem = too_large(scalar, header.shape[0], header.shape[1], free)) {
    throw InputError(source.name(), *problem);
  }
  return single ? read_entries<float>(source, header) : read_entries<double>(source, header);
}

// ---- Matrix Market

template <class T>
class MatrixMarketReader {
 public:
  MatrixMarketReader(Cursor& cursor, MatrixMarketBanner const& banner, std::uint64_t free)
      : cursor_(cursor), banner_(banner), free_(free) {}

  DenseMatrix read() {
    position_ = cursor_.at_end() ? banner_.position : cursor_.position();
    auto const coordinate = banner_.layout == "coordinate";
    constexpr std::string_view what = "the numbers of rows, columns and entries";
    rows_ = size(coordinate ? what : "the numbers of rows and columns");
    columns_ = size(coordinate ? what : "the numbers of rows and columns");
    auto const stored = coordinate ? size(what) : 0;
    end_line();
    if (banner_.stores_one_triangle() && rows_ != columns_) {
      cursor_.fail(position_, fmt::format("a {} matrix must be square, found {}", banner_.symmetry,
                                          extents(rows_, columns_)));
    }
    constexpr auto scalar = sizeof(T) == sizeof(float) ? Scalar::float32 : Scalar::float64;
    if (auto const problem = too_large(scalar, rows_, columns_, free_)) {
      cursor_.fail(position_, *problem);
    }
    coordinate ? read_coordinates(stored) : read_array();
    return {std::move(entries_), rows_, columns_, Order::by_columns};
  }

 private:
  T& at(std::uint64_t row, std::uint64_t column) { return entries_[column * rows_ + row]; }

  T mirrored(T value) const { return banner_.symmetry == "skew-symmetric" ? -value : value; }

  std::uint64_t size(std::string_view what) {
    if (!cursor_.at_end()) {
      cursor_.skip_separators();
    }
    auto const number = cursor_.at_end() ? std::nullopt : cursor_.number();
    if (!number) {
      cursor_.fail_expecting(what);
    }
    return *number;
  }

  void end_line() {
    if (!cursor_.at_end() && cursor_.has_field()) {
      cursor_.fail_expecting("the end of the line");
    }
    if (!cursor_.at_end()) {
      cursor_.next_line();
    }
  }

  /// Skips separators, comments and empty lines. Returns whether there is another field.
  bool find_field() {
    while (!cursor_.at_end() && !cursor_.has_field()) {
      cursor_.next_line();
    }
    return !cursor_.at_end();
  }

  /// Reads the field here as a number. Accepts integers whatever the banner says.
  T value() {
    auto const* const position = cursor_.position();
    auto field = cursor_.field();
    if (field.starts_with('+')) {
      field.remove_prefix(1);
    }
    T value{};
    auto const [stop, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    auto const whole = stop == field.data() + field.size();
    if (field.empty() || !whole || error == std::errc::invalid_argument) {
      cursor_.go_to(position);
      cursor_.fail_expecting("a number");
    }
    if (error == std::errc::result_out_of_range) {
      cursor_.fail(position, fmt::format("{} is out of the range of {}", in_quotes(field),
                                         sizeof(T) == sizeof(float) ? "float32" : "float64"));
    }
    return value;
  }

  /// Reads all entries, or those of the lower triangle, by columns. Memory is reserved by the
  /// length of the file, so that a header that announces too much cannot fill it.
  void read_array() {
    auto const skew = banner_.symmetry == "skew-symmetric";
    auto const triangle = banner_.stores_one_triangle();
    auto const expected = !triangle ? rows_ * columns_
                          : skew    ? rows_ * (rows_ - 1) / 2
                                    : rows_ * (rows_ + 1) / 2;
    std::vector<T> listed;
    listed.reserve(std::min<std::uint64_t>(expected, cursor_.bytes_left() / 2 + 1));
    while (find_field()) {
      if (listed.size() == expected) {
        cursor_.fail(cursor_.position(),
                     fmt::format("a {} matrix of {} has {} entries, the file lists more",
                                 banner_.symmetry, extents(rows_, columns_), grouped(expected)));
      }
      listed.push_back(value());
    }
    if (listed.size() < expected) {
      cursor_.fail(position_, fmt::format("a {} matrix of {} has {} entries, the file lists {}",
                                          banner_.symmetry, extents(rows_, columns_),
                                          grouped(expected), grouped(listed.size())));
    }
    if (!triangle) {
      entries_ = std::move(listed);
      return;
    }
    entries_.resize(rows_ * columns_);
    auto next = listed.begin();
    for (std::uint64_t column = 0; column < columns_; ++column) {
      for (auto row = column + (skew ? 1 : 0); row < rows_; ++row, ++next) {
        at(row, column) = *next;
        at(column, row) = mirrored(*next);
      }
    }
  }

  std::uint64_t index(std::uint64_t size, std::string_view what) {
    cursor_.skip_separators();
    auto const* const position = cursor_.position();
    auto const number = cursor_.number();
    if (!number) {
      cursor_.fail_expecting(fmt::format("a {}, a number from 1 to {}", what, size));
    }
    if (*number - 1 >= size) {
      cursor_.fail(position,
                   fmt::format("{} {} is out of range: the matrix has {}, numbered from 1", what,
                               *number, size));
    }
    return *number - 1;
  }

  void read_coordinates(std::uint64_t stored) {
    entries_.resize(rows_ * columns_);
    std::uint64_t found = 0;
    for (; find_field(); ++found, end_line()) {
      auto const* const position = cursor_.position();
      auto const row = index(rows_, "row");
      auto const column = index(columns_, "column");
      cursor_.skip_separators();
      auto const entry = banner_.field == "pattern" ? T{1} : value();
      if (banner_.symmetry == "skew-symmetric" && row == column) {
        cursor_.fail(position, "a skew-symmetric matrix cannot have an entry on its diagonal");
      }
      at(row, column) += entry;
      if (banner_.stores_one_triangle() && row != column) {
        at(column, row) += mirrored(entry);
      }
    }
    if (found != stored) {
      cursor_.fail(position_, fmt::format("the header announces {} entries, the file lists {}",
                                          stored, found));
    }
  }

  Cursor& cursor_;
  MatrixMarketBanner const& banner_;
  std::uint64_t free_;
  char const* position_ = nullptr;  ///< position of the extents in the text
  std::uint64_t rows_ = 0;
  std::uint64_t columns_ = 0;
  std::vector<T> entries_;  ///< stored by columns
};

DenseMatrix read_matrix_market_matrix(Source& source, Scalar scalar, std::uint64_t free) {
  constexpr std::array<std::string_view, 2> layouts{"array", "coordinate"};
  constexpr std::array<std::string_view, 3> fields{"real", "integer", "pattern"};
  constexpr std::array<std::string_view, 3> symmetries{"general", "symmetric", "skew-symmetric"};
  Cursor cursor(source);
  auto const banner = read_matrix_market_banner(cursor);
  auto const patterns = std::span(layouts).subspan(banner.field == "pattern" ? 1 : 0);
  require_matrix_market_banner(cursor, banner, patterns, fields, symmetries);
  return scalar == Scalar::float32 ? MatrixMarketReader<float>(cursor, banner, free).read()
                                   : MatrixMarketReader<double>(cursor, banner, free).read();
}

MatrixFile read(Source& source, Scalar text, std::uint64_t free) {
  auto const format = matrix_form(source, false);
  if (format == MatrixFormat::npy) {
    return {read_npy_matrix(source, free), MatrixFormat::npy};
  }
  if (format == MatrixFormat::matrix_market) {
    return {read_matrix_market_matrix(source, text, free), MatrixFormat::matrix_market};
  }
  auto const begin = source.buffered().substr(0, source.buffered().find('\n')).substr(0, 20);
  throw InputError(source.name(),
                   fmt::format("expected a matrix, .npy or Matrix Market, found a file that {}",
                               begin.empty() && source.peek() == Source::end
                                   ? "is empty"
                                   : "begins with " + in_quotes(begin)));
}

}  // namespace

MatrixFile read_matrix(std::filesystem::path const& path, Scalar text) {
  Source source(path);
  return read(source, text, free_memory());
}

MatrixFile parse_matrix(std::string name, std::string_view bytes, std::uint64_t free, Scalar text) {
  Source source(std::move(name), bytes);
  return read(source, text, free);
}

}  // namespace taper::io
