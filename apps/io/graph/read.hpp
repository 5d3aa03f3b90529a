// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/graph/graph.hpp>
#include <io/text/error.hpp>

#include <atomic>
#include <filesystem>
#include <string>
#include <string_view>

namespace taper::io {

/// Whether the first line of an edge list is a header, the numbers of vertices and edges.
enum class EdgeListHeader { automatic, yes, no };

/// Whether the first line of an edge list is the titles of its columns.
enum class EdgeListTitles { automatic, yes, no };

struct GraphReadOptions {
  GraphFormat format = GraphFormat::automatic;        ///< automatic: by the content
  EdgeListHeader header = EdgeListHeader::automatic;  ///< automatic: if it agrees with the edges
  EdgeListTitles titles = EdgeListTitles::automatic;  ///< automatic: by the words and the rest
  /// "A,B": the columns of an edge list with the vertices, by their numbers from 1 or their titles.
  /// Empty: those whose titles say so, else the first two.
  std::string columns = {};
  /// Whether to read weights of vertices: integers in lines `n v w` of DIMACS, where other vertices
  /// have weight 1, and before the neighbours in METIS.
  bool weights = false;
  std::atomic<bool> const* stop = nullptr;  ///< if set during the reading, it throws Interrupted
};

/// Reads a graph from a file. "-" is the standard input. Gzip is decompressed.
///
/// pace,           `p td n m`, or the word of another problem for td, then a line `u v` or `e u v`
/// dimacs          per edge, numbered from 1. `c` starts a comment. For `p hs n m`, sets of two
///                 elements are edges and sets of one are loops.
/// matrix_market   coordinate, of any field and symmetry. Each entry is an edge, whatever its
///                 value. The columns of a matrix that is not square are further vertices.
/// metis           `n m [fmt [ncon]]`, then one line per vertex with its neighbours.
/// edges           two numbers per line, with or without a header `n m`; further columns are
///                 ignored. Titles are recognised, and say which columns count. Vertices count from
///                 0, from 1, or are any other numbers. '#' and '%' start a comment (SNAP, KONECT).
/// labels          an edge list with words as vertices.
/// adjacency_matrix   n lines of n numbers, with or without titles and row names. What is not 0 is
///                 an edge.
/// neighbour_lists    a line per vertex, `v u w` or `v: u w`, with its neighbours, or some of them.
///
/// node_link       JSON of NetworkX and D3: `nodes` with ids, and `links` or `edges` between them.
/// xml             GraphML and GEXF, if the build has Expat.
///
/// Cost: about the time of reading the file; its size and 8 bytes per edge in memory.
/// Throws: InputError with the file, the line and what was expected. A form that is not read is
///   named (io/form/form.hpp).
GraphFile read_graph(std::filesystem::path const& path, GraphReadOptions const& options = {});

/// Reads a graph from a text in memory; `name` is for messages.
GraphFile parse_graph(std::string name, std::string_view text,
                      GraphReadOptions const& options = {});

}  // namespace taper::io
