// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <driver/output.hpp>
#include <taper/report.hpp>
#include <taper/vertex_cover/host_graph.hpp>

#include <CLI/App.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

namespace taper::app {

/// Sets of vertices that a search for all optimal ones has found.
struct FoundSets {
  Status status = Status::solved;  ///< stopped: there may be others
  std::vector<std::vector<vertex_cover::Vertex>> sets;
};

/// The option --all: optimal solutions, up to a limit.
/// Used by: the commands cover, clique and independent-set.
struct AllArgument {
  std::size_t limit = 0;  ///< 0: not given

  /// `solutions`: "minimum covers".
  void add_option(CLI::App& command, std::string const& solutions);
  bool given() const { return limit > 0; }
  /// How many to search for: one more than the limit says whether there are more.
  std::size_t wanted() const { return limit + 1; }

  /// What is left of a time limit of a command after the search for an optimum; 0: no limit.
  static double time_left(double time_limit_s, double used_s);

  /// How write() handles a set.
  struct Writer {
    std::size_t vertices = 0;
    /// Turns the marks of a set that was found into those of a solution.
    std::function<void(std::vector<std::uint8_t>&)> complete;
    std::function<std::string(std::span<std::uint8_t const>)> fault;  ///< empty: none
    std::function<void(std::ostream&, std::span<std::uint8_t const>)> write;
  };
  /// Checks and writes the solutions, with an empty line between two, and says on stderr whether
  /// these are all. Returns the exit status.
  int write(FoundSets const& found, Writer const& writer, Output& output) const;
};

/// Adds the flag --heuristic, which excludes --all. `solution`: "cover".
void add_heuristic(CLI::App& command, bool& heuristic, std::string const& solution);

/// Says on stderr that a heuristic proves nothing, unless the reductions alone have solved it.
void note_heuristic(bool heuristic, Status status);

}  // namespace taper::app
