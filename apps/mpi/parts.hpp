// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/hospitals_residents/options.hpp>
#include <taper/hospitals_residents/stability.hpp>

#include <io/market/read.hpp>
#include <io/market/write.hpp>

#include <cstddef>
#include <filesystem>

// Commands with a market of which each process reads a part. All processes call these functions,
// which return the exit status, alike in all. They throw ConfigError in all processes.

namespace taper::app {

class Runtime;

/// A table or NumPy arrays, and the threads of each process; 0: its share of the cores.
struct PartsRequest {
  std::filesystem::path market;
  io::MarketReadOptions options = {};
  int threads = 0;
  bool json_report = false;  ///< of `taper match`, for programs
};

/// `taper match`: solves the market, verifies the matching, and writes it in process 0.
int match_parts(PartsRequest const& request, hospitals_residents::Options const& options,
                std::filesystem::path const& output, io::MatchingFormat format, Runtime& runtime);

/// A matching, which process 0 reads, and what to say of it.
struct PartsCheck {
  std::filesystem::path matching;
  io::MatchingFormat format = io::MatchingFormat::automatic;
  hospitals_residents::Stability stability = hospitals_residents::Stability::weak;
  std::size_t limit = 10;  ///< of blocking pairs to print
};

/// `taper verify`.
int verify_parts(PartsRequest const& request, PartsCheck const& check, Runtime& runtime);

}  // namespace taper::app
