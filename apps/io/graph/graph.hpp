// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/host_graph.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taper::io {

using vertex_cover::Edge;
using vertex_cover::Vertex;

/// The maximum number of vertices. One value of the type means "none".
inline constexpr std::uint64_t max_vertices = std::numeric_limits<Vertex>::max() - 1;

enum class GraphFormat {
  automatic,
  pace,
  dimacs,
  matrix_market,
  metis,
  edges,
  labels,
  adjacency_matrix,
  neighbour_lists,
  node_link,
  xml
};

/// The format as it appears in a sentence: "PACE .gr", "an edge list".
std::string_view describe(GraphFormat format);

/// The names of the vertices in a file: consecutive numbers, other numbers, or words.
class VertexNames {
 public:
  VertexNames() = default;

  /// The names first, first + 1, ...
  static VertexNames counted_from(std::uint64_t first);
  /// These numbers, which must be ascending.
  static VertexNames numbers(std::vector<std::uint64_t> numbers);
  static VertexNames words(std::vector<std::string> words);

  bool are_words() const { return !words_.empty(); }
  /// The first of consecutive numbers; 1 for other names.
  std::uint64_t first() const { return first_; }

  std::string of(Vertex vertex) const;
  void append_to(std::string& text, Vertex vertex) const;
  /// The vertex with this number among `count` vertices. Requires: names are numbers.
  std::optional<Vertex> find(std::uint64_t number, std::size_t count) const;

 private:
  std::uint64_t first_ = 1;
  std::vector<std::uint64_t> numbers_;  // the names, if not empty
  std::vector<std::string> words_;      // the names, if not empty
};

/// A graph as it is in its file: with all listed edges, loops and repeated edges included.
/// Used by: read_graph(), the cover readers, and taper cover, verify cover and run.
struct GraphFile {
  std::string file;  ///< for messages
  GraphFormat format = GraphFormat::automatic;
  std::size_t vertices = 0;
  std::vector<Edge> edges;  ///< between 0 and vertices - 1, in the order of the file
  VertexNames names;
  std::vector<std::int64_t> weights;  ///< by vertex, if they are read and the file has some
  std::size_t first_loop_line = 0;    ///< line of the first edge from a vertex to itself; 0: none
  std::vector<std::string> notes;     ///< one-line remarks about the reading, for the user
};

}  // namespace taper::io
