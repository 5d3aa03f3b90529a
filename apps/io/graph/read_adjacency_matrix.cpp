// SPDX-License-Identifier: Apache-2.0
#include <io/graph/format_readers.hpp>
#include <io/graph/symmetry.hpp>
#include <io/text/error.hpp>
#include <io/text/fields.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taper::io {
namespace {

using Row = std::vector<std::string_view>;

std::optional<double> entry_of(std::string_view field) {
  double value = 0;
  field.remove_prefix(field.starts_with('+') ? 1 : 0);
  auto const [stop, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  auto const whole = error == std::errc{} && stop == field.data() + field.size();
  return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

bool are_numbers(Row const& row, std::size_t from = 0) {
  return std::all_of(row.begin() + static_cast<std::ptrdiff_t>(std::min(from, row.size())),
                     row.end(), [](auto field) { return entry_of(field).has_value(); });
}

/// Where the rows of a square table begin, and what is around the entries.
struct Frame {
  char separator = ' ';
  std::size_t n = 0;
  std::size_t row_names = 0;  ///< 1 if each row begins with a name
  Row titles;                 ///< of the columns; empty if there are none
  char const* rows = nullptr;
};

Row row_here(Cursor const& cursor, char separator) {
  return split(cursor.line(), separator, std::size_t{1} << 24);
}

/// Whether a row of numbers is 0, 1, 2, ... or 1, 2, 3, ..., as titles of columns are.
bool counts_columns(Row const& row) {
  if (row.empty() || (row[0] != "0" && row[0] != "1")) {
    return false;
  }
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] != std::to_string(i + (row[0] == "1" ? 1 : 0))) {
      return false;
    }
  }
  return true;
}

/// Finds the frame from the first two lines. The first line may be n alone, or titles, with or
/// without one for the column of row names. Goes to the first row.
std::optional<Frame> find_frame(Cursor& cursor) {
  if (!cursor.skip_to_content()) {
    return std::nullopt;
  }
  Frame frame;
  frame.separator = separator_of(cursor);
  auto const* const begin = cursor.position();
  auto first = row_here(cursor, frame.separator);
  cursor.next_line();
  Row second;
  if (cursor.skip_to_content()) {
    frame.separator = first.size() == 1 ? separator_of(cursor) : frame.separator;
    second = row_here(cursor, frame.separator);
  }
  auto const size_alone = first.size() == 1 && first[0] == std::to_string(second.size());
  auto const titled = !are_numbers(first) || (first.size() >= 3 && counts_columns(first) &&
                                              second.size() == first.size() + 1);
  frame.row_names = titled && (second.size() == first.size() + 1 ||
                               (second.size() == first.size() && !are_numbers(second)) ||
                               (second.size() == first.size() && trimmed(first[0]).empty()))
                        ? 1
                        : 0;
  frame.n = (titled || size_alone ? second.size() : first.size()) - frame.row_names;
  if (titled && second.size() < frame.row_names + 1) {
    return std::nullopt;
  }
  if (titled) {
    first.erase(first.begin(),
                first.end() - static_cast<std::ptrdiff_t>(std::min(frame.n, first.size())));
    frame.titles = std::move(first);
  }
  if (!titled && !size_alone) {
    cursor.go_to(begin);
  }
  frame.rows = cursor.position();
  return frame;
}

/// What all entries have in common.
struct Pattern {
  std::size_t rows = 0;
  bool zero_one = true;
  bool whole_ends = true;  ///< the first two columns have no fractions
  bool zero_diagonal = true;
  bool names_are_titles = true;  ///< each row is named as its column
  SymmetryCheck symmetry;
};

/// Looks at all rows. Nothing if they are not n rows of n numbers.
std::optional<Pattern> pattern_of(Cursor& cursor, Frame const& frame) {
  Pattern pattern;
  for (cursor.go_to(frame.rows); cursor.skip_to_content(); cursor.next_line()) {
    auto const row = row_here(cursor, frame.separator);
    if (pattern.rows == frame.n || row.size() != frame.n + frame.row_names) {
      return std::nullopt;
    }
    auto const i = static_cast<Vertex>(pattern.rows++);
    for (Vertex j = 0; j < frame.n; ++j) {
      auto const value = entry_of(row[j + frame.row_names]);
      if (!value) {
        return std::nullopt;
      }
      pattern.zero_one = pattern.zero_one && (*value == 0 || *value == 1);
      pattern.whole_ends = pattern.whole_ends && (j > 1 || std::floor(*value) == *value);
      pattern.zero_diagonal = pattern.zero_diagonal && (i != j || *value == 0);
      pattern.symmetry.add(i, j, std::bit_cast<std::uint64_t>(*value == 0 ? 0.0 : *value));
    }
    pattern.names_are_titles = pattern.names_are_titles && frame.row_names == 1 &&
                               i < frame.titles.size() && row[0] == frame.titles[i];
  }
  return pattern.rows == frame.n ? std::optional(pattern) : std::nullopt;
}

