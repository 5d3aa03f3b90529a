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

void require_edges(Cursor const& cursor, char const* place, GraphFile& graph,
                   std::uint64_t announced) {
  auto const listed = graph.edges.size();
  if (announced == listed) {
    return;
  }
  auto different = graph.edges;
  for (auto& [u, v] : different) {
    if (u > v) {
      std::swap(u, v);
    }
  }
  std::ranges::sort(different);
  auto const distinct = static_cast<std::uint64_t>(std::unique(different.begin(), different.end()) -
                                                   different.begin());
  auto const say =
      fmt::format("the header announces {} edges, the file lists {}", announced, listed);
  if (announced != distinct && announced != 2 * distinct && announced != 2 * listed) {
    cursor.fail(place, say);
  }
  graph.notes.push_back(fmt::format("{}:{}: {}, of which {} are different", cursor.name(),
                                    cursor.line_of(place), say, distinct));
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
