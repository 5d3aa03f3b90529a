// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithms/clique/solve.hpp>

#include <taper/clique/options.hpp>

namespace taper::app {

/// Finds a maximum clique by all processes of MPI together. All call it with the same graph and
/// options, and get the same clique. Throws ConfigError in all processes; an error that one of them
/// has alone ends all.
SolvedClique solve_clique_together(clique::HostGraph const& graph, clique::Options const& options);

}  // namespace taper::app