/// The names of the vertices: the titles, else the row names, else numbers from 1.
void name_vertices(Cursor& cursor, GraphFile& graph, Frame const& frame) {
  std::vector<std::string> names(frame.titles.begin(), frame.titles.end());
  graph.names = VertexNames::counted_from(1);
  if (names.size() != frame.n) {
    return;
  }
  auto sorted = names;
  std::ranges::sort(sorted);
  if (sorted.front().empty()) {
    cursor.fail(frame.rows, "a column has no title");
  }
  if (auto const twice = std::ranges::adjacent_find(sorted); twice != sorted.end()) {
    cursor.fail(frame.rows, fmt::format("two columns have the title {}", in_quotes(*twice)));
  }
  if (counts_columns(frame.titles)) {
    graph.names = VertexNames::counted_from(names[0] == "0" ? 0 : 1);
  } else {
    graph.names = VertexNames::words(std::move(names));
  }
}

}  // namespace

bool is_adjacency_matrix(Cursor& cursor) {
  auto const* const begin = cursor.position();
  auto const frame = find_frame(cursor);
  auto pattern = frame && frame->n >= 3 && !are_edge_titles(frame->titles)
                     ? pattern_of(cursor, *frame)
                     : std::nullopt;
  cursor.go_to(begin);
  if (!pattern) {
    return false;
  }
  auto const symmetric = pattern->symmetry.holds();
  // Three lines of a weighted edge list may be symmetric by chance, or have zeros there, unless its
  // vertices would have fractions.
  return pattern->zero_one || (pattern->names_are_titles && !counts_columns(frame->titles)) ||
         (frame->n == 3 && pattern->whole_ends ? symmetric && pattern->zero_diagonal
                                               : symmetric || pattern->zero_diagonal);
}

void read_adjacency_matrix(Cursor& cursor, GraphFile& graph, GraphReadOptions const& options) {
  auto const frame = find_frame(cursor);
  if (!frame || frame->n == 0) {
    throw InputError(cursor.name(), "expected an adjacency matrix, found no rows");
  }
  auto const n = frame->n;
  require_vertices(cursor, frame->rows, n);
  graph.vertices = n;
  name_vertices(cursor, graph, *frame);
  SymmetryCheck symmetry;
  std::size_t i = 0;
  for (cursor.go_to(frame->rows); cursor.skip_to_content(); cursor.next_line(), ++i) {
    auto const row = row_here(cursor, frame->separator);
    if (i == n || row.size() != n + frame->row_names) {
      cursor.fail(cursor.position(),
                  i == n ? fmt::format("expected {} rows, as there are columns, found more", n)
                         : fmt::format("expected {} entries in row {}, found {}", n, i + 1,
                                       row.size() - std::min(row.size(), frame->row_names)));
    }
    for (std::size_t j = 0; j < n; ++j) {
      auto const field = row[j + frame->row_names];
      auto const value = entry_of(field);
      if (!value) {
        cursor.fail(cursor.position(),
                    fmt::format("expected a number in row {}, column {}, found {}", i + 1, j + 1,
                                in_quotes(field)));
      }
      auto const u = static_cast<Vertex>(i), v = static_cast<Vertex>(j);
      symmetry.add(u, v, *value != 0 ? 1 : 0);
      if (*value != 0) {
        add_edge(cursor, graph, cursor.position(), u, v);
      }
    }
  }
  if (i != n) {
    throw InputError(cursor.name(),
                     fmt::format("expected {} rows, as there are columns, found {}", n, i));
  }
  if (symmetry.holds()) {
    std::erase_if(graph.edges, [](Edge const& edge) { return edge.first > edge.second; });
  } else {
    graph.notes.push_back(fmt::format("{}: the matrix is not symmetric: an entry in either half is "
                                      "an edge",
                                      cursor.name()));
  }
  if (options.format == GraphFormat::automatic) {
    graph.notes.push_back(fmt::format("{}: read as an adjacency matrix of {} vertices (--format "
                                      "edges: a list of edges)",
                                      cursor.name(), n));
  }
}

}  // namespace taper::io
