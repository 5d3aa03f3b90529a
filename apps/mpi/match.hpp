// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/hospitals_residents/options.hpp>

#include <io/market/write.hpp>

#include <filesystem>

namespace taper::app {

class Runtime;

/// `taper match` with a market of which each process reads a part.
struct PartsRequest {
  std::filesystem::path folder;  ///< of NumPy arrays
  std::filesystem::path output;  ///< of the matching, which process 0 writes
  io::MatchingFormat format = io::MatchingFormat::text;
  int threads = 0;
};

/// Solves the market, verifies and writes the matching. All processes call it. Returns the exit
/// status, which is alike in all. Throws ConfigError in all processes.
int match_parts(PartsRequest const& request, hospitals_residents::Options const& options,
                Runtime& runtime);

}  // namespace taper::app
