// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithms/vertex_cover/problem.hpp>

#include <taper/vertex_cover/options.hpp>

namespace taper::app {

/// Solves the problem by all processes of MPI together. All call it with the same problem and
/// options, and get the same cover; k and start are those of the whole problem. Throws ConfigError
/// in all processes; an error that one of them has alone ends all.
SolvedCover solve_cover_together(CoverProblem const& problem, vertex_cover::Options const& options);

}  // namespace taper::app
