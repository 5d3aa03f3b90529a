// SPDX-License-Identifier: Apache-2.0
#include <io/graph/format_readers.hpp>
#include <io/graph/symmetry.hpp>
#include <io/text/error.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace taper::io {
namespace {

struct MetisHeader {
  char const* position = nullptr;
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;
  std::uint64_t leading_numbers = 0;  ///< per line: sizes and weights before the neighbours
  std::uint64_t weights = 0;          ///< how many of them are weights, the last ones
  bool weighted_edges = false;        ///< a weight follows each neighbour
  std::uint64_t first = 1;            ///< the first vertex: 1, or 0, which METIS does not allow
};

bool is_comment(Cursor& cursor) {
  return cursor.peek() == '%' || cursor.peek() == '#';
}

/// Reads the first line after comments. Returns nothing if it cannot be a header.
std::optional<MetisHeader> read_header(Cursor& cursor) {
  while (!cursor.at_end() && !cursor.has_field()) {
    cursor.next_line();
  }
  if (cursor.at_end()) {
    return std::nullopt;
  }
  MetisHeader header;
  header.position = cursor.position();
  std::array<std::uint64_t, 4> numbers{};
  std::size_t count = 0;
  for (; cursor.has_field(); ++count) {
    auto const number = cursor.number();
    if (!number || count == numbers.size()) {
      return std::nullopt;
    }
    numbers[count] = *number;
  }
  cursor.next_line();
  auto const format = numbers[2];  // three digits: vertex sizes, vertex weights, edge weights
  auto const sizes = format / 100, weights = format / 10 % 10, edges = format % 10;
  if (count < 2 || sizes > 1 || weights > 1 || edges > 1 || (count == 4 && numbers[3] == 0)) {
    return std::nullopt;
  }
  header.vertices = numbers[0];
  header.edges = numbers[1];
  header.weights = count == 4 ? numbers[3] : weights;
  header.leading_numbers = sizes + header.weights;
  header.weighted_edges = edges == 1;
  return header;
}

/// Reads the vertex here, a number from 0 to n - 1.
Vertex read_vertex_from_zero(Cursor& cursor, std::uint64_t n) {
  auto const number = cursor.number();
  if (!number || *number >= n) {
    cursor.fail_expecting(fmt::format("a vertex, a number from 0 to {}", n - 1));
  }
  return static_cast<Vertex>(*number);
}

/// Goes past a weight, a number of any kind. Throws: InputError if there is none.
template <class What>
void skip_weight(Cursor& cursor, What const& what) {
  cursor.skip_separators();
  auto const* const position = cursor.position();
  if (!begins_as_number(cursor.field())) {
    cursor.go_to(position);
    cursor.fail_expecting(what());
  }
}

/// Calls entry(position, v, u) for each neighbour u of each vertex v. With `weights`, the last
/// number before the neighbours goes there.
template <class Entry>
void read_rows(Cursor& cursor, MetisHeader const& header, Entry const& entry,
               std::vector<std::int64_t>* weights = nullptr) {
  std::uint64_t v = 0;
  for (; !cursor.at_end(); cursor.next_line()) {
    if (is_comment(cursor)) {
      continue;
    }
    auto const empty = !cursor.has_field();
    if (v == header.vertices) {
      if (empty) {
        continue;
      }
      cursor.fail(cursor.position(),
                  fmt::format("expected the end of the file after the lines of {} "
                              "vertices",
                              header.vertices));
    }
    for (std::uint64_t i = 0; i < header.leading_numbers && !empty; ++i) {
      if (weights != nullptr && i + 1 == header.leading_numbers) {
        weights->push_back(read_weight(cursor));
        continue;
      }
      skip_weight(cursor, [&] { return fmt::format("a weight of vertex {}", v + 1); });
    }
    while (cursor.has_field()) {
      auto const* const position = cursor.position();
      auto const u = header.first == 1 ? read_vertex(cursor, header.vertices)
                                       : read_vertex_from_zero(cursor, header.vertices);
      if (header.weighted_edges) {
        skip_weight(cursor, [&] {
          return fmt::format("the weight of the edge from {} to {}", v + 1, u + 1);
        });
      }
      entry(position, static_cast<Vertex>(v), u);
    }
    ++v;
  }
  // A file without lines may be a graph without edges whose empty lines were stripped.
  if (v < header.vertices && v > 0) {
    throw InputError(cursor.name(), fmt::format("expected a line for each of {} vertices, found {}",
                                                header.vertices, v));
  }
}

/// Throws InputError about the first edge that only one end lists.
[[noreturn]] void fail_asymmetric(Cursor& cursor, MetisHeader const& header, char const* rows) {
  std::vector<Edge> entries;
  cursor.go_to(rows);
  read_rows(cursor, header, [&](char const*, Vertex v, Vertex u) { entries.emplace_back(v, u); });
  std::ranges::sort(entries);
  cursor.go_to(rows);
  read_rows(cursor, header, [&](char const* position, Vertex v, Vertex u) {
    if (!std::ranges::binary_search(entries, Edge(u, v))) {
      cursor.fail(position, fmt::format("the line of {1} lists {0}, but the line of {0} does not "
                                        "list {1}",
                                        u + 1, v + 1));
    }
  });
  throw InputError(cursor.name(), "one end of an edge lists it more often than the other end");
}

struct LineCounts {
  std::uint64_t all = 0;
  std::uint64_t filled = 0;  ///< up to the last line that is not empty
};

/// Stops behind the first filled line after `enough` of them.
LineCounts count_lines(Cursor& cursor, std::uint64_t enough = ~std::uint64_t{0}) {
  LineCounts lines;
  for (; !cursor.at_end() && lines.filled <= enough; cursor.next_line()) {
    if (!is_comment(cursor)) {
      ++lines.all;
      lines.filled = cursor.has_field() ? lines.all : lines.filled;
    }
  }
  return lines;
}

/// Whether two lines have different numbers of fields. Lines of an edge list do not.
bool has_lines_of_different_length(Cursor& cursor) {
  std::optional<std::size_t> first;
  for (; !cursor.at_end(); cursor.next_line()) {
    if (is_comment(cursor)) {
      continue;
    }
    std::size_t fields = 0;
    for (; cursor.has_field(); ++fields) {
      cursor.field();
    }
    if (fields != first.value_or(fields)) {
      return true;
    }
    first = fields;
  }
  return false;
}

/// Whether the first row is not empty. Does not move.
bool has_neighbours_of_first(Cursor& cursor) {
  auto const* const begin = cursor.position();
  while (!cursor.at_end() && is_comment(cursor)) {
    cursor.next_line();
  }
  auto const found = !cursor.at_end() && cursor.has_field();
  cursor.go_to(begin);
  return found;
}

/// Whether there are no loops and each edge is in the lines of both ends. An edge list with as many
/// edges as vertices can begin alike, but does not pass this test.
bool is_symmetric(Cursor& cursor, MetisHeader const& header) {
  std::uint64_t entries = 0;
  SymmetryCheck symmetry;
  auto loops = false;
  try {
    read_rows(cursor, header, [&](char const*, Vertex v, Vertex u) {
      ++entries;
      symmetry.add(v, u);
      loops = loops || u == v;
    });
  } catch (InputError const&) {
    return false;
  }
  return !loops && symmetry.holds() && entries == 2 * header.edges;
}

}  // namespace

