// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cover_problem.hpp"

#include <io/read_graph.hpp>

#include <CLI/CLI.hpp>

#include <filesystem>
#include <string>

namespace taper::app {

/// GRAPH, --format, --header and --self-loops of the commands that read a graph.
struct GraphArguments {
  std::filesystem::path file;
  std::string format = "auto";
  std::string header = "auto";
  std::string self_loops = "force";

  void add_options(CLI::App& command);
  SelfLoops loops() const { return self_loops_named(self_loops); }
  /// The file's graph; what the reader has to remark goes to stderr.
  io::GraphFile read() const;
};

}  // namespace taper::app
