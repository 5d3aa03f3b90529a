// SPDX-License-Identifier: Apache-2.0
#include <io/graph/format_readers.hpp>
#include <io/graph/labels.hpp>
#include <io/graph/symmetry.hpp>
#include <io/text/error.hpp>
#include <io/text/fields.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace taper::io {
namespace {

/// The vertex of a line, and its neighbours.
struct NeighbourLine {
  std::string_view vertex;
  std::vector<std::string_view> neighbours;
  bool open = false;  ///< a double quote is not closed
};

/// What stands before a colon, in a line such as "a: b c" or "1:2,3"; empty if there is none. A
/// word such as "http://x" has no vertex before its colon. Attributes in braces do not count.
std::string_view before_colon(std::string_view line) {
  line = line.substr(0, line.find('{'));
  auto const colon = line.find(':');
  if (colon == std::string_view::npos) {
    return {};
  }
  auto const vertex = trimmed(line.substr(0, colon));
  auto const rest = line.substr(colon + 1);
  auto const ends = rest.empty() || rest[0] == ' ' || rest[0] == '\t';
  auto const numbers =
      all_digits(vertex) && rest.find_first_not_of("0123456789 \t,;") == std::string_view::npos;
  auto const one_field = vertex.find_first_of(",;\t") == std::string_view::npos;
  return (ends || numbers) && one_field ? vertex : std::string_view{};
}

NeighbourLine line_here(Cursor const& cursor, char separator, bool colons) {
  auto line = trimmed(cursor.line());
  line = line.substr(0, line.find(" #"));
  NeighbourLine result;
  auto has_vertex = colons;
  if (colons) {
    result.vertex = before_colon(line);
    line.remove_prefix(line.find(':') + 1);
  }
  Fields fields(line, separator);
  for (auto field = fields.next(); field; field = fields.next()) {
    result.open = result.open || fields.is_open();
    if (!has_vertex) {
      result.vertex = *field;
      has_vertex = true;
    } else if (!field->empty()) {  // a spreadsheet fills its rows
      result.neighbours.push_back(*field);
    }
  }
  return result;
}

/// The separator of the neighbours: that of the longest line among the first ones.
char separator_of_lists(Cursor& cursor) {
  auto const* const begin = cursor.position();
  char separator = ' ';
  for (int lines = 0; lines < 100 && separator == ' ' && cursor.skip_to_content(); ++lines) {
    separator = separator_of(cursor);
    cursor.next_line();
  }
  cursor.go_to(begin);
  return separator;
}

/// Whether something stands before a colon in each line: one word, or with `blanks` several.
bool all_have_colons(Cursor& cursor, bool blanks = false) {
  auto const* const begin = cursor.position();
  auto all = cursor.skip_to_content();
  for (; all && cursor.skip_to_content(); cursor.next_line()) {
    auto const vertex = before_colon(trimmed(cursor.line()));
    all = !vertex.empty() && (blanks || vertex.find_first_of(" \t") == std::string_view::npos);
  }
  cursor.go_to(begin);
  return all;
}

/// NetworkX's write_adjlist begins with comments: the program, "# GMT " and the time.
bool has_networkx_comment(Cursor& cursor) {
  auto const* const begin = cursor.position();
  auto found = false;
  for (; !cursor.at_end() && !cursor.has_field() && !found; cursor.next_line()) {
    found = cursor.line().starts_with("# GMT ");
  }
  cursor.go_to(begin);
  return found;
}

/// What tells lists of neighbours from edges with further columns.
struct Evidence {
  bool possible = false;  ///< no vertex has two lines, or a neighbour twice, or itself
  bool ragged = false;    ///< lines of different length
  bool symmetric = false;
  std::size_t further = 0;         ///< neighbours after the first of a line
  std::size_t further_listed = 0;  ///< those that have a line
  bool all_listed = true;          ///< every neighbour has a line
};

/// The vertices of the lines; nothing if one has two lines, or no line has two neighbours.
std::unordered_set<std::string_view> vertices_of_lines(Cursor& cursor, char separator) {
  std::unordered_set<std::string_view> vertices;
  auto const* const begin = cursor.position();
  auto longest = std::size_t{0};
  for (; cursor.skip_to_content(); cursor.next_line()) {
    auto const fields = split(cursor.line(), separator, 3);
    longest = std::max(longest, fields.size());
    if (fields.empty() || !vertices.insert(fields[0]).second) {
      longest = 0;
      break;
    }
  }
  cursor.go_to(begin);
  return longest < 3 ? std::unordered_set<std::string_view>{} : std::move(vertices);
}

/// Titles of a table, which lists of neighbours do not have.
bool has_titles(Cursor& cursor, char separator) {
  auto const* const begin = cursor.position();
  auto titles = false;
  if (cursor.skip_to_content()) {
    auto const first = split(cursor.line(), separator, 64);
    cursor.next_line();
    auto const second =
        cursor.skip_to_content() ? split(cursor.line(), separator, 64) : decltype(first){};
    auto const word = [](auto field) { return !begins_as_number(field); };
    auto const words = std::ranges::all_of(first, word);
    titles = are_edge_titles(first) || (!first.empty() && first[0].empty()) ||
             (words && second.size() >= 2 && !word(second[0]) && !word(second[1]));
  }
  cursor.go_to(begin);
  return titles;
}

Evidence look_at_lists(Cursor& cursor) {
  Evidence evidence;
  auto const separator = separator_of_lists(cursor);
  auto const vertices = vertices_of_lines(cursor, separator);
  if (vertices.empty() || has_titles(cursor, separator)) {
    return evidence;
  }
  auto const* const begin = cursor.position();
  Labels labels;
  SymmetryCheck symmetry;
  evidence.possible = true;
  std::size_t shortest = ~std::size_t{0}, longest = 0;
  for (; cursor.skip_to_content() && evidence.possible; cursor.next_line()) {
    auto line = line_here(cursor, separator, false);
    auto const& neighbours = line.neighbours;
    shortest = std::min(shortest, neighbours.size());
    longest = std::max(longest, neighbours.size());
    auto const v = labels.vertex(line.vertex);
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      auto const listed = vertices.contains(neighbours[i]);
      evidence.all_listed = evidence.all_listed && listed;
      evidence.further += i > 0 ? 1 : 0;
      evidence.further_listed += i > 0 && listed ? 1 : 0;
      symmetry.add(v, labels.vertex(neighbours[i]));
    }
    line.neighbours.push_back(line.vertex);
    std::ranges::sort(line.neighbours);
    evidence.possible =
        !line.open && std::ranges::adjacent_find(line.neighbours) == line.neighbours.end();
  }
  cursor.go_to(begin);
  evidence.ragged = shortest < longest;
  evidence.symmetric = symmetry.holds();
  return evidence;
}

}  // namespace

