// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/hospitals_residents/workload.hpp>

#include <memory>

// Experiments with markets over several processes. Process 0 runs them. The others do their part of
// each generation, solve and check. Used by: `taper run`.

namespace taper::app {

class LoadedMarket;

/// Generates a market; each process makes and keeps a part. Process 0 calls this, while the others
/// are in serve_market_parts(). `threads`: of each process; 0: all that it has.
/// Throws: ConfigError if a process cannot make its part.
std::unique_ptr<LoadedMarket> generate_market_parts(int threads,
                                                    hospitals_residents::Workload const& workload);

/// Called by the other processes: does their part until process 0 calls end_commands(). Process 0
/// reports errors.
void serve_market_parts();

}  // namespace taper::app
