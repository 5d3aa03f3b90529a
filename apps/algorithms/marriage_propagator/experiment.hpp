// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithms/stable_marriage/experiment.hpp>
#include <experiment/experiment.hpp>

#include <taper/marriage_propagator/call_spec.hpp>
#include <taper/marriage_propagator/options.hpp>

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace taper::app {

using PropagatorEngine = EngineSpec<marriage_propagator::Options>;

/// A configuration with `algorithm: marriage_propagator`, checked and with every default filled in.
/// docs/configuration.md is its reference.
struct PropagatorExperiment : Settings {
  std::vector<std::uint32_t> sizes;
  std::vector<WorkloadSpec> lists;                     ///< without sizes
  std::vector<std::uint64_t> instances;                ///< seeds
  std::vector<marriage_propagator::CallSpec> classes;  ///< without their seeds
  std::vector<PropagatorEngine> engines;
  std::string baseline;  ///< the name of one of `engines`
};

/// Reads a configuration. Throws ConfigError with the place and what was expected.
PropagatorExperiment read_propagator_experiment(Node const& root);
/// The same, ready to run.
std::unique_ptr<Experiment> read_propagator_bench(Node const& root);

/// The configuration that identifies the measurements: all except the output folder.
nlohmann::ordered_json to_json(PropagatorExperiment const& experiment);

/// The name of a class with its parameters: "all_free", "missing 1 in 1,024",
/// "two_free, narrowed 0.5", "none_free, 200 modified".
std::string class_label(marriage_propagator::CallSpec const& spec);

}  // namespace taper::app
