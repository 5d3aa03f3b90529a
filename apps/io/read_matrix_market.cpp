// SPDX-License-Identifier: Apache-2.0
#include <io/error.hpp>
#include <io/graph_readers.hpp>
#include <io/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace taper::io {
namespace {

std::string lower_field(Cursor& cursor) {
  cursor.skip_gaps();
  std::string word(cursor.field());
  std::ranges::transform(word, word.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return word;
}

struct Banner {
  bool one_triangle = false;  ///< the other half of a symmetric matrix is not stored
};

Banner read_banner(Cursor& cursor) {
  auto const* const place = cursor.place();
  cursor.field();  // "%%MatrixMarket", with one % in some collections
  auto const object = lower_field(cursor);
  auto const layout = lower_field(cursor);
  auto const field = lower_field(cursor);
  auto const symmetry = lower_field(cursor);
  if (object != "matrix" || layout != "coordinate") {
    cursor.fail(place, fmt::format("expected 'matrix coordinate' in the banner, found '{} {}'",
                                   object, layout));
  }
  constexpr std::array<std::string_view, 5> fields{"real", "double", "complex", "integer",
                                                   "pattern"};
  if (std::ranges::find(fields, field) == fields.end()) {
    cursor.fail(place, fmt::format("expected real, complex, integer or pattern as the third word "
                                   "of the banner, found {}",
                                   in_quotes(field)));
  }
  constexpr std::array<std::string_view, 4> symmetries{"general", "symmetric", "skew-symmetric",
                                                       "hermitian"};
  if (std::ranges::find(symmetries, symmetry) == symmetries.end()) {
    cursor.fail(place, fmt::format("expected general, symmetric, skew-symmetric or hermitian as "
                                   "the fourth word of the banner, found {}",
                                   in_quotes(symmetry)));
  }
  cursor.next_line();
  return {symmetry != "general"};
}

Vertex read_index(Cursor& cursor, std::uint64_t size, std::string_view what) {
  cursor.skip_gaps();
  auto const* const place = cursor.place();
  auto const number = cursor.number();
  if (!number) [[unlikely]] {
    cursor.fail_expecting(fmt::format("a {}, a number from 1 to {}", what, size));
  }
  if (*number - 1 >= size) [[unlikely]] {
    cursor.fail(place, fmt::format("{} {} is out of range: the matrix has {}, numbered from 1",
                                   what, *number, size));
  }
  return static_cast<Vertex>(*number - 1);
}

}  // namespace

void read_matrix_market(Cursor& cursor, GraphFile& graph) {
  auto const banner = read_banner(cursor);
  while (!cursor.at_end() && !cursor.has_field()) {
    cursor.next_line();
  }
  auto const* const place = cursor.place();
  std::array<std::uint64_t, 3> sizes{};
  for (auto& size : sizes) {
    if (!cursor.at_end()) {
      cursor.skip_gaps();
    }
    auto const number = cursor.at_end() ? std::nullopt : cursor.number();
    if (!number) {
      cursor.fail_expecting("the numbers of rows, columns and entries");
    }
    size = *number;
  }
  auto const [rows, columns, entries] = sizes;
  if (banner.one_triangle && rows != columns) {
    cursor.fail(place, fmt::format("a symmetric matrix is square, found {} rows and {} columns",
                                   rows, columns));
  }
  auto const square = rows == columns;
  require_vertices(cursor, place, std::max(rows, columns));
  require_vertices(cursor, place, square ? rows : rows + columns);
  graph.vertices = square ? rows : rows + columns;
  graph.edges.reserve(std::min<std::uint64_t>(entries, cursor.bytes_left() / 4 + 1));
  auto const first_column = square ? Vertex{0} : static_cast<Vertex>(rows);
  cursor.next_line();
  for (; !cursor.at_end(); cursor.next_line()) {
    if (!cursor.has_field()) {
      continue;
    }
    auto const* const entry = cursor.place();
    auto const row = read_index(cursor, rows, "row");
    auto const column = read_index(cursor, columns, "column");
    add_edge(cursor, graph, entry, row, first_column + column);
  }
  if (graph.edges.size() != entries) {
    cursor.fail(place, fmt::format("the header announces {} entries, the file lists {}", entries,
                                   graph.edges.size()));
  }
  if (!square) {
    graph.notes.push_back(fmt::format("{}: a matrix of {} x {} is a graph of two sides: row i is "
                                      "vertex i, column j is vertex {} + j",
                                      cursor.name(), rows, columns, rows));
  }
}

}  // namespace taper::io
