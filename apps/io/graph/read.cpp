// SPDX-License-Identifier: Apache-2.0
#include <io/form/form.hpp>
#include <io/graph/format_readers.hpp>
#include <io/graph/read.hpp>
#include <io/market/id_table.hpp>
#include <io/text/source.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

namespace taper::io {
namespace {

GraphFile read(Source& source, GraphReadOptions const& options) {
  auto const given = options.format != GraphFormat::automatic;
  auto const by_signature = graph_form(source, given);
  auto format = given ? options.format : by_signature.value_or(GraphFormat::automatic);
  Cursor cursor(source);
  if (format == GraphFormat::automatic) {
    // Options of edge lists say that this is one.
    auto const is_list = !options.columns.empty() || options.titles != EdgeListTitles::automatic;
    format = is_list ? GraphFormat::edges : graph_form(cursor);
  }
  GraphFile graph;
  graph.file = cursor.name();
  graph.format = format;
  switch (format) {
  case GraphFormat::pace:
  case GraphFormat::dimacs:
    read_pace_or_dimacs(cursor, graph, options);
    break;
  case GraphFormat::matrix_market:
    read_matrix_market(cursor, graph);
    break;
  case GraphFormat::metis:
    read_metis(cursor, graph, options);
    break;
  case GraphFormat::adjacency_matrix:
    read_adjacency_matrix(cursor, graph, options);
    break;
  case GraphFormat::neighbour_lists:
    read_neighbour_lists(cursor, graph, options);
    break;
  case GraphFormat::node_link:
    read_node_link(cursor, graph);
    break;
  case GraphFormat::xml:
    read_xml(cursor, graph);
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
  if (n * bytes_per_vertex <= always_free_bytes) {
    return;
  }
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

std::int64_t read_weight(Cursor& cursor) {
  cursor.skip_separators();
  auto const* const position = cursor.position();
  auto const field = cursor.field();
  std::int64_t weight = 0;
  auto const [stop, error] = std::from_chars(field.data(), field.data() + field.size(), weight);
  if (error != std::errc{} || stop != field.data() + field.size()) {
    cursor.go_to(position);
    cursor.fail_expecting("the weight of a vertex, a whole number below 2^63");
  }
  return weight;
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
  return read(source, options);
}

GraphFile parse_graph(std::string name, std::string_view text, GraphReadOptions const& options) {
  Source source(std::move(name), text);
  return read(source, options);
}

}  // namespace taper::io
