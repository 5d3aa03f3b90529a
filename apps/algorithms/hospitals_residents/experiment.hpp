// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <experiment/experiment.hpp>

#include <taper/hospitals_residents/options.hpp>
#include <taper/hospitals_residents/workload.hpp>

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <string>
#include <vector>

namespace taper::app {

/// A named market of an experiment. Tables and result files use the name.
struct SparseMarketSpec {
  std::string name;
  hospitals_residents::Workload workload;
};

using SparseMarketEngine = EngineSpec<hospitals_residents::Options>;

/// A configuration with `algorithm: hospitals_residents`, checked and with every default filled in.
/// docs/configuration.md is its reference.
struct SparseMarketExperiment : Settings {
  std::vector<SparseMarketSpec> markets;
  std::vector<SparseMarketEngine> engines;
  std::string baseline;  ///< the name of one of `engines`
};

/// Reads a configuration. Throws ConfigError with the place and what was expected.
SparseMarketExperiment read_sparse_market_experiment(Node const& root);
/// The same, ready to run.
std::unique_ptr<Experiment> read_sparse_market_bench(Node const& root);

/// The configuration that identifies the measurements: all except the output folder.
nlohmann::ordered_json to_json(SparseMarketExperiment const& experiment);

}  // namespace taper::app
