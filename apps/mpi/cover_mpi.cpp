// SPDX-License-Identifier: Apache-2.0
#include "cover.hpp"
#include "errors_mpi.hpp"

#include <support/seconds_of.hpp>

#include <taper/vertex_cover/distributed/distributed.hpp>

#include <mpi.h>

namespace taper::app {

namespace vc = vertex_cover;

SolvedCover solve_cover_together(CoverProblem const& problem, vc::Options const& options) {
  auto const solve = [](vc::HostGraph const& graph, vc::Options const& of_graph) {
    SolvedCover solved;
    solved.in_cover.resize(graph.vertices());
    vc::DistributedReport report;
    solved.seconds =
        seconds_of([&] { report = vc::solve(MPI_COMM_WORLD, graph, solved.in_cover, of_graph); });
    solved.report = report.cover;
    solved.processes = report.processes;
    return solved;
  };
  return in_all([&] { return solve_with_forced(problem, options, solve); });
}

}  // namespace taper::app
