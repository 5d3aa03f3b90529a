// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/error.hpp>
#include <io/graph.hpp>

#include <filesystem>
#include <iosfwd>

namespace taper::io {

/// Writes a graph to a file that read_graph() reads back, numbered from 1; compressed where the
/// name ends in ".gz".
///
/// GraphFormat::automatic goes by the extension: .clq, .col, .dimacs; .mtx; .graph, .metis; .txt,
/// .edges, .el, .csv (edges below a header); else PACE. Throws: InputError; the file is then as it
/// was before.
void write_graph(std::filesystem::path const& path, vertex_cover::HostGraph const& graph,
                 GraphFormat format = GraphFormat::automatic);
void write_graph(std::ostream& out, vertex_cover::HostGraph const& graph, GraphFormat format);

/// What GraphFormat::automatic stands for where a graph is written to a file of this name.
GraphFormat graph_format_of(std::filesystem::path path);

}  // namespace taper::io
