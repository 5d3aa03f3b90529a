// SPDX-License-Identifier: Apache-2.0
#include <io/error.hpp>
#include <io/graph_readers.hpp>
#include <io/market_banner.hpp>
#include <io/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace taper::io {
namespace {

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

/// The rest of the line is the entry's value, which is no matter: numbers, or nothing.
void pass_value(Cursor& cursor) {
  while (cursor.has_field()) {
    auto const* const place = cursor.place();
    auto const field = cursor.field();
    auto const unsigned_at = field.find_first_not_of("+-");
    if (!begins_as_number(field) && (unsigned_at == std::string_view::npos ||
                                     std::string_view("iInN").find(field[unsigned_at]) ==
                                         std::string_view::npos)) [[unlikely]] {
      cursor.go_to(place);
      cursor.fail_expecting("a number as the entry's value");
    }
  }
}

}  // namespace

void read_matrix_market(Cursor& cursor, GraphFile& graph) {
  constexpr std::array<std::string_view, 1> layouts{"coordinate"};
  constexpr std::array<std::string_view, 4> fields{"real", "complex", "integer", "pattern"};
  constexpr std::array<std::string_view, 4> symmetries{"general", "symmetric", "skew-symmetric",
                                                       "hermitian"};
  auto const banner = read_market_banner(cursor);
  require_banner(cursor, banner, layouts, fields, symmetries);
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
  if (banner.one_triangle() && rows != columns) {
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
    pass_value(cursor);
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
