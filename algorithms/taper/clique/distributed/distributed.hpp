// SPDX-License-Identifier: Apache-2.0
#pragma once

// Maximum clique over the processes of MPI: the front door. Link Taper::mpi. The headers need no
// Kokkos. Each process runs Search; it shares tasks by vertex_cover's Team.

#include <taper/clique/distributed/report.hpp>

#include <taper/clique/options.hpp>
#include <taper/clique/search.hpp>
#include <taper/clique/shared_search.hpp>
#include <taper/clique/solve.hpp>
#include <taper/clique/start.hpp>
#include <taper/clique/verify.hpp>
#include <taper/clique/weights.hpp>

#include <taper/distributed/communicator.hpp>
#include <taper/vertex_cover/distributed/team.hpp>

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace taper::clique {
namespace detail {

/// What all processes must have alike.
inline distributed::Fingerprint fingerprint_of(HostGraph const& graph, Options const& options,
                                               DistributedOptions const& together) {
  distributed::Fingerprint print;
  print.add(static_cast<std::uint64_t>(options.bound));
  print.add(together.vertices_alone);
  print.add(graph.vertices());
  print.add_all(graph.offsets);
  print.add_all(graph.entries);
  print.add_all(options.start);
  return print;
}

/// The report of all processes, from that of this one.
inline DistributedReport report_of_all(distributed::Communicator const& processes,
                                       Report const& own, std::vector<ProcessWork> work) {
  DistributedReport all{.clique = own, .processes = std::move(work)};
  Report& report = all.clique;
  report.degeneracy = processes.largest_of(own.degeneracy);
  report.kernel_vertices = processes.largest_of(own.kernel_vertices);
  report.subproblems = processes.sum_of(own.subproblems);
  report.largest = processes.largest_of(own.largest);
  report.nodes = processes.sum_of(own.nodes);
  report.workers = processes.processes();
  return all;
}

}  // namespace detail

/// Computes a maximum clique of `graph`, as solve_on_host() does without weights, by all processes
/// of `communicator`. All call it with the same graph and options, and get the same clique and
/// report.
///
/// Each process finds the cores and the first cliques. They share the subproblems: those of the
/// vertices, or the first branches in a graph that is dense as a whole. A process without one gets
/// half of those that another one still has. The size of a larger clique goes to all at once.
///
/// A limit of one process ends the search of all: time_limit_s or `stop`.
///
/// Equivalent to: solve_on_host(fork, graph, in_clique, options). Which of several maximum cliques
///   is found may differ, also from run to run.
/// Requires: the program has initialised MPI, with MPI_THREAD_FUNNELED at least, and one thread of
///   each process calls this; a simple graph; one mark per vertex in in_clique.
/// Ensures: what solve_on_host() ensures, but the upper bound of a stopped search is that before
///   the first branch.
/// Cost: memory of a process is that of one process alone. A message has up to 4 bytes per
///   subproblem.
/// Errors: throws CollectiveError if an argument of a process is wrong. Throws taper::Error if MPI
///   is not initialised. After any other exception in one process, the program calls MPI_Abort().
inline DistributedReport solve(MPI_Comm communicator, HostGraph const& graph,
                               std::span<std::uint8_t> in_clique, Options const& options = {},
                               DistributedOptions const& distributed = {}) {
  std::string const function = "taper::clique::solve";
  taper::distributed::Communicator const processes(function, communicator);
  std::string problem;
  if (in_clique.size() != graph.vertices()) {
    problem = "in_clique has " + std::to_string(in_clique.size()) + " entries, the graph has " +
              std::to_string(graph.vertices()) + " vertices";
  }
  processes.agree(function, problem);
  processes.require(processes.same(detail::fingerprint_of(graph, options, distributed).value()),
                    function + ": the processes have different graphs or options");
  processes.alike(
      [&] { require_start(function, "a clique", graph, options.start, find_missing_edges); });
  SerialFork fork;
  if (processes.processes() == 1) {
    auto const report = solve_on_host(fork, graph, in_clique, options);
    return {.clique = report, .processes = {{.nodes = report.nodes}}};
  }
  vertex_cover::DistributedOptions const team_options{.at_poll = distributed.at_poll};
  vertex_cover::detail::Team team(processes, team_options);
  SharedSearch shared(team, graph.vertices(), distributed.vertices_alone);
  auto const report =
      detail::search_on_host(fork, graph, UnitWeights{}, in_clique, options, &shared);
  return detail::report_of_all(processes, report, team.gather_work(report.nodes, 0));
}

}  // namespace taper::clique
