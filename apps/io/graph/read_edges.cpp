// SPDX-License-Identifier: Apache-2.0
#include <io/error.hpp>
#include <io/graph_readers.hpp>
#include <io/text.hpp>

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

/// Commas and semicolons part numbers too, as in CSV.
constexpr std::string_view number_gaps = ",;";

bool all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// Goes to the next line with something to read. False at the end.
bool next_filled_line(Cursor& cursor) {
  while (!cursor.at_end() && !cursor.has_field()) {
    cursor.next_line();
  }
  return !cursor.at_end();
}

std::size_t count_fields(Cursor& cursor) {
  auto const* const begin = cursor.place();
  std::size_t fields = 0;
  for (; cursor.has_field(); ++fields) {
    cursor.field();
  }
  cursor.go_to(begin);
  return fields;
}

/// What KONECT says of a graph in the first line: "sym", "asym", or "bip", that the columns of a graph
/// of two sides count apart. Empty where the line is not such a one.
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

/// Numbers a line, as they stand: 64 bits, since their values need not be ids.
struct NumberedLines {
  struct First {
    std::array<std::uint64_t, 3> numbers{};
    std::size_t count = 0;  ///< of fields
    char const* place = nullptr;
  };
  First first;
  char const* rest = nullptr;  ///< the second line
  std::vector<Edge> edges;     ///< of the lines after the first
  std::uint64_t lowest = ~std::uint64_t{0}, highest = 0;
  std::size_t columns = 0;
  bool too_wide = false;  ///< a number beyond most_vertices came up: nothing else is valid

  std::uint64_t filled_lines() const { return edges.size(); }
};

std::uint64_t read_number(Cursor& cursor) {
  cursor.skip_gaps();
  auto const* const place = cursor.place();
  if (auto const number = cursor.number()) [[likely]] {
    return *number;
  }
  if (all_digits(cursor.field())) {
    return ~std::uint64_t{0};  // of more than 64 bits
  }
  cursor.go_to(place);
  cursor.fail_expecting("two vertices, as numbers");
}

[[noreturn]] void fail_columns(Cursor& cursor, std::size_t expected, std::size_t first_line) {
  auto const fields = count_fields(cursor);
  cursor.fail(cursor.place(), fmt::format("expected {} columns as in line {}, found {}", expected,
                                          first_line, fields));
}

NumberedLines read_numbered_lines(Cursor& cursor) {
  NumberedLines lines;
  auto& first = lines.first;
  first.place = cursor.place();
  first.count = count_fields(cursor);
  if (first.count < 2) {
    cursor.fail(first.place,
                fmt::format("expected two vertices, found {} alone", in_quotes(cursor.field())));
  }
  for (std::size_t i = 0; i < std::min(first.count, first.numbers.size()); ++i) {
    cursor.skip_gaps();
    first.numbers[i] = cursor.number().value_or(~std::uint64_t{0});
  }
  cursor.next_line();
  next_filled_line(cursor);
  lines.rest = cursor.place();
  lines.edges.reserve(cursor.bytes_left() / 8);
  auto const* first_edge = lines.rest;
  for (; next_filled_line(cursor); cursor.next_line()) {
    auto const* const place = cursor.place();
    if (lines.columns == 0) {
      lines.columns = count_fields(cursor);
    }
    if (lines.columns < 2) {
      cursor.fail_expecting("two vertices a line");
    }
    auto const u = read_number(cursor);
    if (!cursor.has_field()) [[unlikely]] {
      cursor.fail(place, "expected two vertices, found one");
    }
    auto const v = read_number(cursor);
    auto columns = std::size_t{2};
    while (cursor.has_field()) {
      cursor.field();
      ++columns;
    }
    if (columns != lines.columns) [[unlikely]] {
      cursor.go_to(place);
      fail_columns(cursor, lines.columns, cursor.line_of(first_edge));
    }
    lines.lowest = std::min({lines.lowest, u, v});
    lines.highest = std::max({lines.highest, u, v});
    if (lines.highest > most_vertices) [[unlikely]] {
      lines.too_wide = true;
      return lines;
    }
    lines.edges.emplace_back(static_cast<Vertex>(u), static_cast<Vertex>(v));
  }
  return lines;
}

