// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/hospitals_residents/options.hpp>
#include <taper/hospitals_residents/stability.hpp>

#include <io/market/read.hpp>
#include <io/market/write.hpp>

#include <cstddef>
#include <filesystem>

// Commands with a market with short lists over several processes; each process reads a part. All
// processes call these functions, and get the same exit status. They throw ConfigError in all
// processes. Used by: `taper match` and `taper verify`.

namespace taper::app {

class Runtime;

/// The market, and how to work.
struct PartsRequest {
  std::filesystem::path market;  ///< a table, or a folder or archive of NumPy arrays
  io::MarketReadOptions options = {};
  int threads = 0;           ///< of each process; 0: its share of the cores
  bool json_report = false;  ///< of `taper match`, for programs
};

/// `taper match`: solves the market, verifies the matching, and writes it in process 0.
int match_parts(PartsRequest const& request, hospitals_residents::Options const& options,
                std::filesystem::path const& output, io::MatchingFormat format, Runtime& runtime);

/// The matching to check, and how.
struct PartsCheck {
  std::filesystem::path matching;  ///< process 0 reads it
  io::MatchingFormat format = io::MatchingFormat::automatic;
  hospitals_residents::Stability stability = hospitals_residents::Stability::weak;
  std::size_t limit = 10;  ///< of blocking pairs to print
};

/// `taper verify`: reads the market and the matching, and checks it.
int verify_parts(PartsRequest const& request, PartsCheck const& check, Runtime& runtime);

}  // namespace taper::app
