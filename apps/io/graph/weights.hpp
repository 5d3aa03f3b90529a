// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/graph/graph.hpp>
#include <io/text/error.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace taper::io {

/// Reads the weights of all vertices, in the order of the vertices. The file has a line `vertex
/// weight` for each vertex, in any order, with the names of the graph's file. "-" is the standard
/// input. '#' and '%' start a comment.
///
/// Throws: InputError with the line if a vertex is not in the graph or appears twice, or if a
///   weight is no whole number. InputError without a line if a vertex has no weight.
std::vector<std::int64_t> read_weights(std::filesystem::path const& path, GraphFile const& graph);

/// Reads weights from a text in memory; `name` is for messages.
std::vector<std::int64_t> parse_weights(std::string name, std::string text, GraphFile const& graph);

}  // namespace taper::io