enum class Role { header, edge, unclear };

/// What the first line is. As a header, `a` vertices and `b` edges, it must be right about the
/// edges; nothing but an edge brings up a vertex that other lines know.
Role role_of_first(NumberedLines const& lines, Header wanted) {
  auto const& first = lines.first;
  if (wanted != Header::automatic) {
    return wanted == Header::yes ? Role::header : Role::edge;
  }
  auto const count = lines.filled_lines();
  // "rows columns entries" of a Matrix Market file without its banner
  auto const three = first.count == 3 && first.numbers[0] == first.numbers[1];
  if (first.count != 2 && !three) {
    return Role::edge;
  }
  auto const a = first.numbers[0], b = first.numbers[three ? 2 : 1];
  if (count == 0) {
    return b == 0 && !three ? Role::header : Role::edge;
  }
  auto const needed = lines.highest + (lines.lowest == 0 ? 1 : 0);  // named from 0 or 1
  if (b == count && a > 0 && (a >= needed || b > lines.highest)) {
    return Role::header;
  }
  return a >= lines.highest && b > std::min(lines.highest, count) && !three ? Role::unclear
                                                                            : Role::edge;
}

/// A first line that is read as a header might have been one edge more: its ends are vertices of other
/// lines, or the next one after these, and no line has it already.
bool may_be_edge(NumberedLines const& lines) {
  auto const a = lines.first.numbers[0], b = lines.first.numbers[1];
  if (lines.first.count != 2 || a == b || a > lines.highest + 1 || b < lines.lowest ||
      b > lines.highest) {
    return false;
  }
  return std::ranges::none_of(lines.edges, [&](Edge const& edge) {
    return (edge.first == a && edge.second == b) || (edge.first == b && edge.second == a);
  });
}

/// The place of the first number that is `wanted` or more, from `from` on.
char const* find_number(Cursor& cursor, char const* from, std::uint64_t wanted) {
  cursor.go_to(from);
  for (; next_filled_line(cursor); cursor.next_line()) {
    for (int end = 0; end < 2; ++end) {
      cursor.skip_gaps();
      auto const* const place = cursor.place();
      if (read_number(cursor) >= wanted) {
        return place;
      }
    }
  }
  return from;
}

void note_columns(Cursor const& cursor, GraphFile& graph, std::size_t columns) {
  if (columns > 2) {
    graph.notes.push_back(fmt::format("{}: columns after the second are ignored", cursor.name()));
  }
}

void find_first_loop(Cursor& cursor, GraphFile& graph, char const* from) {
  if (std::ranges::none_of(graph.edges,
                           [](Edge const& edge) { return edge.first == edge.second; })) {
    return;
  }
  cursor.go_to(from);
  for (; next_filled_line(cursor); cursor.next_line()) {
    auto const* const place = cursor.place();
    if (read_number(cursor) == read_number(cursor)) {
      graph.first_loop_line = cursor.line_of(place);
      return;
    }
  }
}

