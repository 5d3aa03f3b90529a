// SPDX-License-Identifier: Apache-2.0
#include <io/graph_readers.hpp>
#include <io/id_table.hpp>
#include <io/market_banner.hpp>
#include <io/read_graph.hpp>
#include <io/source.hpp>
#include <io/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace taper::io {
namespace {

/// "p td 5 4" and the like, after comments.
bool has_problem_line(Cursor& cursor) {
  auto const* const begin = cursor.place();
  auto found = false;
  for (; !cursor.at_end() && !found; cursor.next_line()) {
    if (!cursor.has_field()) {
      continue;
    }
    auto const kind = cursor.field();
    if (kind == "p") {
      cursor.skip_gaps();
      cursor.field();
      cursor.skip_gaps();
      found = cursor.number().has_value();
    }
    if (found || !kind.starts_with('c')) {
      break;
    }
  }
  cursor.go_to(begin);
  return found;
}

/// "e 1 2" in the first line that is no comment: an edge of DIMACS, not a list of words.
bool has_tagged_edge(Cursor& cursor) {
  auto const* const begin = cursor.place();
  while (!cursor.at_end() &&
         (!cursor.has_field() || cursor.line() == "c" || cursor.line().starts_with("c "))) {
    cursor.next_line();
  }
  auto found = false;
  if (!cursor.at_end()) {
    auto const kind = cursor.field();
    found = kind == "e" || kind == "a";
    for (int end = 0; end < 2 && found; ++end) {
      cursor.skip_gaps();
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
  if (has_tagged_edge(cursor)) {
    return GraphFormat::dimacs;  // whose reader says that the problem line is missing
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
    read_tagged(cursor, graph);
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

void require_vertices(Cursor const& cursor, char const* place, std::uint64_t n) {
  if (n > most_vertices) {
    cursor.fail(place, fmt::format("{} vertices are more than {}, the most that Taper can number",
                                   grouped(n), grouped(most_vertices)));
  }
  constexpr std::uint64_t bytes_a_vertex = 24;  // a row's place, twice while it is made, and marks
  if (auto const free = free_memory(); n * bytes_a_vertex > free) {
    cursor.fail(place, fmt::format("{} vertices need {}, this machine has {} free", grouped(n),
                                   human_bytes(n * bytes_a_vertex), human_bytes(free)));
  }
}

Vertex read_vertex(Cursor& cursor, std::uint64_t n) {
  cursor.skip_gaps();
  auto const* const place = cursor.place();
  auto const number = cursor.number();
  if (!number) [[unlikely]] {
    cursor.fail_expecting(fmt::format("a vertex, a number from 1 to {}", n));
  }
  if (*number - 1 >= n) [[unlikely]] {  // 0 becomes the largest number
    cursor.fail(place, fmt::format("vertex {} is out of range: the header announces {} {}, "
                                   "numbered from 1",
                                   *number, n, n == 1 ? "vertex" : "vertices"));
  }
  return static_cast<Vertex>(*number - 1);
}

std::uint64_t count_different(std::vector<Edge> edges) {
  for (auto& [u, v] : edges) {
    if (u > v) {
      std::swap(u, v);
    }
  }
  std::ranges::sort(edges);
  return static_cast<std::uint64_t>(std::unique(edges.begin(), edges.end()) - edges.begin());
}

void require_edges(Cursor const& cursor, char const* place, GraphFile& graph,
                   std::uint64_t announced) {
  auto const listed = graph.edges.size();
  if (announced == listed) {
    return;
  }
  auto const different = count_different(graph.edges);
  auto const say = fmt::format("the header announces {} edge{}, the file lists {}", announced,
                               announced == 1 ? "" : "s", listed);
  if (!may_mean(announced, listed, different)) {
    cursor.fail(place, say);
  }
  graph.notes.push_back(fmt::format("{}:{}: {}, of which {} are different", cursor.name(),
                                    cursor.line_of(place), say, different));
}

GraphFile read_graph(std::filesystem::path const& path, GraphReadOptions const& options) {
  Source source(path, options.stop);
  Cursor cursor(source);
  return read(cursor, options);
}

GraphFile parse_graph(std::string name, std::string text, GraphReadOptions const& options) {
  Cursor cursor(std::move(name), std::move(text));
  return read(cursor, options);
}

}  // namespace taper::io
