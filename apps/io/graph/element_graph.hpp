// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/graph/graph.hpp>

#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace taper::io {

/// Collects the nodes and edges of a file that names both, in any order.
/// Used by: the readers of GraphML, GEXF and node-link JSON.
class ElementGraph {
 public:
  explicit ElementGraph(std::string file) : file_(std::move(file)) {}

  /// Lines count from 1; 0 stands for an unknown line. Throws: InputError if the node is not new,
  /// or its id cannot stand in a line of a cover's file.
  void add_node(std::string id, std::size_t line);
  void add_edge(std::string source, std::string target, std::size_t line) {
    edges_.push_back({std::move(source), std::move(target), line});
  }

  /// Fills `graph`: the nodes become its vertices, and their ids the names. Throws: InputError if
  /// an edge has an unknown end.
  void move_to(GraphFile& graph);

 private:
  struct NamedEdge {
    std::string source, target;
    std::size_t line = 0;
  };

  Vertex find(std::string const& id, std::size_t line) const;

  std::string file_;
  std::vector<std::string> ids_;
  std::unordered_map<std::string, Vertex> vertex_of_;
  std::vector<NamedEdge> edges_;
};

}  // namespace taper::io
