// SPDX-License-Identifier: Apache-2.0
#include <io/graph/edge_table.hpp>
#include <io/graph/format_readers.hpp>
#include <io/graph/labels.hpp>
#include <io/text/fields.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace taper::io {
namespace {

/// The labels of both ends in one line, and whether the line has columns after them.
struct LabelledEdge {
  std::string_view u, v;
  bool more = false;
};

LabelledEdge read_line(Cursor& cursor, EdgeTable const& table) {
  Fields fields(cursor.whole_line(), table.separator);
  auto const last = std::max(table.u, table.v);
  std::pair<std::string_view, std::string_view> ends;
  for (std::size_t column = 0; column <= last; ++column) {
    auto const field = fields.next();
    if (!field && table.has_first_columns()) {
      cursor.fail(cursor.position(),
                  fmt::format("expected two vertices, found {} alone", in_quotes(ends.first)));
    }
    if (!field) {
      cursor.fail(cursor.position(),
                  fmt::format("expected a vertex in column {}, found {} column{}", last + 1, column,
                              column == 1 ? "" : "s"));
    }
    if (column != table.u && column != table.v) {
      continue;
    }
    if (fields.is_open()) {
      cursor.fail(field->data(), "expected a closing double quote");
    }
    if (field->empty()) {
      cursor.fail(cursor.position(), "expected two labels, found an empty one");
    }
    (column == table.u ? ends.first : ends.second) = *field;
  }
  return {ends.first, ends.second, fields.next().has_value()};
}

/// Whether the first edge is a line of titles: the titles are common, or their words occur in no
/// other line, and no other edge is alone like this. Notes what it guesses.
bool first_edge_is_titles(Cursor const& cursor, char const* line, GraphFile& graph,
                          Labels const& labels) {
  auto const& edges = graph.edges;
  std::vector<std::uint32_t> degrees(labels.size());
  for (auto const& [u, v] : edges) {
    ++degrees[u];
    ++degrees[v];
  }
  auto const is_alone = [&](Edge const& edge) {
    return edge.first != edge.second && degrees[edge.first] == 1 && degrees[edge.second] == 1;
  };
  if (edges.size() < 2 || !is_alone(edges[0])) {
    return false;
  }
  auto const u = labels.of(edges[0].first), v = labels.of(edges[0].second);
  if (begins_as_number(u) || begins_as_number(v)) {
    return false;
  }
  auto const titles =
      are_common_titles(u, v) || std::none_of(edges.begin() + 1, edges.end(), is_alone);
  graph.notes.push_back(
      fmt::format("{}:{}: {} and {}, which occur in no other line, are read as {} (--titles {})",
                  cursor.name(), cursor.line_of(line), in_quotes(u), in_quotes(v),
                  titles ? "titles" : "an edge", titles ? "no: an edge" : "yes: titles"));
  return titles;
}

/// Drops the first edge and its two labels, the first ones.
void drop_first_edge(GraphFile& graph, Labels& labels) {
  labels.drop_first(2);
  graph.edges.erase(graph.edges.begin());
  for (auto& [u, v] : graph.edges) {
    u -= 2;
    v -= 2;
  }
}

}  // namespace

void read_labels(Cursor& cursor, GraphFile& graph, EdgeTable const& table,
                 GraphReadOptions const& options) {
  cursor.set_separators();  // commas are not separators here, so that an empty field is an error
  Labels labels;
  char const* first = nullptr;
  auto more = false;
  for (; cursor.skip_to_content(); cursor.next_line()) {
    first = first == nullptr ? cursor.position() : first;
    auto const edge = read_line(cursor, table);
    more = more || edge.more;
    auto const u = labels.vertex(edge.u);
    add_edge(cursor, graph, cursor.position(), u, labels.vertex(edge.v));
  }
  if (!table.titled && options.titles == EdgeListTitles::automatic &&
      first_edge_is_titles(cursor, first, graph, labels)) {
    drop_first_edge(graph, labels);
  }
  name_by_labels(cursor, graph, labels, options.format != GraphFormat::labels);
  graph.format = graph.names.are_words() ? GraphFormat::labels : GraphFormat::edges;
  if (more && table.has_first_columns()) {
    note_further_columns(cursor, graph);
  }
}

}  // namespace taper::io
