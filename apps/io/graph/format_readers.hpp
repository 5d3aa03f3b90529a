// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/cursor.hpp>
#include <io/graph.hpp>
#include <io/read_graph.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace taper::io {

// One reader a format, for read_graph(): each fills in all of `graph` but `file`.

/// PACE and DIMACS: lines that begin with the letter of their kind.
void read_tagged(Cursor& cursor, GraphFile& graph);
void read_matrix_market(Cursor& cursor, GraphFile& graph);
void read_metis(Cursor& cursor, GraphFile& graph);
/// Numbers or words, as the first line has them, or as options.format says.
void read_edges(Cursor& cursor, GraphFile& graph, GraphReadOptions const& options);

/// The text is a METIS file and not an edge list with a header, which begins alike: as many lines
/// follow as there are vertices, and each edge stands in the lines of both ends.
bool is_metis(Cursor& cursor);

/// Throws InputError where `n` vertices are more than ids or than this machine has memory for.
/// `place`: of n in the text.
void require_vertices(Cursor const& cursor, char const* place, std::uint64_t n);

/// The vertex here, written as a number from 1 to n.
Vertex read_vertex(Cursor& cursor, std::uint64_t n);

/// Adds an edge that stands at `place`.
inline void add_edge(Cursor const& cursor, GraphFile& graph, char const* place, Vertex u,
                     Vertex v) {
  if (u == v && graph.first_loop_line == 0) [[unlikely]] {
    graph.first_loop_line = cursor.line_of(place);
  }
  graph.edges.emplace_back(u, v);
}

/// How many of a graph's edges are different, in whichever direction they are listed.
std::uint64_t count_different(std::vector<Edge> edges);

/// Whether `announced` is a number of edges that a writer may mean: all that are listed, or the
/// different ones, or either of them twice.
inline bool may_mean(std::uint64_t announced, std::uint64_t listed, std::uint64_t different) {
  return announced == listed || announced == 2 * listed || announced == different ||
         announced == 2 * different;
}

/// Throws InputError unless the graph's edges are as many as its header, at `place`, says, see
/// may_mean(); notes where they are not all that are listed.
void require_edges(Cursor const& cursor, char const* place, GraphFile& graph,
                   std::uint64_t announced);

}  // namespace taper::io
