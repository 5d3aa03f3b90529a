// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solve.hpp"

#include <algorithms/vertex_cover/all_option.hpp>
#include <algorithms/vertex_cover/problem.hpp>
#include <algorithms/vertex_cover/start_option.hpp>
#include <driver/output.hpp>
#include <io/graph/graph.hpp>
#include <taper/clique/verify.hpp>
#include <taper/clique/weights.hpp>
#include <taper/report.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taper::app {

/// What the commands about cliques and independent sets say about their kind of set.
struct SetKind {
  std::string_view word;      ///< in the first line of its file
  std::string_view label;     ///< in messages
  std::string_view name;      ///< "a clique"
  std::string_view property;  ///< "each two of its vertices are adjacent"
  std::string_view faults;    ///< "that are not adjacent", behind "3 pairs"
  std::string_view relation;  ///< "not adjacent": what two of its vertices must not be
};

inline constexpr SetKind clique_kind{"clique",
                                     "clique",
                                     "a clique",
                                     "each two of its vertices are adjacent",
                                     "that are not adjacent",
                                     "not adjacent"};
inline constexpr SetKind independent_set_kind{"is",
                                              "set",
                                              "an independent set",
                                              "no two of its vertices are adjacent",
                                              "that are adjacent",
                                              "adjacent"};

/// A set that was found, its proven bound, and how the search ended. Without weights, weight and
/// bound are numbers of vertices.
struct FoundSet {
  Status status = Status::solved;
  std::vector<std::uint8_t> marks;  ///< by vertex
  std::int64_t weight = 0;
  std::int64_t upper_bound = 0;
};

std::string vertices_text(std::uint64_t count);

/// solve_clique() on all threads, or by all processes, with a line of its progress on a terminal.
/// Several processes: without weights.
SolvedClique watched_solve_clique(std::string_view backend, clique::HostGraph const& graph,
                                  std::span<clique::Weight const> weights, clique::Options options);

/// The pairs of a set that break its property in the graph of the file. A vertex of
/// `problem.forced`, with an edge to itself, is in no independent set: it is a pair with itself.
clique::BadPairs find_faults(SetKind const& kind, CoverProblem const& problem,
                             std::span<std::uint8_t const> marks, std::size_t limit);

/// The marks of a set to begin with; none: --start is not given. Throws ConfigError with a pair
/// that breaks the property; io::InputError.
std::vector<std::uint8_t> read_start(SetKind const& kind, StartArgument const& start,
                                     io::GraphFile const& file, CoverProblem const& problem);

/// Prints the answer and its check on stderr, and writes the set. If it is a maximum and --all is
/// given, writes what `find_all` returns instead. Returns the exit status. `search`: what the
/// search did, without the end of its last line.
int write_set(SetKind const& kind, io::GraphFile const& file, CoverProblem const& problem,
              std::span<clique::Weight const> weights, FoundSet const& found,
              std::string const& search, AllArgument const& all,
              std::function<FoundSets()> const& find_all, Output& output);

}  // namespace taper::app
