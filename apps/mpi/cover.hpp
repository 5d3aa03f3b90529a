// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithms/vertex_cover/problem.hpp>

#include <taper/vertex_cover/options.hpp>

namespace taper::app {

/// Solves the problem by all processes of MPI together. All processes call it with the same problem
/// and options, and get the same cover. k and start are those of the whole problem.
///
/// Throws: ConfigError in all processes. An error of one process alone ends all processes.
/// Used by: `taper cover`.
SolvedCover solve_cover_together(CoverProblem const& problem, vertex_cover::Options const& options);

}  // namespace taper::app
