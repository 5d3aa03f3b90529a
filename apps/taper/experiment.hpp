// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine.hpp"

#include <taper/stable_marriage/family.hpp>

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace taper::app {

/// One family of instances with its parameter, and the sizes at which it is run.
struct WorkloadSpec {
  stable_marriage::Family family = stable_marriage::Family::random;
  std::size_t group_size = 5;  ///< of `random`
  double strength = 0.5;       ///< of `correlated`, 0 to 1
  std::vector<std::size_t> sizes;
  std::vector<std::string> engines;  ///< the names of those that run it; empty: all

  /// "random(5)", "correlated(0.5)", "solo".
  std::string label() const;
  bool runs(Engine const& engine) const;
};

/// A configuration file, checked and with every default filled in. docs/configuration.md is its
/// reference.
struct Experiment {
  std::string name;
  std::string title;
  double scale = 1;
  std::vector<WorkloadSpec> workloads;  ///< their sizes are scaled already
  std::vector<std::uint64_t> seeds;
  std::vector<Engine> engines;
  int repetitions = 3;
  int warmup = 1;
  int threads = 0;       ///< of the host backend; 0: Kokkos decides
  std::string baseline;  ///< the name of one of `engines`
  bool verify = true;
  bool count = false;
  bool skip_missing_backends = false;
  std::filesystem::path output;  ///< a folder
};

/// Throws ConfigError with the place and what was expected.
Experiment load_experiment(std::filesystem::path const& file,
                           std::span<std::string const> overrides = {});

/// What identifies the experiment's measurements: everything but where its results go.
nlohmann::ordered_json to_json(Experiment const& experiment);

}  // namespace taper::app
