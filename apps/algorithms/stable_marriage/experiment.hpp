// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine.hpp"
#include "experiment_keys.hpp"

#include <taper/stable_marriage/family.hpp>

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
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

/// The name of a family, or a mapping with `family` and what that has of `group_size` and `strength`;
/// a list of group sizes or strengths stands for a workload each. None has sizes.
/// `node` may have other keys. Throws ConfigError.
std::vector<WorkloadSpec> read_lists(Node const& node);

/// As read_lists() reads it: without sizes and engines.
nlohmann::ordered_json to_json(WorkloadSpec const& lists);

/// A configuration with `algorithm: stable_marriage`, checked and with every default filled in.
/// docs/configuration.md is its reference.
struct Experiment : Settings {
  double scale = 1;
  std::vector<WorkloadSpec> workloads;  ///< their sizes are scaled already
  std::vector<std::uint64_t> seeds;
  std::vector<Engine> engines;
  std::string baseline;  ///< the name of one of `engines`
  bool count = false;
};

/// Throws ConfigError with the place and what was expected.
Experiment read_experiment(Node const& root);

/// What identifies the experiment's measurements: everything but where its results go. It can be read as
/// a configuration, and is the same experiment, with every size as it was scaled.
nlohmann::ordered_json to_json(Experiment const& experiment);

}  // namespace taper::app
