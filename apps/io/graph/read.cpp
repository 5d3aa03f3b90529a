// SPDX-License-Identifier: Apache-2.0
#include <io/graph/format_readers.hpp>
#include <io/graph/read.hpp>
#include <io/market/id_table.hpp>
#include <io/matrix/matrix_market_banner.hpp>
#include <io/text/source.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace taper::io {
namespace {

/// Whether the first line after comments is a problem line, such as "p td 5 4".
bool has_problem_line(Cursor& cursor) {
  auto const* const begin = cursor.position();
  auto found = false;
  for (; !cursor.at_end() && !found; cursor.next_line()) {
    if (!cursor.has_field()) {
      continue;
    }
    auto const kind = cursor.field();
    if (kind == "p") {
      cursor.skip_separators();
      cursor.field();
      cursor.skip_separators();
      found = cursor.number().has_value();
    }
    if (found || !kind.starts_with('c')) {
      break;
    }
  }
  cursor.go_to(begin);
  return found;
}

/// Whether the first line after comments is a DIMACS edge, such as "e 1 2", and not a line of
/// words.
bool has_dimacs_edge(Cursor& cursor) {
  auto const* const begin = cursor.position();
  while (!cursor.at_end() &&
         (!cursor.has_field() || cursor.line() == "c" || cursor.line().starts_with("c "))) {
    cursor.next_line();
  }
  auto found = false;
  if (!cursor.at_end()) {
    auto const kind = cursor.field();
    found = kind == "e" || kind == "a";
    for (int end = 0; end < 2 && found; ++end) {
      cursor.skip_separators();
      found = cursor.number().has_value();
    }
    found = found && !cursor.has_field();
  }
  cursor.go_to(begin);
  return found;
}

GraphFormat format_by_content(Cursor& cursor) {
  if (cursor.line().find('\0') != std::string_view::npos) {
    throw InputError(cursor.name(), "expected a graph as text, found binary data");
  }
  if (is_matrix_market(cursor.line())) {
    return GraphFormat::matrix_market;
  }
  if (has_problem_line(cursor)) {
    return GraphFormat::pace;
  }
  if (has_dimacs_edge(cursor)) {
    return GraphFormat::dimacs;  // its reader reports the missing problem line
  }
  return is_metis(cursor) ? GraphFormat::metis : GraphFormat::edges;
}

GraphFile read(Cursor& cursor, GraphReadOptions const& options) {
  GraphFile graph;
  graph.file = cursor.name();
  graph.format =
      options.format == GraphFormat::automatic ? format_by_content(cursor) : options.format;
  switch (graph.format) {
  case GraphFormat::pace:
  case GraphFormat::dimacs:
    read_pace_or_dimacs(cursor, graph);
    break;
  case GraphFormat::matrix_market:
    read_matrix_market(cursor, graph);
    break;
  case GraphFormat::metis:
    read_metis(cursor, graph);
    break;
  case GraphFormat::automatic:
  case GraphFormat::edges:
  case GraphFormat::labels:
    read_edges(cursor, graph, options);
    break;
  }
  return graph;
}

}  // namespace

void require_vertices(Cursor const& cursor, char const* position, std::uint64_t n) {
  if (n > max_vertices) {
    cursor.fail(position, fmt::format("{} vertices are more than {}, the maximum", grouped(n),
                                      grouped(max_vertices)));
  }
  constexpr std::uint64_t bytes_per_vertex =
      24;  // row offsets, two copies during construction; marks
  if (auto const free = free_memory(); n * bytes_per_vertex > free) {
    cursor.fail(position, fmt::format("{} vertices need {}, this machine has {} free", grouped(n),
                                      human_bytes(n * bytes_per_vertex), human_bytes(free)));
  }
}

Vertex read_vertex(Cursor& cursor, std::uint64_t n) {
  cursor.skip_separators();
  auto const* const position = cursor.position();
  auto const number = cursor.number();
  if (!number) [[unlikely]] {
    cursor.fail_expecting(fmt::format("a vertex, a number from 1 to {}", n));
  }
  if (*number - 1 >= n) [[unlikely]] {  // 0 wraps to the largest number
    cursor.fail(position, fmt::format("vertex {} is out of range: the header announces {} {}, "
                                      "numbered from 1",
                                      *number, n, n == 1 ? "vertex" : "vertices"));
  }
  return static_cast<Vertex>(*number - 1);
}

std::uint64_t count_distinct(std::vector<Edge> edges) {
  for (auto& [u, v] : edges) {
    if (u > v) {
      std::swap(u, v);
    }
  }
  std::ranges::sort(edges);
  return static_cast<std::uint64_t>(std::unique(edges.begin(), edges.end()) - edges.begin());
}

void require_edges(Cursor const& cursor, char const* position, GraphFile& graph,
                   std::uint64_t announced) {
  auto const listed = graph.edges.size();
  if (announced == listed) {
    return;
  }
  auto const different = count_distinct(graph.edges);
  auto const message = fmt::format("the header announces {} edge{}, the file lists {}", announced,
                                   announced == 1 ? "" : "s", listed);
  if (!is_plausible_edge_count(announced, listed, different)) {
    cursor.fail(position, message);
  }
  graph.notes.push_back(fmt::format("{}:{}: {}, of which {} are different", cursor.name(),
                                    cursor.line_of(position), message, different));
}

GraphFile read_graph(std::filesystem::path const& path, GraphReadOptions const& options) {
  Source source(path, options.stop);
  Cursor cursor(source);
  return read(cursor, options);
}

GraphFile parse_graph(std::string name, std::string text, GraphReadOptions const& options) {
  Cursor cursor(std::move(name), text);
  return read(cursor, options);
}

}  // namespace taper::io
