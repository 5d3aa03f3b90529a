// SPDX-License-Identifier: Apache-2.0
#include "clique.hpp"
#include "errors_mpi.hpp"

#include <support/seconds_of.hpp>

#include <taper/clique/distributed/distributed.hpp>

#include <mpi.h>

namespace taper::app {

SolvedClique solve_clique_together(clique::HostGraph const& graph, clique::Options const& options) {
  return in_all([&] {
    SolvedClique solved;
    solved.in_clique.resize(graph.vertices());
    clique::DistributedReport report;
    solved.seconds = seconds_of(
        [&] { report = clique::solve(MPI_COMM_WORLD, graph, solved.in_clique, options); });
    solved.report = report.clique;
    solved.processes = report.processes;
    return solved;
  });
}

}  // namespace taper::app
