// SPDX-License-Identifier: Apache-2.0
#include <io/error.hpp>
#include <io/graph_readers.hpp>
#include <io/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace taper::io {
namespace {

struct Header {
  char const* place = nullptr;
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;
  std::uint64_t numbers_first = 0;  ///< sizes and weights of the vertex, before its neighbours
  bool weighted_edges = false;      ///< a weight follows each neighbour
};

bool is_comment(Cursor& cursor) {
  return cursor.peek() == '%' || cursor.peek() == '#';
}

/// Past the first line that is no comment. Nothing where it cannot be a header.
std::optional<Header> read_header(Cursor& cursor) {
  while (!cursor.at_end() && !cursor.has_field()) {
    cursor.next_line();
  }
  if (cursor.at_end()) {
    return std::nullopt;
  }
  Header header;
  header.place = cursor.place();
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
  header.numbers_first = sizes + (count == 4 ? numbers[3] : weights);
  header.weighted_edges = edges == 1;
  return header;
}

/// Calls entry(place, v, u) for each neighbour u of each vertex v.
template <class Entry>
void read_rows(Cursor& cursor, Header const& header, Entry const& entry) {
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
      cursor.fail(cursor.place(), fmt::format("expected the end of the file after the lines of {} "
                                              "vertices",
                                              header.vertices));
    }
    for (std::uint64_t i = 0; i < header.numbers_first && !empty; ++i) {
      cursor.skip_gaps();
      if (!cursor.number()) {
        cursor.fail_expecting(fmt::format("a weight of vertex {}", v + 1));
      }
    }
    while (cursor.has_field()) {
      auto const* const place = cursor.place();
      auto const u = read_vertex(cursor, header.vertices);
      cursor.skip_gaps();
      if (header.weighted_edges && !cursor.number()) {
        cursor.fail_expecting(fmt::format("the weight of the edge from {} to {}", v + 1, u + 1));
      }
      entry(place, static_cast<Vertex>(v), u);
    }
    ++v;
  }
  // Lines of vertices without neighbours may have been stripped from the end, or they are missing.
  if (v < header.vertices && v > 0) {
    throw InputError(cursor.name(), fmt::format("expected a line for each of {} vertices, found {}",
                                                header.vertices, v));
  }
}

/// Sums over the edges in the lines of their lower ends and over those in the lines of the higher
/// are equal if these are the same edges, and else but for a chance of about 2^-64.
/// Source: the finaliser of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
std::uint64_t fingerprint(Vertex low, Vertex high) {
  auto x = (std::uint64_t{low} << 32 | high) + 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

class Balance {
 public:
  void add(Vertex v, Vertex u) {
    sum_ += v < u ? fingerprint(v, u) : v > u ? 0 - fingerprint(u, v) : 0;
  }
  bool even() const { return sum_ == 0; }

 private:
  std::uint64_t sum_ = 0;
};

/// The first edge that only one end lists.
[[noreturn]] void fail_one_way(Cursor& cursor, Header const& header, char const* rows) {
  std::vector<Edge> entries;
  cursor.go_to(rows);
  read_rows(cursor, header, [&](char const*, Vertex v, Vertex u) { entries.emplace_back(v, u); });
  std::ranges::sort(entries);
  cursor.go_to(rows);
  read_rows(cursor, header, [&](char const* place, Vertex v, Vertex u) {
    if (!std::ranges::binary_search(entries, Edge(u, v))) {
      cursor.fail(place, fmt::format("{0} is a neighbour of {1} here, but {1} is none in the line "
                                     "of {0}",
                                     u + 1, v + 1));
    }
  });
  throw InputError(cursor.name(), "an edge is repeated in the line of one of its ends only");
}

struct Lines {
  std::uint64_t all = 0;
  std::uint64_t filled = 0;  ///< up to the last that is not empty
};

Lines count_lines(Cursor& cursor) {
  Lines lines;
  for (; !cursor.at_end(); cursor.next_line()) {
    if (!is_comment(cursor)) {
      ++lines.all;
      lines.filled = cursor.has_field() ? lines.all : lines.filled;
    }
  }
  return lines;
}

/// Two lines differ in how many fields they have, as those of an edge list do not.
bool is_ragged(Cursor& cursor) {
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

/// No loops, and each edge in the lines of both its ends: an edge list with as many edges as
/// vertices begins alike, but would not read so.
bool is_symmetric(Cursor& cursor, Header const& header) {
  std::uint64_t entries = 0;
  Balance balance;
  auto loops = false;
  try {
    read_rows(cursor, header, [&](char const*, Vertex v, Vertex u) {
      ++entries;
      balance.add(v, u);
      loops = loops || u == v;
    });
  } catch (InputError const&) {
    return false;
  }
  return !loops && balance.even() && entries == 2 * header.edges;
}

}  // namespace

bool is_metis(Cursor& cursor) {
  auto const* const begin = cursor.place();
  auto const header = read_header(cursor);
  auto const* const rows = cursor.place();
  auto metis = false;
  if (header) {
    auto const lines = count_lines(cursor);
    cursor.go_to(rows);
    auto const named_so = cursor.extension() == ".metis" || cursor.extension() == ".graph";
    auto const plausible = lines.filled > 0 && lines.filled <= header->vertices &&
                           (header->vertices <= lines.all || named_so);
    // A line too many is to be said where the name tells what the file is meant to be.
    metis = (plausible && named_so && lines.filled != header->edges) ||
            ((plausible || named_so) && is_ragged(cursor));
    cursor.go_to(rows);
    metis = metis || (plausible && is_symmetric(cursor, *header));
  }
  cursor.go_to(begin);
  return metis;
}

void read_metis(Cursor& cursor, GraphFile& graph) {
  auto const* const begin = cursor.place();
  auto const header = read_header(cursor);
  if (!header) {
    cursor.go_to(begin);
    throw InputError(cursor.name(), "expected a METIS graph: a first line 'VERTICES EDGES [FORMAT "
                                    "[WEIGHTS]]'");
  }
  require_vertices(cursor, header->place, header->vertices);
  auto const* const rows = cursor.place();
  graph.vertices = header->vertices;
  graph.edges.reserve(std::min<std::uint64_t>(header->edges, cursor.bytes_left() / 4 + 1));
  Balance balance;
  read_rows(cursor, *header, [&](char const* place, Vertex v, Vertex u) {
    if (v <= u) {
      add_edge(cursor, graph, place, v, u);
    }
    balance.add(v, u);
  });
  if (!balance.even()) {
    fail_one_way(cursor, *header, rows);
  }
  require_edges(cursor, header->place, graph, header->edges);
}

}  // namespace taper::io
