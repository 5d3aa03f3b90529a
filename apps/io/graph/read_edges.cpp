// SPDX-License-Identifier: Apache-2.0
#include <io/graph/edge_table.hpp>
#include <io/graph/format_readers.hpp>
#include <io/text/error.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace taper::io {
namespace {

/// In edge lists of numbers commas and semicolons also separate fields, as in CSV.
constexpr std::string_view number_separators = ",;";

std::size_t count_fields(Cursor& cursor) {
  auto const* const begin = cursor.position();
  std::size_t fields = 0;
  for (; cursor.has_field(); ++fields) {
    cursor.field();
  }
  cursor.go_to(begin);
  return fields;
}

/// The kind of graph in the first line of a KONECT file: "sym", "asym", or "bip" (bipartite: the
/// two columns are numbered separately). Empty if the line is not from KONECT.
std::string_view konect_kind(Cursor const& cursor) {
  auto line = cursor.line();
  if (!line.starts_with('%')) {
    return {};
  }
  line.remove_prefix(std::min(line.find_first_not_of(" \t", 1), line.size()));
  for (std::string_view const kind : {"sym", "asym", "bip"}) {
    if (line.starts_with(kind)) {
      return kind;
    }
  }
  return {};
}

/// The lines of an edge list of numbers. Numbers of the first line have 64 bits, since they may
/// exceed vertex ids.
struct NumberedLines {
  struct First {
    std::array<std::uint64_t, 3> numbers{};
    std::size_t count = 0;  ///< number of fields
    char const* position = nullptr;
  };
  First first;
  char const* rest = nullptr;  ///< the second line
  std::vector<Edge> edges;     ///< of the lines after the first
  std::uint64_t lowest = ~std::uint64_t{0}, highest = 0;
  bool has_more_columns = false;  ///< a line after the first has more than two fields
  bool has_huge_number = false;   ///< a number exceeds max_vertices; the other members are invalid

