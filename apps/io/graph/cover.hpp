// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/error.hpp>
#include <io/graph.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

namespace taper::io {

/// Writes the vertices with in_cover[v] != 0 in PACE's solution format: `s vc N K`, then a vertex a
/// line, by the name that the graph's file has for it; compressed where the name ends in ".gz".
///
/// A comment says so where numbers start at 0. Throws: InputError; the file is then as it was before.
void write_cover(std::ostream& out, GraphFile const& graph, std::span<std::uint8_t const> in_cover);
void write_cover(std::filesystem::path const& path, GraphFile const& graph,
                 std::span<std::uint8_t const> in_cover);

/// The marks, 1 or 0 for each vertex, of a file that write_cover() could have written, or that
/// holds the vertices alone; "-" is the standard input.
///
/// Throws: InputError where a vertex is none of the graph's or stands twice, or the numbers in the
/// first line are others than the graph's and the file's.
std::vector<std::uint8_t> read_cover(std::filesystem::path const& path, GraphFile const& graph);

/// The same of a text in memory, which messages call `name`.
std::vector<std::uint8_t> parse_cover(std::string name, std::string text, GraphFile const& graph);

/// The first `limit` different edges of the file with no end in the cover, loops included, and how
/// many there are.
struct Uncovered {
  std::uint64_t count = 0;
  std::vector<Edge> edges;  ///< the lower end first
};
Uncovered find_uncovered(GraphFile const& graph, std::span<std::uint8_t const> in_cover,
                         std::size_t limit);

}  // namespace taper::io
