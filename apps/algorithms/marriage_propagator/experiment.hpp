// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiment.hpp"
#include "experiment_keys.hpp"

#include <taper/marriage_propagator/family.hpp>
#include <taper/marriage_propagator/options.hpp>

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace taper::app {

/// One way to propagate, under the name that tables and files give to it.
struct PropagatorEngine {
  std::string name;
  marriage_propagator::Options options;
  std::string backend;  ///< as requested: a backend's name, or host, device or widest
};

/// A configuration with `algorithm: marriage_propagator`, checked and with every default filled in.
/// docs/configuration.md is its reference.
struct PropagatorExperiment : Settings {
  std::vector<std::uint32_t> sizes;
  std::vector<WorkloadSpec> lists;                     ///< without sizes
  std::vector<std::uint64_t> instances;                ///< seeds
  std::vector<marriage_propagator::Question> classes;  ///< whatever their seeds
  std::vector<PropagatorEngine> engines;
  std::string baseline;  ///< the name of one of `engines`
};

/// Throws ConfigError with the place and what was expected.
PropagatorExperiment read_propagator_experiment(Node const& root);

/// What identifies the experiment's measurements: everything but where its results go.
nlohmann::ordered_json to_json(PropagatorExperiment const& experiment);

/// "all_free", "missing 1 in 1,024", "two_free, narrowed 0.5", "none_free, 200 modified".
std::string class_label(marriage_propagator::Question const& question);

}  // namespace taper::app
