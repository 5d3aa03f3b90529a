// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <support/context.hpp>

#include <benchmark/benchmark.h>

namespace taper::support {

/// Passes the remaining arguments to Google Benchmark, and adds the context to its output. Prints
/// an error and returns false if an argument is unknown. Requires: Kokkos is initialised.
inline bool initialize_benchmarks(int& argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
    return false;
  }
  for (auto const& [key, value] : context()) {
    benchmark::AddCustomContext(key, value);
  }
  return true;
}

}  // namespace taper::support
