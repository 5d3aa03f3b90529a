// SPDX-License-Identifier: Apache-2.0
#pragma once

// Vertex cover over the processes of MPI: the front door. Link Taper::mpi. The headers need no
// Kokkos. Each process runs branch_and_reduce::Solver. The solver knows the other processes by the
// interface Partners, which is here a Team: it gets subproblems from it and gives it some.

#include <taper/vertex_cover/distributed/report.hpp>

#include <taper/vertex_cover/distributed/mailbox.hpp>

#include <taper/vertex_cover/distributed/team.hpp>

#include <taper/vertex_cover/branch_and_reduce/branch_and_reduce.hpp>
#include <taper/vertex_cover/host_graph.hpp>
#include <taper/vertex_cover/options.hpp>
#include <taper/vertex_cover/start.hpp>

#include <taper/distributed/communicator.hpp>

#include <mpi.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace taper::vertex_cover {
namespace detail {

/// A hash of the arguments that must be equal in all processes.
inline distributed::Fingerprint fingerprint_of(HostGraph const& graph, Options const& options,
                                               DistributedOptions const& together) {
  distributed::Fingerprint print;
  for (std::uint64_t const value :
       {static_cast<std::uint64_t>(options.k), std::uint64_t{options.heuristic},
        std::uint64_t{options.packing}, together.nodes_alone, std::uint64_t{graph.vertices()}}) {
    print.add(value);
  }
  print.add_all(graph.offsets);
  print.add_all(graph.entries);
  print.add_all(options.start);
  return print;
}

}  // namespace detail

/// Computes a minimum vertex cover of `graph` by all processes of `communicator`, as solve() of one
/// process does in Mode::taper. in_cover[v] becomes 1 if vertex v is in the cover, else 0. All
/// processes call it with the same graph and options, and get the same cover and report.
///
///   namespace vc = taper::vertex_cover;
///   vc::HostGraph const graph = vc::make_graph(n, edges).graph;
///   std::vector<std::uint8_t> in_cover(graph.vertices());
///   auto const report = vc::solve(MPI_COMM_WORLD, graph, in_cover, {.time_limit_s = 60});
///
/// Each process reduces the graph, and solves the easy components: all processes do the same. They
/// search each hard component together: a process without work gets a branch of another process.
/// Each process has its own clause learning and local search, with its own random numbers. In a
/// dense component the processes share the tasks of a clique search.
///
/// The limits time_limit_s and `stop` of one process end the search of all.
///
/// Equivalent to: solve(place, graph, in_cover, options) of one process. With k, or without a
///   proof, the cover may have another size.
/// Requires: the program has initialised MPI, with MPI_THREAD_FUNNELED at least, and one thread of
///   each process calls this; a simple graph; one mark per vertex in in_cover.
/// Ensures: what solve() of one process ensures.
/// Cost: that of solve(), divided among the processes as far as the search has branches. A message
///   with a subproblem has 4 bytes per decided or folded vertex of its component, and about 12 per
///   live vertex and 8 per live edge. Memory of a process: that of solve(), and the subproblems
///   that wait.
/// Errors: throws CollectiveError if an argument of a process is wrong. Throws taper::Error if MPI
///   is not initialised. After any other exception in one process, the program calls MPI_Abort().
/// Source: Abu-Khzam, Daudjee, Mouawad and Nishimura 2015: a process gives away its branch that is
///   nearest to the root.
inline DistributedReport solve(MPI_Comm communicator, HostGraph const& graph,
                               std::span<std::uint8_t> in_cover, Options const& options = {},
                               DistributedOptions const& distributed = {}) {
  std::string const function = "taper::vertex_cover::solve";
  detail::Communicator const processes(function, communicator);
  std::string problem;
  if (in_cover.size() != graph.vertices()) {
    problem = "in_cover has " + std::to_string(in_cover.size()) + " entries, the graph has " +
              std::to_string(graph.vertices()) + " vertices";
  } else if (options.mode != Mode::taper) {
    problem = "only Mode::taper works over processes";
  }
  processes.agree(function, problem);
  processes.require(processes.same(detail::fingerprint_of(graph, options, distributed).value()),
                    function + ": the processes have different graphs or options");
  processes.alike([&] { detail::require_start(graph, options.start); });
  if (processes.processes() == 1) {
    auto const report = branch_and_reduce::solve(graph, in_cover, options);
    return {.cover = report, .processes = {{.nodes = report.nodes, .conflicts = report.conflicts}}};
  }
  detail::Team team(processes, distributed);
  auto const report = branch_and_reduce::solve(graph, in_cover, options, {},
                                               branch_and_reduce::Search::default_bytes, &team);
  DistributedReport all{.cover = report,
                        .processes = team.gather_work(report.nodes, report.conflicts)};
  all.cover.nodes = all.cover.conflicts = 0;
  for (ProcessWork const& work : all.processes) {
    all.cover.nodes += work.nodes;
    all.cover.conflicts += work.conflicts;
  }
  return all;
}

}  // namespace taper::vertex_cover
