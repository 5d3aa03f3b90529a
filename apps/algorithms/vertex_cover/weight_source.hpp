// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <experiment/node.hpp>
#include <io/graph/graph.hpp>
#include <taper/clique/weights.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace taper::app {

/// Where the weights of a graph of an experiment come from: the key `weights`.
/// Used by: the experiments of vertex_cover and clique.
struct WeightSource {
  enum class Kind {
    unit,    ///< all are 1
    cyclic,  ///< of the i-th vertex, from 1: i mod 200 + 1, as in the usual weighted DIMACS graphs
    file,    ///< those in the graph's file
    other,   ///< those in a second file
  };

  Kind kind = Kind::unit;
  std::filesystem::path path;  ///< of Kind::other, in the folder of the graphs

  bool given() const { return kind != Kind::unit; }
  bool in_graph_file() const { return kind == Kind::file; }
  /// The key's value.
  std::string text() const;
  /// ", weights cyclic", for names of graphs; empty for unit.
  std::string label() const;
};

/// Reads the key. Throws ConfigError if the graph is generated and the weights are in a file.
WeightSource read_weight_source(Node const& key, bool generated);

/// Throws ConfigError if the second file of a graph is missing.
void require_weight_file(WeightSource const& source, std::filesystem::path const& data,
                         std::string_view graph);

/// The weights of the vertices; none: all are 1. `file`: read with its weights if in_graph_file().
/// Throws ConfigError, io::InputError.
std::vector<clique::Weight> load_weights(WeightSource const& source,
                                         std::filesystem::path const& data,
                                         io::GraphFile const& file);

}  // namespace taper::app
