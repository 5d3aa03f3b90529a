// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine.hpp"
#include "product.hpp"

#include <experiment/experiment.hpp>

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace taper::app {

/// An engine of an experiment. An entry of the configuration with lists makes several of them.
struct MatmulEntry : MatmulEngine {
  std::string series;       ///< the name of its entry in the configuration
  std::uint64_t max_n = 0;  ///< the largest extent to run; 0: no limit

  bool runs(Extents const& extents) const;
};

/// A configuration with `algorithm: matmul`, checked and with every default filled in.
/// docs/configuration.md is its reference.
struct MatmulExperiment : Settings {
  Operation operation = Operation::multiply;
  std::vector<Extents> sizes;  ///< without those above the configuration's `max_n`
  std::vector<io::Scalar> types;
  matmul::Workload workload;
  std::vector<MatmulEntry> engines;
  std::string baseline;  ///< the name of one of `engines`
};

/// Reads a configuration. Throws ConfigError with the place and what was expected.
MatmulExperiment read_matmul_experiment(Node const& root);
/// The same, ready to run.
std::unique_ptr<Experiment> read_matmul_bench(Node const& root);

/// The configuration that identifies the measurements: all except the output folder.
nlohmann::ordered_json to_json(MatmulExperiment const& experiment);

/// "n = 1,024", or "m = 1, n = 2,048, k = 3" if the extents differ.
std::string extents_label(Operation operation, Extents const& extents);

}  // namespace taper::app
