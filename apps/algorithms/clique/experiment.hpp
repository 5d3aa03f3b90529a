// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithms/vertex_cover/weight_source.hpp>
#include <experiment/experiment.hpp>

#include <taper/clique/family.hpp>
#include <taper/clique/options.hpp>

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace taper::app {

/// A graph of an experiment, from a file or generated. Tables and result files use the name.
struct CliqueGraph {
  std::string name;            ///< by default the file's name without extension, or the family's
  std::filesystem::path file;  ///< empty: generated
  clique::Workload workload;   ///< of a generated graph
  WeightSource weights;
  std::optional<std::int64_t> maximum;  ///< the known weight, compared with the answers
};

using CliqueEngine = EngineSpec<clique::Options>;

/// A configuration with `algorithm: clique`, checked and with every default filled in.
/// docs/clique.md is its reference.
struct CliqueExperiment : Settings {
  std::filesystem::path data;  ///< the folder of the files
  std::vector<CliqueGraph> graphs;
  std::vector<CliqueEngine> engines;
  std::string baseline;     ///< the name of one of `engines`
  double time_limit_s = 0;  ///< per solve; 0: none
};

/// Reads a configuration. Throws ConfigError with the place and what was expected.
CliqueExperiment read_clique_experiment(Node const& root);
/// The same, ready to run.
std::unique_ptr<Experiment> read_clique_bench(Node const& root);

/// The configuration that identifies the measurements: all except the folders of the graphs and of
/// the results.
nlohmann::ordered_json to_json(CliqueExperiment const& experiment);

}  // namespace taper::app
