// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/graph.hpp>
#include <taper/vertex_cover/family.hpp>
#include <taper/vertex_cover/host_graph.hpp>
#include <taper/vertex_cover/options.hpp>
#include <taper/vertex_cover/report.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace taper::app {

/// What an edge from a vertex to itself means.
enum class SelfLoops {
  force,  ///< the vertex is in every cover
  drop,   ///< nothing, as in the papers
  error,
};

SelfLoops self_loops_named(std::string_view name);
std::vector<std::string_view> self_loops_names();

/// A graph as the library wants it: simple, and without the vertices that loops force.
struct CoverProblem {
  vertex_cover::HostGraph graph;             ///< their edges are taken out, their numbers stay
  std::vector<vertex_cover::Vertex> forced;  ///< ascending
  std::uint64_t edges = 0;                   ///< of the file, each once, without loops
  std::uint64_t loops = 0;                   ///< vertices with an edge to themselves
  std::uint64_t duplicates = 0;              ///< edges that the file lists again, either way round

  std::size_t vertices() const { return graph.vertices(); }
};

/// Drops the loops from file.edges where that is the policy, so that a check of the file's edges
/// follows it. Throws ConfigError that names the first loop's line where they are an error.
CoverProblem make_cover_problem(io::GraphFile& file, SelfLoops self_loops);

/// What was left out of the file's edges, a line each.
std::vector<std::string> cover_problem_notes(CoverProblem const& problem, io::GraphFile const& file,
                                             SelfLoops self_loops);

/// One solve: the report and the cover are of the whole graph, forced vertices included.
struct SolvedCover {
  vertex_cover::Report report;
  std::vector<std::uint8_t> in_cover;
  double seconds = 0;  ///< of the library's solve()
};

/// The backend on which a solve of this mode runs: the default mode's work is the host's. Throws
/// ConfigError where there is no backend as requested.
std::string_view cover_backend(std::string_view request, vertex_cover::Mode mode);

/// Solves on `backend`, named as backend_names() does; on a device the host stands beside it.
/// In run_vertex_cover.cpp, which alone knows the library's templates. Throws: taper::Error.
SolvedCover solve_cover(std::string_view backend, CoverProblem const& problem,
                        vertex_cover::Options options);

/// In the same place, for the same reason. Throws: taper::Error where the family cannot be of this
/// size.
vertex_cover::HostGraph generate_graph(vertex_cover::Workload const& workload);

}  // namespace taper::app
