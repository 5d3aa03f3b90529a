// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine.hpp"

#include <io/read.hpp>

#include <CLI/CLI.hpp>

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace taper::app {

/// Accepts one of `words` only, and proposes the nearest for another.
CLI::Validator one_of(std::vector<std::string_view> words);

/// Accepts decimal integers within the bounds only.
CLI::Validator integer_in(std::int64_t min, std::int64_t max);

/// Accepts finite decimal numbers within the bounds only.
CLI::Validator real_in(double min, double max);

/// Throws ConfigError where an option is given that only the family `owner` has.
void require_only_for(CLI::Option const* option, std::string_view family, std::string_view owner);

/// Whether -o names the standard output, or nothing.
bool is_standard_output(std::filesystem::path const& output);

/// --threads N.
void add_threads(CLI::App& command, int& threads);

/// --profile FILE.
void add_profile(CLI::App& command, std::string& profile);

/// FILE..., --format, --preferences and --base of the commands that read a market.
struct MarketArguments {
  std::vector<std::filesystem::path> files;
  std::string format = "auto";
  std::string preferences = "order";
  std::string base = "auto";

  void add_options(CLI::App& command);
  io::ReadOptions read_options() const;
};

/// --engine, or the choices that it stands for.
struct EngineArguments {
  std::string engine;
  std::string algorithm;
  std::string contention;
  std::string schedule;
  std::string backend;

  void add_options(CLI::App& command);
  /// The engine named, else the default one, with each choice that was given put in.
  Engine resolve() const;
};

}  // namespace taper::app