  std::uint64_t line_count() const { return edges.size(); }
};

std::uint64_t read_number(Cursor& cursor) {
  cursor.skip_separators();
  auto const* const position = cursor.position();
  if (auto const number = cursor.number()) [[likely]] {
    return *number;
  }
  if (all_digits(cursor.field())) {
    return ~std::uint64_t{0};  // a number of more than 64 bits
  }
  cursor.go_to(position);
  cursor.fail_expecting("two vertices, as numbers");
}

/// The commas and semicolons right before `position`, from `begin` on.
int commas_before(char const* position, char const* begin) {
  int commas = 0;
  for (;
       position != begin && std::string_view(" \t,;").find(position[-1]) != std::string_view::npos;
       --position) {
    commas += position[-1] == ',' || position[-1] == ';' ? 1 : 0;
  }
  return commas;
}

/// Reads both vertices of the line here. Throws: InputError if there are not two, also if one of
/// the first two fields is empty, as in "1,,2".
std::pair<std::uint64_t, std::uint64_t> read_pair(Cursor& cursor, char const* begin) {
  auto const* const line = cursor.position();
  cursor.skip_separators();
  auto const* const position = cursor.position();
  auto const u = read_number(cursor);
  if (!cursor.has_field()) [[unlikely]] {
    cursor.fail(position, "expected two vertices, found one; --format neighbours reads lists of "
                          "neighbours");
  }
  if (commas_before(position, begin) > 0 || commas_before(cursor.position(), position) > 1)
      [[unlikely]] {
    cursor.fail(line, "expected two vertices, found an empty field");
  }
  return {u, read_number(cursor)};
}

NumberedLines read_numbered_lines(Cursor& cursor) {
  NumberedLines lines;
  auto& first = lines.first;
  first.position = cursor.position();
  first.count = count_fields(cursor);
  if (first.count < 2) {
    cursor.fail(first.position,
                fmt::format("expected two vertices, found {} alone", in_quotes(cursor.field())));
  }
  for (std::size_t i = 0; i < std::min(first.count, first.numbers.size()); ++i) {
    cursor.skip_separators();
    if (commas_before(cursor.position(), first.position) > (i == 0 ? 0 : 1)) {
      cursor.fail(first.position, "expected two vertices, found an empty field");
    }
    first.numbers[i] = cursor.number().value_or(~std::uint64_t{0});
  }
  cursor.next_line();
  cursor.skip_to_content();
  lines.rest = cursor.position();
  lines.edges.reserve(cursor.bytes_left() / 8);
  for (; cursor.skip_to_content(); cursor.next_line()) {
    auto const [u, v] = read_pair(cursor, first.position);
    lines.has_more_columns = lines.has_more_columns || cursor.has_field();
    lines.lowest = std::min({lines.lowest, u, v});
    lines.highest = std::max({lines.highest, u, v});
    if (lines.highest > max_vertices) [[unlikely]] {
      lines.has_huge_number = true;
      return lines;
    }
    lines.edges.emplace_back(static_cast<Vertex>(u), static_cast<Vertex>(v));
  }
  return lines;
}

enum class FirstLine { header, edge, unclear };

/// Decides whether the first line "a b" is a header, `a` vertices and `b` edges, or an edge. A
/// header must announce the right number of edges, and at least the vertices that occur.
FirstLine classify_first_line(NumberedLines const& lines, EdgeListHeader wanted) {
  auto const& first = lines.first;
  if (wanted != EdgeListHeader::automatic) {
    return wanted == EdgeListHeader::yes ? FirstLine::header : FirstLine::edge;
  }
  auto const count = lines.line_count();
  // "rows columns entries": a Matrix Market file without its banner
  auto const three = first.count == 3 && first.numbers[0] == first.numbers[1];
  if (first.count != 2 && !three) {
    return FirstLine::edge;
  }
  auto const a = first.numbers[0], b = first.numbers[three ? 2 : 1];
  if (count == 0) {
    return b == 0 && !three ? FirstLine::header : FirstLine::edge;
  }
  auto const needed = lines.highest + (lines.lowest == 0 ? 1 : 0);  // numbered from 0 or 1
  if (b == count && a > 0 && (a >= needed || b > lines.highest)) {
    return FirstLine::header;
  }
  return a >= lines.highest && b > std::min(lines.highest, count) && !three ? FirstLine::unclear
                                                                            : FirstLine::edge;
}

/// Whether a first line that was read as a header could also be an edge: its ends are vertices of
/// other lines, or the next one, and no other line has this edge.
bool could_be_edge(NumberedLines const& lines) {
  auto const a = lines.first.numbers[0], b = lines.first.numbers[1];
  if (lines.first.count != 2 || a == b || a > lines.highest + 1 || b < lines.lowest ||
      b > lines.highest) {
    return false;
  }
  return std::ranges::none_of(lines.edges, [&](Edge const& edge) {
    return (edge.first == a && edge.second == b) || (edge.first == b && edge.second == a);
  });
}

/// The position of the first number from `from` on that is `wanted` or more.
char const* find_number(Cursor& cursor, char const* from, std::uint64_t wanted) {
  cursor.go_to(from);
  for (; cursor.skip_to_content(); cursor.next_line()) {
    for (int end = 0; end < 2; ++end) {
      cursor.skip_separators();
      auto const* const position = cursor.position();
      if (read_number(cursor) >= wanted) {
        return position;
      }
    }
  }
  return from;
}

void find_first_loop(Cursor& cursor, GraphFile& graph, char const* from) {
  if (std::ranges::none_of(graph.edges,
                           [](Edge const& edge) { return edge.first == edge.second; })) {
    return;
  }
  cursor.go_to(from);
  for (; cursor.skip_to_content(); cursor.next_line()) {
    auto const* const position = cursor.position();
    if (read_number(cursor) == read_number(cursor)) {
      graph.first_loop_line = cursor.line_of(position);
      return;
    }
  }
}

/// Numbers vertices as the header counts them: from 0 if the vertex 0 occurs, else from 1.
void number_by_header(Cursor& cursor, GraphFile& graph, NumberedLines const& lines) {
  auto const n = lines.first.numbers[0];
  require_vertices(cursor, lines.first.position, n);
  auto const listed = !lines.edges.empty();
  auto const base = listed && lines.lowest == 0 ? 0u : 1u;
  if (listed && lines.highest - base >= n) {
    auto const* const position = find_number(cursor, lines.rest, n + base);
    cursor.fail(position,
                fmt::format("vertex {} is out of range: the header announces {} vertices, "
                            "numbered from {}{}",
                            lines.highest, n, base, base == 0 ? ", as the vertex 0 occurs" : ""));
  }
  graph.vertices = n;
  graph.names = VertexNames::counted_from(base);
  for (auto& [u, v] : graph.edges) {
    u -= base;
    v -= base;
  }
  auto const announced = lines.first.numbers[lines.first.count == 3 ? 2 : 1];
  require_edges(cursor, lines.first.position, graph, announced);
}

/// Numbers the vertices of the first column, and after them those of the second column.
void number_bipartite(Cursor& cursor, GraphFile& graph, NumberedLines const& lines) {
  std::uint64_t left = 0, right = 0;
  for (auto const& [u, v] : graph.edges) {
    left = std::max<std::uint64_t>(left, u);
    right = std::max<std::uint64_t>(right, v);
  }
  if (lines.lowest == 0) {
    cursor.fail(find_number(cursor, lines.first.position, 0),
                "expected numbers from 1 in a bipartite KONECT graph");
  }
  require_vertices(cursor, lines.first.position, left + right);
  graph.vertices = left + right;
  for (auto& [u, v] : graph.edges) {
    u -= 1;
    v += static_cast<Vertex>(left) - 1;
  }
  graph.notes.push_back(fmt::format("{}: a bipartite graph: i on the left is vertex i, j on the "
                                    "right is vertex {} + j",
                                    cursor.name(), left));
}

/// Whether both vertices of the line here are all digits.
bool line_is_numeric(Cursor& cursor) {
  auto const* const begin = cursor.position();
  auto numeric = true;
  for (int end = 0; end < 2 && cursor.has_field(); ++end) {
    numeric = numeric && all_digits(cursor.field());
  }
  cursor.go_to(begin);
  return numeric;
}

void read_numbers(Cursor& cursor, GraphFile& graph, GraphReadOptions const& options, bool bipartite,
                  EdgeTable const& table) {
  graph.format = GraphFormat::edges;
  auto const* const begin = cursor.position();
  auto lines = read_numbered_lines(cursor);
  auto const& first = lines.first;
  auto role =
      table.titled || bipartite ? FirstLine::edge : classify_first_line(lines, options.header);
  if (lines.has_huge_number ||
      (role == FirstLine::edge && std::max(first.numbers[0], first.numbers[1]) > max_vertices)) {
    cursor.go_to(begin);
    return read_labels(cursor, graph, table, options);
  }
  if (role == FirstLine::unclear) {
    cursor.fail(first.position,
                fmt::format("'{} {}' may be an edge, or a header of {} vertices and {} edges, but "
                            "{} follow: set --header yes or no",
                            first.numbers[0], first.numbers[1], first.numbers[0], first.numbers[1],
                            lines.line_count()));
  }
  if (role == FirstLine::header && options.header == EdgeListHeader::automatic &&
      could_be_edge(lines)) {
    graph.notes.push_back(fmt::format("{}:{}: '{} {}' is read as the header (--header no: an edge)",
                                      cursor.name(), cursor.line_of(first.position),
                                      first.numbers[0], first.numbers[1]));
  }
  graph.edges = std::move(lines.edges);
  if (role == FirstLine::header) {
    lines.edges.resize(std::min<std::size_t>(graph.edges.size(), 1));  // only empty() is needed
    number_by_header(cursor, graph, lines);
    find_first_loop(cursor, graph, lines.rest);
  } else {
    graph.edges.insert(graph.edges.begin(), {static_cast<Vertex>(first.numbers[0]),
                                             static_cast<Vertex>(first.numbers[1])});
    lines.lowest = std::min({lines.lowest, first.numbers[0], first.numbers[1]});
    if (bipartite) {
      number_bipartite(cursor, graph, lines);
    } else {
      number_by_occurrence(graph);
      find_first_loop(cursor, graph, begin);
    }
  }
  if (lines.has_more_columns || (role != FirstLine::header && first.count > 2)) {
    note_further_columns(cursor, graph);
  }
}

/// The number of edges that a comment announces: "Nodes: 4 Edges: 3" in SNAP, or the second line in
/// KONECT, "3 4 4" or "3 2 2".
struct AnnouncedEdges {
  std::uint64_t edges = 0;
  char const* position = nullptr;
};

std::optional<std::uint64_t> number_at(std::string_view text) {
  std::uint64_t number = 0;
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  auto const [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} ? std::optional(number) : std::nullopt;
}

/// Skips comments. Returns the number of edges from the last comment that announces one.
std::optional<AnnouncedEdges> skip_comments(Cursor& cursor) {
  constexpr std::string_view edges = "Edges:";
  std::optional<AnnouncedEdges> announced;
  auto const konect = !konect_kind(cursor).empty();
  for (int line = 0; !cursor.at_end() && !cursor.has_field(); ++line, cursor.next_line()) {
    auto const text = cursor.line();
    auto const at = text.find(edges);
    auto const number = at != std::string_view::npos ? number_at(text.substr(at + edges.size()))
                        : konect && line == 1 && text.starts_with('%') ? number_at(text.substr(1))
                                                                       : std::nullopt;
    if (number) {
      announced = {*number, cursor.position()};
    }
  }
  return announced;
}

void read_lines(Cursor& cursor, GraphFile& graph, GraphReadOptions const& options, bool bipartite) {
  cursor.set_separators();  // commas count, so that a first field may be empty
  auto const table = find_edge_table(cursor, graph, options);
  if (!cursor.skip_to_content()) {
    throw InputError(cursor.name(), "expected edges, found a line of titles alone");
  }
  cursor.set_separators(number_separators);
  auto const numeric = line_is_numeric(cursor);
  if (numeric && options.format != GraphFormat::labels && table.has_first_columns()) {
    return read_numbers(cursor, graph, options, bipartite, table);
  }
  read_labels(cursor, graph, table, options);
}

}  // namespace

