// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/graph/graph.hpp>
#include <taper/clique/weights.hpp>

#include <CLI/App.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace taper::app {

/// The option --weights: unit, file, or the name of a file of weights.
struct WeightArguments {
  std::string source = "unit";

  void add_option(CLI::App& command);
  bool given() const { return source != "unit"; }
  bool in_graph_file() const { return source == "file"; }

  /// The files that the command reads: `others`, and that of the weights, if there is one. Throws
  /// ConfigError if more than one is the standard input.
  std::vector<std::filesystem::path> inputs_with(std::vector<std::filesystem::path> others) const;

  /// The weights of the vertices; none: all are 1. Throws ConfigError if the graph's file has no
  /// weights, or one is negative, or their sum is too large; io::InputError.
  std::vector<clique::Weight> read(io::GraphFile const& file) const;
};

/// Throws ConfigError about weights that a search cannot take. `source`: where they are from.
void require_weights(std::vector<clique::Weight> const& weights, io::GraphFile const& file,
                     std::string const& source);

}  // namespace taper::app
