// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/hospitals_residents/workload.hpp>

#include <memory>

// Experiments over several processes. Process 0 runs them, and the others do their share of each
// generation, solve and check.

namespace taper::app {

class LoadedMarket;

/// Generates a market of which each process makes and holds a part. Process 0 calls it, while the
/// others serve_market_parts(). `threads`: of each process; 0: all that it has.
/// Throws ConfigError if a process cannot.
std::unique_ptr<LoadedMarket> generate_market_parts(int threads,
                                                    hospitals_residents::Workload const& workload);

/// What the other processes do until process 0 calls end_commands(). It reports errors.
void serve_market_parts();

}  // namespace taper::app
