// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/market/read.hpp>

#include <CLI/App.hpp>

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace taper::app {

/// Arguments of the commands that read a market: FILE... and how to read it.
struct MarketArguments {
  std::vector<std::filesystem::path> files;
  std::string format = "auto";
  std::string preferences = "order";
  std::string base = "auto";
  std::string columns;
  std::string scores = "higher";
  std::filesystem::path seats;
  bool strict = false;

  void add_options(CLI::App& command);
  /// Throws ConfigError if --columns is not as its help says.
  io::MarketReadOptions read_options() const;
  /// Whether the files are complete lists in .npy, of which several processes read parts.
  /// `markets`: the ones of `files` that are the market.
  bool are_npy(std::span<std::filesystem::path const> markets) const;
  /// Throws ConfigError if an option is given that is not for complete lists over processes.
  void require_npy_options(CLI::App const& command) const;
  /// The table, or folder or archive of NumPy arrays, of which several processes read parts.
  /// `markets`: the one of `files` that are the market. Throws ConfigError if it is another market,
  /// or an option is for one process.
  std::filesystem::path require_parts(CLI::App const& command,
                                      std::span<std::filesystem::path const> markets) const;
};

}  // namespace taper::app
