// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <support/context.hpp>

#include <benchmark/benchmark.h>

namespace taper::support {

/// Hands the arguments that are left to Google Benchmark, and gives its output the context. False:
/// one of them is unknown, and has been complained of. Requires an initialised Kokkos.
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
