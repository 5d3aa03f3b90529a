// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/graph/graph.hpp>
#include <io/text/error.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taper::io {

/// Writes the vertices with in_cover[v] != 0 in PACE's solution format: `s vc N K`, then one vertex
/// per line, by its name in the graph's file. A file name that ends in ".gz" is compressed.
///
/// If vertices are numbered from 0, a comment says so. Throws: InputError; the file is then
/// unchanged.
void write_cover(std::ostream& out, GraphFile const& graph, std::span<std::uint8_t const> in_cover);
void write_cover(std::filesystem::path const& path, GraphFile const& graph,
                 std::span<std::uint8_t const> in_cover);

/// Reads a cover in the format of write_cover(), with or without the first line. "-" is the
/// standard input. Returns a mark, 1 or 0, for each vertex.
///
/// Throws: InputError if a vertex is not in the graph or appears twice, or if the numbers in the
/// first line disagree with the graph or with the file.
std::vector<std::uint8_t> read_cover(std::filesystem::path const& path, GraphFile const& graph);

/// Reads a cover from a text in memory; `name` is for messages.
std::vector<std::uint8_t> parse_cover(std::string name, std::string text, GraphFile const& graph);

/// The word in the first line of a cover's file.
inline constexpr std::string_view cover_word = "vc";

/// The same for other sets of vertices, with another word in the first line: `s WORD N K`.
void write_vertex_set(std::ostream& out, GraphFile const& graph, std::string_view word,
                      std::span<std::uint8_t const> in_set);
std::vector<std::uint8_t> read_vertex_set(std::filesystem::path const& path, GraphFile const& graph,
                                          std::string_view word);

/// The edges without an end in a cover.
struct Uncovered {
  std::uint64_t count = 0;
  std::vector<Edge> edges;  ///< the first of them, each with the lower end first
};

/// Finds the distinct edges of the file, loops included, without an end in the cover. Returns their
/// number and the first `limit` of them.
Uncovered find_uncovered(GraphFile const& graph, std::span<std::uint8_t const> in_cover,
                         std::size_t limit);

}  // namespace taper::io