/// Vertices are those that the header counts, named from 0 where a 0 occurs, else from 1.
void number_by_header(Cursor& cursor, GraphFile& graph, NumberedLines const& lines) {
  auto const n = lines.first.numbers[0];
  require_vertices(cursor, lines.first.place, n);
  auto const listed = !lines.edges.empty();
  auto const base = listed && lines.lowest == 0 ? 0u : 1u;
  if (listed && lines.highest - base >= n) {
    auto const* const place = find_number(cursor, lines.rest, n + base);
    cursor.fail(place,
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
  require_edges(cursor, lines.first.place, graph, announced);
}

/// Vertices are the numbers that occur.
void number_by_occurrence(GraphFile& graph) {
  std::vector<Vertex> ids;
  ids.reserve(2 * graph.edges.size());
  for (auto const& [u, v] : graph.edges) {
    ids.push_back(u);
    ids.push_back(v);
  }
  auto const highest = ids.empty() ? 0 : std::ranges::max(ids);
  std::vector<Vertex> vertex_of;  // by number, where numbers are dense enough
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

/// The first column's vertices, then the second's.
void number_two_sides(Cursor& cursor, GraphFile& graph, NumberedLines const& lines) {
  std::uint64_t left = 0, right = 0;
  for (auto const& [u, v] : graph.edges) {
    left = std::max<std::uint64_t>(left, u);
    right = std::max<std::uint64_t>(right, v);
  }
  if (lines.lowest == 0) {
    cursor.fail(find_number(cursor, lines.first.place, 0),
                "expected numbers from 1 in a KONECT graph of two sides");
  }
  require_vertices(cursor, lines.first.place, left + right);
  graph.vertices = left + right;
  for (auto& [u, v] : graph.edges) {
    u -= 1;
    v += static_cast<Vertex>(left) - 1;
  }
  graph.notes.push_back(fmt::format("{}: a graph of two sides: i on the left is vertex i, j on the "
                                    "right is vertex {} + j",
                                    cursor.name(), left));
}

/// Labels in the order in which they come up, looked up by open addressing: a node for each, as in
/// std::unordered_map, would cost a cache miss more at every end of every edge.
class Labels {
 public:
  Vertex vertex(std::string_view label) {
    if (2 * labels_.size() >= slots_.size()) {
      grow();
    }
    auto const hash = static_cast<std::uint32_t>(std::hash<std::string_view>{}(label));
    auto at = hash & (slots_.size() - 1);
    for (; slots_[at].label != nobody; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at].hash == hash && labels_[slots_[at].label] == label) {
        return slots_[at].label;
      }
    }
    slots_[at] = {hash, static_cast<Vertex>(labels_.size())};
    labels_.push_back(label);
    return slots_[at].label;
  }

  std::vector<std::string> all() const { return {labels_.begin(), labels_.end()}; }

 private:
  static constexpr auto nobody = static_cast<Vertex>(most_vertices + 1);
  struct Slot {
    std::uint32_t hash = 0;
    Vertex label = nobody;
  };

  void grow() {
    std::vector<Slot> slots(2 * slots_.size());
    for (auto const& slot : slots_) {
      auto at = slot.hash & (slots.size() - 1);
      while (slot.label != nobody && slots[at].label != nobody) {
        at = (at + 1) & (slots.size() - 1);
      }
      if (slot.label != nobody) {
        slots[at] = slot;
      }
    }
    slots_ = std::move(slots);
  }

  std::vector<Slot> slots_ = std::vector<Slot>(std::size_t{1} << 10);  // a power of two
  std::vector<std::string_view> labels_;                               // in the text
};

std::string_view trimmed(std::string_view text) {
  auto const begin = text.find_first_not_of(" \t\r");
  auto const end = text.find_last_not_of(" \t\r");
  return begin == std::string_view::npos ? std::string_view{} : text.substr(begin, end - begin + 1);
}

/// Fields of a line of words: parted by `separator`, or by blanks where that is a blank. A field in
/// double quotes ends with them.
class LabelLine {
 public:
  LabelLine(Cursor const& cursor, char separator)
      : cursor_(cursor), rest_(cursor.line()), separator_(separator) {}

  std::optional<std::string_view> next() {
    rest_ = rest_.substr(std::min(rest_.find_first_not_of(" \t\r"), rest_.size()));
    if (rest_.empty()) {
      return std::nullopt;
    }
    std::string_view field;
    if (rest_.starts_with('"')) {
      auto const end = rest_.find('"', 1);
      if (end == std::string_view::npos) {
        cursor_.fail(rest_.data(), "expected a closing double quote");
      }
      field = rest_.substr(1, end - 1);
      rest_.remove_prefix(end + 1);
      take_to_separator();
    } else {
      field = take_to_separator();
    }
    if (field.empty()) {
      cursor_.fail(cursor_.place(), "expected two labels, found an empty one");
    }
    return field;
  }

 private:
  std::string_view take_to_separator() {
    auto const end = separator_ == ' ' ? rest_.find_first_of(" \t\r") : rest_.find(separator_);
    auto const field = trimmed(rest_.substr(0, end));
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    return field;
  }

  Cursor const& cursor_;
  std::string_view rest_;
  char separator_;
};

/// Titles of columns that are no vertices, in letters of any case.
bool is_title(std::string_view text) {
  constexpr std::array<std::string_view, 12> titles{"source",     "target",   "from",   "to",
                                                    "src",        "dst",      "node1",  "node2",
                                                    "fromnodeid", "tonodeid", "node_1", "node_2"};
  std::string lowered(text);
  std::ranges::transform(lowered, lowered.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::ranges::find(titles, lowered) != titles.end();
}

void read_labels(Cursor& cursor, GraphFile& graph) {
  graph.format = GraphFormat::labels;
  cursor.set_gaps();  // an empty field between two commas is a mistake, and to be seen
  char separator = ' ';
  for (char const candidate : {'\t', ';', ','}) {  // the last that occurs
    separator = cursor.line().find(candidate) != std::string_view::npos ? candidate : separator;
  }
  Labels labels;
  std::size_t columns = 0;
  auto const* const begin = cursor.place();
  for (; next_filled_line(cursor); cursor.next_line()) {
    LabelLine line(cursor, separator);
    auto const u = line.next();
    auto const v = line.next();
    if (!v) {
      cursor.fail(cursor.place(),
                  fmt::format("expected two vertices, found {} alone", in_quotes(*u)));
    }
    std::size_t fields = 2;
    while (line.next()) {
      ++fields;
    }
    if (columns == 0) {
      columns = fields;
      if (is_title(*u) && is_title(*v)) {
        graph.notes.push_back(fmt::format("{}:{}: '{}' and '{}' are titles of columns",
                                          cursor.name(), cursor.line_of(begin), *u, *v));
        continue;
      }
    }
    if (fields != columns) {
      cursor.fail(cursor.place(), fmt::format("expected {} columns as in line {}, found {}",
                                              columns, cursor.line_of(begin), fields));
    }
    auto const a = labels.vertex(*u);
    add_edge(cursor, graph, cursor.place(), a, labels.vertex(*v));
  }
  auto names = labels.all();
  graph.vertices = names.size();
  graph.names = VertexNames::words(std::move(names));
  note_columns(cursor, graph, columns);
}

/// Both vertices of the line here are written in digits.
bool line_is_numeric(Cursor& cursor) {
  auto const* const begin = cursor.place();
  auto numeric = true;
  for (int end = 0; end < 2 && cursor.has_field(); ++end) {
    numeric = numeric && all_digits(cursor.field());
  }
  cursor.go_to(begin);
  return numeric;
}

/// A line of words above lines of numbers, as in CSV. A word that begins as a number is no title, but
/// a mistake, or a label.
bool pass_titles(Cursor& cursor, GraphFile& graph) {
  auto const* const begin = cursor.place();
  auto const titles = cursor.line();
  auto words = true;
  char const* mistake = nullptr;
  for (int end = 0; end < 2 && cursor.has_field(); ++end) {
    auto const* const place = cursor.place();
    auto const field = cursor.field();
    words = words && !begins_as_number(field);
    mistake = mistake == nullptr && begins_as_number(field) && !all_digits(field) ? place : mistake;
  }
  cursor.next_line();
  if (next_filled_line(cursor) && line_is_numeric(cursor)) {
    if (mistake != nullptr) {
      cursor.go_to(mistake);
      cursor.fail_expecting("two vertices, as numbers");
    }
    if (words) {
      graph.notes.push_back(fmt::format("{}:{}: {} is read as titles of columns", cursor.name(),
                                        cursor.line_of(begin), in_quotes(titles)));
      return true;
    }
  }
  cursor.go_to(begin);
  return false;
}

void read_numbers(Cursor& cursor, GraphFile& graph, GraphReadOptions const& options, bool two_sides,
                  bool titled) {
  graph.format = GraphFormat::edges;
  auto const* const begin = cursor.place();
  auto lines = read_numbered_lines(cursor);
  auto const& first = lines.first;
  auto role = titled || two_sides ? Role::edge : role_of_first(lines, options.header);
  if (lines.too_wide ||
      (role == Role::edge && std::max(first.numbers[0], first.numbers[1]) > most_vertices)) {
    cursor.go_to(begin);
    return read_labels(cursor, graph);
  }
  if (role == Role::unclear) {
    cursor.fail(first.place,
                fmt::format("'{} {}' may be an edge, or a header of {} vertices and {} edges, but "
                            "{} follow: set --header yes or no",
                            first.numbers[0], first.numbers[1], first.numbers[0], first.numbers[1],
                            lines.filled_lines()));
  }
  if (role == Role::header && options.header == Header::automatic && may_be_edge(lines)) {
    graph.notes.push_back(fmt::format("{}:{}: '{} {}' is read as the header (--header no: an edge)",
                                      cursor.name(), cursor.line_of(first.place), first.numbers[0],
                                      first.numbers[1]));
  }
  graph.edges = std::move(lines.edges);
  if (role == Role::header) {
    lines.edges.resize(std::min<std::size_t>(graph.edges.size(), 1));  // only "any at all" is asked
    number_by_header(cursor, graph, lines);
    find_first_loop(cursor, graph, lines.rest);
  } else {
    if (lines.columns != 0 && first.count != lines.columns) {
      cursor.go_to(lines.rest);
      fail_columns(cursor, first.count, cursor.line_of(first.place));
    }
    graph.edges.insert(graph.edges.begin(), {static_cast<Vertex>(first.numbers[0]),
                                             static_cast<Vertex>(first.numbers[1])});
    lines.lowest = std::min({lines.lowest, first.numbers[0], first.numbers[1]});
    if (two_sides) {
      number_two_sides(cursor, graph, lines);
    } else {
      number_by_occurrence(graph);
      find_first_loop(cursor, graph, begin);
    }
  }
  note_columns(cursor, graph, role == Role::header ? lines.columns : first.count);
}

/// A comment's number of edges: "Nodes: 4 Edges: 3" of SNAP, or the second line of KONECT, "3 4 4" or
/// "3 2 2".
struct Announced {
  std::uint64_t edges = 0;
  char const* place = nullptr;
};

std::optional<std::uint64_t> number_at(std::string_view text) {
  std::uint64_t number = 0;
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  auto const [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} ? std::optional(number) : std::nullopt;
}

/// Goes to the first line that is no comment. What the last of the comments that announce edges says.
std::optional<Announced> pass_comments(Cursor& cursor) {
  constexpr std::string_view edges = "Edges:";
  std::optional<Announced> announced;
  auto const konect = !konect_kind(cursor).empty();
  for (int line = 0; !cursor.at_end() && !cursor.has_field(); ++line, cursor.next_line()) {
    auto const text = cursor.line();
    auto const at = text.find(edges);
    auto const number = at != std::string_view::npos ? number_at(text.substr(at + edges.size()))
                        : konect && line == 1 && text.starts_with('%') ? number_at(text.substr(1))
                                                                       : std::nullopt;
    if (number) {
      announced = {*number, cursor.place()};
    }
  }
  return announced;
}

void read_lines(Cursor& cursor, GraphFile& graph, GraphReadOptions const& options, bool two_sides) {
  if (options.format == GraphFormat::labels) {
    return read_labels(cursor, graph);
  }
  // For words the separator is the first line's.
  auto const* const begin = cursor.place();
  cursor.set_gaps(number_gaps);
  auto const numeric = line_is_numeric(cursor);
  auto const titled = !numeric && pass_titles(cursor, graph);
  if (numeric || titled || options.format == GraphFormat::edges) {
    return read_numbers(cursor, graph, options, two_sides, titled);
  }
  cursor.go_to(begin);
  read_labels(cursor, graph);
}

}  // namespace

void read_edges(Cursor& cursor, GraphFile& graph, GraphReadOptions const& options) {
  auto const two_sides = konect_kind(cursor) == "bip";
  auto const announced = pass_comments(cursor);
  if (cursor.at_end()) {
    throw InputError(cursor.name(), "no edges and no header: expected a graph");
  }
  read_lines(cursor, graph, options, two_sides);
  auto const listed = graph.edges.size();
  if (announced && announced->edges != listed &&
      !may_mean(announced->edges, listed, count_different(graph.edges))) {
    graph.notes.push_back(fmt::format("{}:{}: announces {} edge{}, the file lists {}",
                                      cursor.name(), cursor.line_of(announced->place),
                                      announced->edges, announced->edges == 1 ? "" : "s", listed));
  }
}

}  // namespace taper::io
