// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/error.hpp>
#include <io/graph.hpp>

#include <atomic>
#include <filesystem>
#include <string>

namespace taper::io {

/// Whether the first line of an edge list is no edge but its numbers of vertices and edges.
enum class Header { automatic, yes, no };

struct GraphReadOptions {
  GraphFormat format = GraphFormat::automatic;  ///< automatic: by the content
  Header header = Header::automatic;            ///< automatic: where it agrees with what follows
  std::atomic<bool> const* stop = nullptr;      ///< where not null: raised to end with Interrupted
};

/// The graph in a file; "-" is the standard input, gzip is seen through.
///
/// pace,           `p td n m` or another problem's word, then `u v` or `e u v` a line, from 1;
/// dimacs          `c` starts a comment. Two-element sets of a `p hs n m` are edges, sets of one
///                 are loops.
/// matrix_market   coordinate, of any field and symmetry: an entry is an edge, whatever its value.
///                 The columns of a matrix that is not square are vertices of their own.
/// metis           `n m [fmt [ncon]]`, then the neighbours of vertex 1, 2, ... a line.
/// edges           two numbers a line, further columns ignored; from 0 or 1 or any other numbers,
///                 a header `n m` or none; '#' and '%' start a comment (SNAP, KONECT, CSV).
/// labels          the same with words.
///
/// Cost: near that of reading the file; its size and 8 bytes an edge in memory.
/// Throws: InputError, naming the file, the line and what was expected.
GraphFile read_graph(std::filesystem::path const& path, GraphReadOptions const& options = {});

/// The same of a text in memory, which messages call `name`.
GraphFile parse_graph(std::string name, std::string text, GraphReadOptions const& options = {});

}  // namespace taper::io
