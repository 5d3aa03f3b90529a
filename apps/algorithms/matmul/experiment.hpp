// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiment_keys.hpp"
#include "matmul_engine.hpp"
#include "product.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace taper::app {

/// An engine of an experiment. One entry of the configuration with lists stands for several.
struct MatmulEntry : MatmulEngine {
  std::string series;       ///< the name of the entry that it comes from
  std::uint64_t max_n = 0;  ///< the largest extent that it runs; 0: any

  bool runs(Extents const& extents) const;
};

/// A configuration with `algorithm: matmul`, checked and with every default filled in.
/// docs/configuration.md is its reference.
struct MatmulExperiment : Settings {
  Operation operation = Operation::multiply;
  std::vector<Extents> sizes;  ///< no extent is larger than the experiment's `max_n`
  std::vector<io::Scalar> types;
  matmul::Workload workload;
  std::vector<MatmulEntry> engines;
  std::string baseline;  ///< the name of one of `engines`
};

/// Throws ConfigError with the place and what was expected.
MatmulExperiment read_matmul_experiment(Node const& root);

/// What identifies the experiment's measurements: everything but where its results go.
nlohmann::ordered_json to_json(MatmulExperiment const& experiment);

/// "n = 1,024", or "m = 1, n = 2,048, k = 3" where they differ.
std::string extents_label(Operation operation, Extents const& extents);

}  // namespace taper::app
