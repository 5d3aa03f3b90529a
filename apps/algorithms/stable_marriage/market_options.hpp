// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine.hpp"

#include <driver/cli_fields.hpp>

#include <io/market/read.hpp>
#include <taper/stable_marriage/fields.hpp>

#include <CLI/CLI.hpp>

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

/// Arguments that choose an engine: --engine, an option per field of stable_marriage::Options
/// except the proposer, and --backend.
struct EngineArguments {
  std::string engine;
  FieldArguments<stable_marriage::Options> parts;
  std::string backend;

  void add_options(CLI::App& command);
  /// The engine of --engine, else the default one, with the given parts replaced.
  Engine resolve() const;
};

}  // namespace taper::app
