// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/graph/graph.hpp>
#include <io/text/error.hpp>

#include <filesystem>
#include <iosfwd>

namespace taper::io {

/// Writes a graph that read_graph() reads back, with vertices numbered from 1. A file name that
/// ends in ".gz" is compressed.
///
/// GraphFormat::automatic chooses by the extension: dimacs for .clq, .col, .dimacs; matrix_market
/// for .mtx; metis for .graph, .metis; edges with a header for .txt, .edges, .el, .csv; else PACE.
/// Throws: InputError; the file is then unchanged.
void write_graph(std::filesystem::path const& path, vertex_cover::HostGraph const& graph,
                 GraphFormat format = GraphFormat::automatic);
void write_graph(std::ostream& out, vertex_cover::HostGraph const& graph, GraphFormat format);

/// The format that GraphFormat::automatic chooses for a file name.
GraphFormat graph_format_of(std::filesystem::path path);

}  // namespace taper::io