void number_by_occurrence(GraphFile& graph) {
  std::vector<Vertex> ids;
  ids.reserve(2 * graph.edges.size());
  for (auto const& [u, v] : graph.edges) {
    ids.push_back(u);
    ids.push_back(v);
  }
  auto const highest = ids.empty() ? 0 : std::ranges::max(ids);
  std::vector<Vertex> vertex_of;  // the vertex of each number, if the numbers are dense enough
  if (highest / 16 <= ids.size()) {
    vertex_of.resize(std::size_t{highest} + 1);
    for (auto const id : ids) {
      vertex_of[id] = 1;
    }
    ids.clear();
    for (std::size_t id = 0; id < vertex_of.size(); ++id) {
      if (vertex_of[id] != 0) {
        vertex_of[id] = static_cast<Vertex>(ids.size());
        ids.push_back(static_cast<Vertex>(id));
      }
    }
  } else {
    std::ranges::sort(ids);
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  }
  graph.vertices = ids.size();
  auto const consecutive = !ids.empty() && ids.back() - ids.front() == ids.size() - 1;
  graph.names = consecutive ? VertexNames::counted_from(ids.front())
                            : VertexNames::numbers({ids.begin(), ids.end()});
  auto const vertex = [&](Vertex id) {
    return !vertex_of.empty()
               ? vertex_of[id]
               : static_cast<Vertex>(std::ranges::lower_bound(ids, id) - ids.begin());
  };
  for (auto& [u, v] : graph.edges) {
    u = vertex(u);
    v = vertex(v);
  }
}

