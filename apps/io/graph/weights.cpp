// SPDX-License-Identifier: Apache-2.0
#include <io/form/form.hpp>
#include <io/graph/format_readers.hpp>
#include <io/graph/vertex_finder.hpp>
#include <io/graph/weights.hpp>
#include <io/text/cursor.hpp>
#include <io/text/source.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace taper::io {
namespace {

/// Reads the name of a vertex: a field; or, if names are labels, all but the last field of the line.
std::string_view read_weighted_name(Cursor& cursor, bool labels) {
  if (!labels) {
    return cursor.field();
  }
  constexpr std::string_view blanks = " \t";
  auto const line = cursor.line();
  auto const end_of_weight = line.find_last_not_of(blanks) + 1;
  auto const before_weight = line.substr(0, end_of_weight).find_last_of(blanks);
  if (before_weight == std::string_view::npos) {
    return cursor.field();
  }
  auto const name = line.substr(0, line.substr(0, before_weight + 1).find_last_not_of(blanks) + 1);
  cursor.go_to(name.data() + name.size());
  return name;
}

std::vector<std::int64_t> read_lines(Cursor& cursor, GraphFile const& graph) {
  VertexFinder const lookup(graph);
  std::vector<std::int64_t> weights(graph.vertices, 0);
  std::vector<std::uint8_t> known(graph.vertices, 0);
  for (; cursor.skip_to_content(); cursor.next_line()) {
    auto const* const position = cursor.position();
    auto const name = read_weighted_name(cursor, graph.names.are_words());
    auto const vertex = lookup.find(name);
    if (!vertex) {
      cursor.fail(position,
                  fmt::format("expected a vertex and its weight; {} is not a vertex of {}",
                              in_quotes(name), graph.file));
    }
    if (std::exchange(known[*vertex], 1) != 0) {
      cursor.fail(position, fmt::format("vertex {} appears twice", in_quotes(name)));
    }
    weights[*vertex] = read_weight(cursor);
    if (cursor.has_field()) {
      cursor.fail_expecting("the end of the line after the weight");
    }
  }
  std::uint64_t missing = 0;
  std::string first;
  for (std::size_t v = 0; v < known.size(); ++v) {
    if (known[v] == 0 && missing++ == 0) {
      first = graph.names.of(static_cast<Vertex>(v));
    }
  }
  if (missing > 0) {
    throw InputError(cursor.name(),
                     fmt::format("expected a weight of each vertex; {} of {} have none, first {}",
                                 grouped(missing), grouped(graph.vertices), in_quotes(first)));
  }
  return weights;
}

}  // namespace

std::vector<std::int64_t> read_weights(std::filesystem::path const& path, GraphFile const& graph) {
  Source source(path);
  graph_form(source, true);  // refuses what is no text
  Cursor cursor(source);
  return read_lines(cursor, graph);
}

std::vector<std::int64_t> parse_weights(std::string name, std::string text,
                                        GraphFile const& graph) {
  Cursor cursor(std::move(name), text);
  return read_lines(cursor, graph);
}

}  // namespace taper::io
