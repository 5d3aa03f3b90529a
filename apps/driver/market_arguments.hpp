// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/market/read.hpp>

#include <CLI/App.hpp>

#include <filesystem>
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
};

}  // namespace taper::app
