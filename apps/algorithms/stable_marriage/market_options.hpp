// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine.hpp"

#include <driver/cli_fields.hpp>
#include <driver/market_arguments.hpp>

#include <taper/stable_marriage/fields.hpp>

#include <CLI/App.hpp>

#include <string>

namespace taper::app {

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
