// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <experiment/experiment.hpp>

#include <taper/tree_search/options.hpp>

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace taper::app {

/// A named tree of an experiment. Tables and result files use the name.
struct TreeSpec {
  std::string name;
  tree_search::Tree tree;
};

using TreeEngine = EngineSpec<tree_search::Options>;

/// A configuration with `algorithm: tree_search`, checked and with every default filled in.
/// docs/configuration.md is its reference.
struct TreeExperiment : Settings {
  std::vector<TreeSpec> trees;
  std::vector<TreeEngine> engines;
  std::string baseline;  ///< the name of one of `engines`
};

/// Reads a configuration. Throws ConfigError with the place and what was expected.
TreeExperiment read_tree_experiment(Node const& root);
/// The same, ready to run.
std::unique_ptr<Experiment> read_tree_bench(Node const& root);

/// The configuration that identifies the measurements: all except the output folder.
nlohmann::ordered_json to_json(TreeExperiment const& experiment);

/// The names of tree_search::sample_trees.
std::vector<std::string_view> sample_tree_names();

}  // namespace taper::app
