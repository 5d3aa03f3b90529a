// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine.hpp"

#include <experiment/experiment.hpp>

#include <taper/stable_marriage/family.hpp>

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace taper::app {

/// A family of instances with its parameter, its sizes, and the engines that run it.
struct WorkloadSpec {
  stable_marriage::Family family = stable_marriage::Family::random;
  std::size_t group_size = 5;  ///< of `random`
  double strength = 0.5;       ///< of `correlated`, 0 to 1
  std::vector<std::size_t> sizes;
  std::vector<std::string> engines;  ///< names of the engines that run it; empty: all

  /// "random(5)", "correlated(0.5)", "solo".
  std::string label() const;
  bool runs(Engine const& engine) const;
};

/// Reads workloads without sizes and engines: the name of a family, or a mapping with `family` and
/// its `group_size` or `strength`. A list of these makes a workload per value. The mapping may have
/// other keys. Throws ConfigError.
std::vector<WorkloadSpec> read_lists(Node const& node);

/// The configuration that read_lists() reads, without sizes and engines.
nlohmann::ordered_json to_json(WorkloadSpec const& lists);

/// What the column `atomics` counts.
enum class Count {
  none,
  operations,  ///< what the engine does
  /// In addition the load before each series of compare-exchanges, as the paper's Figure 7 has it.
  published,
};

/// A configuration with `algorithm: stable_marriage`, checked and with every default filled in.
/// docs/configuration.md is its reference.
struct MarriageExperiment : Settings {
  double scale = 1;
  std::vector<WorkloadSpec> workloads;  ///< with scaled sizes
  std::vector<std::uint64_t> seeds;
  std::vector<Engine> engines;
  std::string baseline;  ///< the name of one of `engines`
  Count count = Count::none;
};

/// Reads a configuration. Throws ConfigError with the place and what was expected.
MarriageExperiment read_marriage_experiment(Node const& root);
/// The same, ready to run.
std::unique_ptr<Experiment> read_marriage_bench(Node const& root);

/// The configuration that identifies the measurements: all except the output folder. Reading it
/// gives the same experiment; its sizes are the scaled ones.
nlohmann::ordered_json to_json(MarriageExperiment const& experiment);

}  // namespace taper::app