void note_further_columns(Cursor const& cursor, GraphFile& graph) {
  graph.notes.push_back(fmt::format("{}: columns after the second are ignored", cursor.name()));
  if (graph.edges.size() < 2 || graph.vertices != 2 * graph.edges.size()) {
    return;
  }
  std::vector<bool> has_edge(graph.vertices);
  for (auto const& [u, v] : graph.edges) {
    if (u == v || has_edge[u] || has_edge[v]) {
      return;
    }
    has_edge[u] = has_edge[v] = true;
  }
  graph.notes.push_back(fmt::format("{}: no two edges share a vertex; --columns A,B reads the "
                                    "vertices from other columns",
                                    cursor.name()));
}

void read_edges(Cursor& cursor, GraphFile& graph, GraphReadOptions const& options) {
  auto const bipartite = konect_kind(cursor) == "bip";
  auto const announced = skip_comments(cursor);
  if (cursor.at_end()) {
    throw InputError(cursor.name(), "expected a graph, found no edges and no header");
  }
  read_lines(cursor, graph, options, bipartite);
  auto const listed = graph.edges.size();
  if (announced && announced->edges != listed &&
      !is_plausible_edge_count(announced->edges, listed, count_distinct(graph.edges))) {
    graph.notes.push_back(fmt::format("{}:{}: announces {} edge{}, the file lists {}",
                                      cursor.name(), cursor.line_of(announced->position),
                                      announced->edges, announced->edges == 1 ? "" : "s", listed));
  }
}

}  // namespace taper::io
