// SPDX-License-Identifier: Apache-2.0
#include <io/graph/format_readers.hpp>
#include <io/matrix/matrix_market_banner.hpp>
#include <io/text/error.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace taper::io {
namespace {

/// Reads a row or column number from 1 to `size`, as 0 to size - 1.
Vertex read_index(Cursor& cursor, std::uint64_t size, std::string_view what) {
  cursor.skip_separators();
  auto const* const position = cursor.position();
  auto const number = cursor.number();
  if (!number) [[unlikely]] {
    cursor.fail_expecting(fmt::format("a {}, a number from 1 to {}", what, size));
  }
  if (*number - 1 >= size) [[unlikely]] {
    cursor.fail(position, fmt::format("{} {} is out of range: the matrix has {}, numbered from 1",
                                      what, *number, size));
  }
  return static_cast<Vertex>(*number - 1);
}

/// Skips the entry's value, the rest of the line, which must be numbers or empty.
void skip_value(Cursor& cursor) {
  while (cursor.has_field()) {
    auto const* const position = cursor.position();
    auto const field = cursor.field();
    auto const unsigned_at = field.find_first_not_of("+-");
    if (!begins_as_number(field) && (unsigned_at == std::string_view::npos ||
                                     std::string_view("iInN").find(field[unsigned_at]) ==
                                         std::string_view::npos)) [[unlikely]] {
      cursor.go_to(position);
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
  auto const banner = read_matrix_market_banner(cursor);
  require_matrix_market_banner(cursor, banner, layouts, fields, symmetries);
  auto const* const position = cursor.position();
  std::array<std::uint64_t, 3> sizes{};
  for (auto& size : sizes) {
    if (!cursor.at_end()) {
      cursor.skip_separators();
    }
    auto const number = cursor.at_end() ? std::nullopt : cursor.number();
    if (!number) {
      cursor.fail_expecting("the numbers of rows, columns and entries");
    }
    size = *number;
  }
  auto const [rows, columns, entries] = sizes;
  if (banner.stores_one_triangle() && rows != columns) {
    cursor.fail(position,
                fmt::format("a symmetric matrix must be square, found {} rows and {} columns", rows,
                            columns));
  }
  auto const square = rows == columns;
  require_vertices(cursor, position, std::max(rows, columns));
  require_vertices(cursor, position, square ? rows : rows + columns);
  graph.vertices = square ? rows : rows + columns;
  graph.edges.reserve(std::min<std::uint64_t>(entries, cursor.bytes_left() / 4 + 1));
  auto const first_column = square ? Vertex{0} : static_cast<Vertex>(rows);
  cursor.next_line();
  for (; !cursor.at_end(); cursor.next_line()) {
    if (!cursor.has_field()) {
      continue;
    }
    auto const* const entry = cursor.position();
    auto const row = read_index(cursor, rows, "row");
    auto const column = read_index(cursor, columns, "column");
    skip_value(cursor);
    add_edge(cursor, graph, entry, row, first_column + column);
  }
  if (graph.edges.size() != entries) {
    cursor.fail(position, fmt::format("the header announces {} entries, the file lists {}", entries,
                                      graph.edges.size()));
  }
  if (!square) {
    graph.notes.push_back(fmt::format("{}: a matrix of {} x {} is a bipartite graph: row i is "
                                      "vertex i, column j is vertex {} + j",
                                      cursor.name(), rows, columns, rows));
  }
}

}  // namespace taper::io
