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

/// One value of the type is left for "none".
inline constexpr std::uint64_t most_vertices = std::numeric_limits<Vertex>::max() - 1;

enum class GraphFormat { automatic, pace, dimacs, matrix_market, metis, edges, labels };

/// "PACE .gr", "an edge list": a format in a sentence.
std::string_view describe(GraphFormat format);

/// What a file calls its vertices: consecutive numbers, other numbers, or words.
class VertexNames {
 public:
  VertexNames() = default;

  /// first, first + 1, ...
  static VertexNames counted_from(std::uint64_t first);
  /// These numbers, ascending.
  static VertexNames numbers(std::vector<std::uint64_t> numbers);
  static VertexNames words(std::vector<std::string> words);

  bool are_words() const { return !words_.empty(); }
  /// The first of consecutive numbers; of others 1.
  std::uint64_t first() const { return first_; }

  std::string of(Vertex vertex) const;
  void append_to(std::string& text, Vertex vertex) const;
  /// The vertex of `count` that has this number, where they have numbers.
  std::optional<Vertex> find(std::uint64_t number, std::size_t count) const;

 private:
  std::uint64_t first_ = 1;
  std::vector<std::uint64_t> numbers_;  // where there are any, they are the names
  std::vector<std::string> words_;      // the same
};

/// A graph as its file has it: with every edge that is listed, loops and repetitions too.
struct GraphFile {
  std::string file;  ///< for messages
  GraphFormat format = GraphFormat::automatic;
  std::size_t vertices = 0;
  std::vector<Edge> edges;  ///< between 0 and vertices - 1, in the order of the file
  VertexNames names;
  std::size_t first_loop_line = 0;  ///< of an edge from a vertex to itself; 0: there is none
  std::vector<std::string> notes;   ///< one-line remarks about the reading, for the user
};

}  // namespace taper::io
