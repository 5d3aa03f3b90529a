// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithms/vertex_cover/all_option.hpp>
#include <taper/clique/family.hpp>
#include <taper/clique/options.hpp>
#include <taper/clique/report.hpp>
#include <taper/clique/weights.hpp>
#include <taper/vertex_cover/distributed/report.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

// The solvers, compiled in solve_kokkos.cpp. The front doors document them. `backend`: a host
// backend, one of backend_names(); `threads`: 0: all. They require a started Runtime.

namespace taper::app {

/// The result of one solve.
struct SolvedClique {
  clique::Report report;
  std::vector<std::uint8_t> in_clique;
  double seconds = 0;                                     ///< of the library's solve
  std::vector<vertex_cover::ProcessWork> processes = {};  ///< if several have searched
};

/// No weights: all are 1. Requires: find_fault(weights) finds none.
SolvedClique solve_clique(std::string_view backend, int threads, clique::HostGraph const& graph,
                          std::span<clique::Weight const> weights, clique::Options const& options);

/// All cliques of weight `maximum`, the greatest, up to `limit`. No weights: all are 1.
FoundSets find_all_cliques(std::string_view backend, clique::HostGraph const& graph,
                           std::span<clique::Weight const> weights, clique::Weight maximum,
                           std::size_t limit, clique::Options const& options);

/// The report of one count, and its time.
struct CountedCliques {
  clique::MaximalReport report;
  double seconds = 0;
};

CountedCliques count_maximal_cliques(std::string_view backend, int threads,
                                     clique::HostGraph const& graph,
                                     clique::Options const& options);

/// The same. All threads call `see` with the vertices of each clique, at the same time.
CountedCliques see_maximal_cliques(std::string_view backend, int threads,
                                   clique::HostGraph const& graph, clique::Options const& options,
                                   std::function<void(std::span<clique::Vertex const>)> const& see);

/// Throws: taper::Error if the family has no graph with these parameters.
clique::HostGraph generate_clique_graph(clique::Workload const& workload);

}  // namespace taper::app
