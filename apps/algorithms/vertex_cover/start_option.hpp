// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/graph/graph.hpp>

#include <CLI/App.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace taper::app {

/// The option --start: the file of a solution with which the search begins.
struct StartArgument {
  std::filesystem::path file;

  /// `solution`: "a cover".
  void add_option(CLI::App& command, std::string const& solution);
  bool given() const { return !file.empty(); }
  /// `inputs`, and the file if it is given.
  std::vector<std::filesystem::path> with(std::vector<std::filesystem::path> inputs) const;

  /// The marks of a cover of the graph's file; none: not given. Throws ConfigError with an edge that
  /// it misses; io::InputError.
  std::vector<std::uint8_t> read_cover(io::GraphFile const& graph) const;
};

}  // namespace taper::app
