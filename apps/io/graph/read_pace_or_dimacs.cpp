// SPDX-License-Identifier: Apache-2.0
#include <io/graph/format_readers.hpp>
#include <io/text/error.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace taper::io {
namespace {

struct Problem {
  std::string word;
  char const* position = nullptr;
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;
};

/// Reads the problem line, which comments may precede.
Problem read_problem(Cursor& cursor) {
  constexpr auto expected = "a line 'p td VERTICES EDGES' or 'p edge VERTICES EDGES'";
  for (; !cursor.at_end(); cursor.next_line()) {
    if (!cursor.has_field() || cursor.peek() == 'c') {
      continue;
    }
    Problem problem;
    problem.position = cursor.position();
    if (cursor.field() != "p") {
      cursor.go_to(problem.position);
      cursor.fail_expecting(expected);
    }
    cursor.skip_separators();
    problem.word = cursor.field();
    for (auto* const count : {&problem.vertices, &problem.edges}) {
      cursor.skip_separators();
      auto const number = cursor.number();
      if (!number) {
        cursor.go_to(problem.position);
        cursor.fail(problem.position,
                    fmt::format("expected {}, found {}", expected, in_quotes(cursor.line())));
      }
      *count = *number;
    }
    require_vertices(cursor, problem.position, problem.vertices);
    cursor.next_line();
    return problem;
  }
  throw InputError(cursor.name(), fmt::format("expected {}, found none", expected));
}

/// Reads `n VERTEX WEIGHT`. Vertices without such a line have weight 1.
void read_vertex_weight(Cursor& cursor, GraphFile& graph) {
  auto const* const position = cursor.position();
  if (cursor.field() != "n") {
    cursor.go_to(position);
    cursor.fail_expecting("'n', a vertex and its weight");
  }
  graph.weights.resize(graph.vertices, 1);
  auto const vertex = read_vertex(cursor, graph.vertices);
  graph.weights[vertex] = read_weight(cursor);
  if (cursor.has_field()) {
    cursor.fail_expecting("the end of the line after the weight");
  }
}

/// Skips the weights of an edge, the rest of the line. Throws: InputError if a field is no number.
void skip_weights(Cursor& cursor) {
  while (cursor.has_field()) {
    auto const* const weight = cursor.position();
    if (!begins_as_number(cursor.field())) [[unlikely]] {
      cursor.go_to(weight);
      cursor.fail_expecting("a weight, or the end of the line");
    }
  }
}

}  // namespace

void read_pace_or_dimacs(Cursor& cursor, GraphFile& graph, GraphReadOptions const& options) {
  auto const problem = read_problem(cursor);
  auto const n = problem.vertices;
  auto const numbered_sets = problem.word == "htd";  // each set begins with its number
  auto const sets = numbered_sets || problem.word == "hs";
  graph.vertices = n;
  graph.edges.reserve(std::min<std::uint64_t>(problem.edges, cursor.bytes_left() / 4 + 1));
  graph.format = GraphFormat::pace;
  std::uint64_t ignored = 0;
  for (; !cursor.at_end(); cursor.next_line()) {
    if (!cursor.has_field()) {
      continue;
    }
    auto const* const position = cursor.position();
    switch (cursor.peek()) {
    case 'c':
      continue;
    case 'n':  // DIMACS: weights and colours of vertices
      if (options.weights) {
        read_vertex_weight(cursor, graph);
        continue;
      }
      [[fallthrough]];
    case 'd':
    case 'v':
    case 'x':
      ++ignored;
      continue;
    case 'p':
      cursor.fail(position, "expected one problem line, found a second");
    case 'e':
    case 'a':
      graph.format = GraphFormat::dimacs;
      if (cursor.field().size() != 1) {
        cursor.go_to(position);
        cursor.fail_expecting("'e' and the two ends of an edge");
      }
      break;
    default:
      if (numbered_sets && !cursor.number()) {
        cursor.fail_expecting("the number of a set");
      }
    }
    auto const u = read_vertex(cursor, n);
    auto const v = sets && !cursor.has_field() ? u : read_vertex(cursor, n);
    if (cursor.has_field() && graph.format != GraphFormat::dimacs) {
      cursor.fail(position, sets ? "expected a set of one or two elements, found more"
                                 : "expected the two ends of an edge, found more in the line");
    }
    skip_weights(cursor);
    add_edge(cursor, graph, position, u, v);
  }
  if (ignored > 0) {
    graph.notes.push_back(fmt::format(
        "{}: lines about single vertices (n, d, v, x), such as weights, are ignored: {}",
        cursor.name(), ignored));
  }
  require_edges(cursor, problem.position, graph, problem.edges);
}

}  // namespace taper::io
