// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/graph/graph.hpp>
#include <taper/vertex_cover/distributed/report.hpp>
#include <taper/vertex_cover/family.hpp>
#include <taper/vertex_cover/host_graph.hpp>
#include <taper/vertex_cover/options.hpp>
#include <taper/vertex_cover/report.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taper::app {

/// The treatment of an edge from a vertex to itself.
enum class SelfLoops {
  force,  ///< the vertex is in every cover
  drop,   ///< the edge is ignored, as in the papers
  error,  ///< the file is refused
};

/// The policy with this name. Requires one of self_loops_names().
SelfLoops self_loops_named(std::string_view name);
/// The names in the order of the enumerators.
std::vector<std::string_view> self_loops_names();

/// A graph for the library: simple, and without the edges of the vertices that loops force into
/// every cover.
struct CoverProblem {
  vertex_cover::HostGraph graph;             ///< forced vertices stay, without edges
  std::vector<vertex_cover::Vertex> forced;  ///< ascending
  std::uint64_t edges = 0;                   ///< different edges of the file, without loops
  std::uint64_t loops = 0;                   ///< vertices with an edge to themselves
  std::uint64_t duplicates = 0;              ///< repeated edges of the file, in either direction

  std::size_t vertices() const { return graph.vertices(); }
};

/// Builds the problem of a file. With SelfLoops::drop it also removes the loops from file.edges, so
/// that a check of these edges agrees. Throws ConfigError with the first loop's line if loops are
/// an error.
CoverProblem make_cover_problem(io::GraphFile& file, SelfLoops self_loops);

/// Notes about the loops and repeated edges of the file. `drop`: how the user sets SelfLoops::drop.
std::vector<std::string> cover_problem_notes(CoverProblem const& problem, io::GraphFile const& file,
                                             SelfLoops self_loops, std::string_view drop);

/// The result of one solve. Report and cover include the forced vertices.
struct SolvedCover {
  vertex_cover::Report report;
  std::vector<std::uint8_t> in_cover;
  double seconds = 0;                                     ///< of the library's solve()
  std::vector<vertex_cover::ProcessWork> processes = {};  ///< if several have searched
};

/// Solves a graph, given as one without forced vertices.
using SolveGraph =
    std::function<SolvedCover(vertex_cover::HostGraph const&, vertex_cover::Options const&)>;

/// Solves the problem by a solve of its graph. `options`: of the whole problem.
SolvedCover solve_with_forced(CoverProblem const& problem, vertex_cover::Options options,
                              SolveGraph const& solve);

/// What a mode of version 0.1 is called now, as a message; empty for any other word.
std::string former_mode_message(std::string_view word);

/// The backend on which a solve of this mode runs; Mode::taper runs on the host. Throws
/// ConfigError if the build does not have the requested backend.
std::string_view cover_backend(std::string_view request, vertex_cover::Mode mode);

/// Solves on `backend`, one of backend_names(); a device is paired with the host. `threads`: of a
/// host backend; 0: all. solve_kokkos.cpp compiles it. Throws: taper::Error.
SolvedCover solve_cover(std::string_view backend, int threads, CoverProblem const& problem,
                        vertex_cover::Options options);

/// A cover in linear time: both ends of the edges of a greedy matching, without those whose
/// neighbours are all in it. It has at most twice the vertices of a minimum cover. Or `start`, a
/// cover, if it is smaller. `k`: as vertex_cover::Options::k, of the whole problem.
SolvedCover cover_without_search(CoverProblem const& problem, std::int64_t k,
                                 std::span<std::uint8_t const> start);

/// Throws ConfigError, with the needed and the free bytes, if the generation does not fit into host
/// memory.
void require_generation_memory(vertex_cover::Workload const& workload);

/// Throws ConfigError, with the needed and the free bytes, if a search surely does not fit into host
/// memory. Its need depends on the reductions; the bound is the least that was measured.
void require_search_memory(CoverProblem const& problem, vertex_cover::Mode mode);

/// Generates a graph of a family. Throws: taper::Error if the family has no graph with these
/// parameters.
vertex_cover::HostGraph generate_graph(vertex_cover::Workload const& workload);

}  // namespace taper::app