bool is_metis(Cursor& cursor) {
  auto const* const begin = cursor.position();
  auto const header = read_header(cursor);
  auto const* const rows = cursor.position();
  auto metis = false;
  if (header) {
    auto const lines = count_lines(cursor);
    cursor.go_to(rows);
    auto const named_so = cursor.extension() == ".metis" || cursor.extension() == ".graph";
    auto const plausible = lines.filled > 0 && lines.filled <= header->vertices &&
                           (header->vertices <= lines.all || named_so);
    // If the extension says METIS, accept a wrong number of lines here: the reader then reports it.
    metis = (plausible && named_so && lines.filled != header->edges) ||
            ((plausible || named_so) && has_lines_of_different_length(cursor));
    cursor.go_to(rows);
    metis = metis || (plausible && is_symmetric(cursor, *header));
  }
  cursor.go_to(begin);
  return metis;
}

bool is_metis_from_zero(Cursor& cursor) {
  auto const* const begin = cursor.position();
  auto header = read_header(cursor);
  auto const* const rows = cursor.position();
  auto found = false;
  if (header && header->edges > 0) {
    auto const lines = count_lines(cursor, header->vertices);
    cursor.go_to(rows);
    header->first = 0;
    found = has_neighbours_of_first(cursor) && lines.filled <= header->vertices &&
            header->vertices <= lines.all && is_symmetric(cursor, *header);
  }
  cursor.go_to(begin);
  return found;
}

void read_metis(Cursor& cursor, GraphFile& graph, GraphReadOptions const& options) {
  auto const* const begin = cursor.position();
  auto const header = read_header(cursor);
  if (!header) {
    cursor.go_to(begin);
    throw InputError(cursor.name(), "expected a METIS graph: a first line 'VERTICES EDGES [FORMAT "
                                    "[WEIGHTS]]'");
  }
  require_vertices(cursor, header->position, header->vertices);
  auto const* const rows = cursor.position();
  graph.vertices = header->vertices;
  graph.edges.reserve(std::min<std::uint64_t>(header->edges, cursor.bytes_left() / 4 + 1));
  SymmetryCheck symmetry;
  bool const weighted = options.weights && header->weights > 0;
  if (weighted && header->weights > 1) {
    cursor.fail(header->position, fmt::format("expected one weight per vertex, the header "
                                              "announces {}",
                                              header->weights));
  }
  auto const entry = [&](char const* position, Vertex v, Vertex u) {
    if (v <= u) {
      add_edge(cursor, graph, position, v, u);
    }
    symmetry.add(v, u);
  };
  read_rows(cursor, *header, entry, weighted ? &graph.weights : nullptr);
  if (weighted && graph.weights.size() != graph.vertices) {
    throw InputError(cursor.name(),
                     fmt::format("expected a weight of each of {} vertices, found {}",
                                 graph.vertices, graph.weights.size()));
  }
  if (!symmetry.holds()) {
    fail_asymmetric(cursor, *header, rows);
  }
  require_edges(cursor, header->position, graph, header->edges);
}

}  // namespace taper::io
