// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/graph/edge_table.hpp>
#include <io/graph/graph.hpp>
#include <io/graph/read.hpp>
#include <io/text/cursor.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace taper::io {

// One reader per format, and what they share. Each reader fills in all of `graph` except `file`.
// Used by: read_graph() in read.cpp.

/// Reads PACE and DIMACS files, whose lines begin with a letter for their kind.
void read_pace_or_dimacs(Cursor& cursor, GraphFile& graph, GraphReadOptions const& options);
void read_matrix_market(Cursor& cursor, GraphFile& graph);
void read_metis(Cursor& cursor, GraphFile& graph, GraphReadOptions const& options);
/// Reads an edge list of numbers or words: as options.format says, else as the first line has them.
void read_edges(Cursor& cursor, GraphFile& graph, GraphReadOptions const& options);

/// Reads the lines from here on, one edge each, as words that stand in the columns of `table`.
void read_labels(Cursor& cursor, GraphFile& graph, EdgeTable const& table,
                 GraphReadOptions const& options);
/// Reads a square table of numbers. An entry that is not 0 is an edge. Titles and row names, if
/// there are any, name the vertices.
void read_adjacency_matrix(Cursor& cursor, GraphFile& graph, GraphReadOptions const& options);
/// Reads a vertex per line, maybe with a colon behind it, and its neighbours.
void read_neighbour_lists(Cursor& cursor, GraphFile& graph, GraphReadOptions const& options);

/// Reads JSON with the lists `nodes` and `links` (or `edges`), as NetworkX and D3 write it.
void read_node_link(Cursor& cursor, GraphFile& graph);
/// Reads GraphML or GEXF. Both name nodes and edges alike; ids are the names of vertices.
void read_xml(Cursor& cursor, GraphFile& graph);
/// GraphFormat::xml, or nothing if this build has no Expat for read_xml().
std::optional<GraphFormat> xml_format();

/// Whether the text is a METIS file and not an edge list with a header, which begins alike. In a
/// METIS file the header is followed by one line per vertex, and each edge is in the lines of both
/// ends.
bool is_metis(Cursor& cursor);
/// Whether it would be one if METIS counted vertices from 0.
bool is_metis_from_zero(Cursor& cursor);

/// Whether the text is n >= 3 lines of n numbers, maybe with titles and row names, that an edge
/// list would not have: all are 0 or 1, or they are symmetric, or the diagonal is 0.
bool is_adjacency_matrix(Cursor& cursor);

/// Whether the lines are certainly lists of neighbours: vertices before a colon; NetworkX's
/// comment; or a line per vertex, each neighbour a vertex, and lines of different length or
/// symmetric lists.
bool is_neighbour_lists(Cursor& cursor);
/// Whether they may be. An edge list whose first column has each vertex once, and whose third
/// column has vertices, looks alike.
bool may_be_neighbour_lists(Cursor& cursor);

/// Throws InputError if `n` vertices exceed max_vertices or the free memory. `position` is that of
/// n in the text.
void require_vertices(Cursor const& cursor, char const* position, std::uint64_t n);

/// Reads the vertex here, a number from 1 to n, as 0 to n - 1.
Vertex read_vertex(Cursor& cursor, std::uint64_t n);

/// Reads a weight of a vertex, a whole number. Throws: InputError.
std::int64_t read_weight(Cursor& cursor);

/// Adds an edge; `position` is that in the text.
inline void add_edge(Cursor const& cursor, GraphFile& graph, char const* position, Vertex u,
                     Vertex v) {
  if (u == v && graph.first_loop_line == 0) [[unlikely]] {
    graph.first_loop_line = cursor.line_of(position);
  }
  graph.edges.emplace_back(u, v);
}

/// The number of distinct edges, regardless of direction.
std::uint64_t count_distinct(std::vector<Edge> edges);

/// Whether a writer may announce this number of edges: that of the listed edges, of the distinct
/// edges, or twice either.
inline bool is_plausible_edge_count(std::uint64_t announced, std::uint64_t listed,
                                    std::uint64_t different) {
  return announced == listed || announced == 2 * listed || announced == different ||
         announced == 2 * different;
}

/// Makes the numbers that occur in the edges the vertices, in ascending order.
void number_by_occurrence(GraphFile& graph);

/// Notes that further columns are not read.
void note_further_columns(Cursor const& cursor, GraphFile& graph);

/// Throws InputError unless the number of edges that the header at `position` announces is
/// plausible (is_plausible_edge_count()). Adds a note if it is plausible but not the number of
/// listed edges.
void require_edges(Cursor const& cursor, char const* position, GraphFile& graph,
                   std::uint64_t announced);

}  // namespace taper::io
