// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "problem.hpp"

#include <io/graph/read.hpp>

#include <CLI/App.hpp>

#include <filesystem>
#include <string>

namespace taper::app {

/// Arguments of the commands that read a graph: GRAPH, --format, --header, --titles, --columns and
/// maybe --self-loops.
struct GraphArguments {
  std::filesystem::path file;
  std::string format = "auto";
  std::string header = "auto";
  std::string titles = "auto";
  std::string columns;  ///< "A,B"; empty: by the titles, else the first two
  std::string self_loops = "force";

  void add_options(CLI::App& command);
  /// `forced`: what happens to a vertex with an edge to itself, for the help.
  void add_self_loops(CLI::App& command, std::string const& forced);
  SelfLoops loops() const { return self_loops_named(self_loops); }
  /// Throws ConfigError if several processes run and the graph is on the standard input: one of
  /// them alone has it.
  void require_file() const;
  /// Throws ConfigError if the format is unknown.
  io::GraphReadOptions read_options() const;
  /// Reads the graph and prints the reader's notes on stderr. `weights`: also those of vertices.
  io::GraphFile read(bool weights = false) const;
};

}  // namespace taper::app