bool is_neighbour_lists(Cursor& cursor) {
  if (all_have_colons(cursor) || has_networkx_comment(cursor)) {
    return true;
  }
  auto const evidence = look_at_lists(cursor);
  return evidence.possible && evidence.all_listed && (evidence.ragged || evidence.symmetric);
}

bool may_be_neighbour_lists(Cursor& cursor) {
  if (all_have_colons(cursor, true)) {
    return true;
  }
  auto const evidence = look_at_lists(cursor);
  return evidence.possible && evidence.further_listed > 0 &&
         2 * evidence.further_listed >= evidence.further;
}

void read_neighbour_lists(Cursor& cursor, GraphFile& graph, GraphReadOptions const& options) {
  auto const certain = all_have_colons(cursor) || has_networkx_comment(cursor);
  auto const colons = all_have_colons(cursor, true);
  auto const separator = separator_of_lists(cursor);
  Labels labels;
  SymmetryCheck symmetry;
  for (; cursor.skip_to_content(); cursor.next_line()) {
    auto const line = line_here(cursor, separator, colons);
    if (line.open) {
      cursor.fail(cursor.position(), "expected a closing double quote");
    }
    if (line.vertex.empty()) {
      cursor.fail(cursor.position(), "expected a vertex and its neighbours, found an empty field");
    }
    auto const v = labels.vertex(line.vertex);
    for (auto const neighbour : line.neighbours) {
      auto const u = labels.vertex(neighbour);
      symmetry.add(v, u);
      add_edge(cursor, graph, cursor.position(), v, u);
    }
  }
  if (labels.size() == 0) {
    throw InputError(cursor.name(), "expected lists of neighbours, found none");
  }
  if (symmetry.holds()) {  // both ends list an edge
    std::erase_if(graph.edges, [](Edge const& edge) { return edge.first > edge.second; });
  }
  name_by_labels(cursor, graph, labels, true);
  if (options.format == GraphFormat::automatic && !certain) {
    graph.notes.push_back(
        fmt::format("{}: read as lists of neighbours: the first word of a line is "
                    "a vertex, the others are its neighbours (--format edges: "
                    "a list of edges)",
                    cursor.name()));
  }
}

}  // namespace taper::io
