// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "problem.hpp"
#include "weight_source.hpp"

#include <experiment/experiment.hpp>

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace taper::app {

/// A graph of an experiment, from a file or generated, and the questions about it.
struct GraphSpec {
  std::string name;                      ///< the file's name without extension, or the family
  std::filesystem::path file;            ///< empty: generated
  vertex_cover::Workload workload;       ///< of a generated graph
  WeightSource weights;                  ///< given: the question is a minimum weight cover
  std::optional<std::uint64_t> minimum;  ///< the known minimum, compared with the answers
  std::vector<std::int64_t> questions;   ///< k, or -1: a minimum cover
  std::vector<std::string> solvers;      ///< names of the solvers that run it; empty: all

  bool runs(std::string const& solver) const;
};

using CoverSolver = EngineSpec<vertex_cover::Options>;

/// A configuration with `algorithm: vertex_cover`, checked and with every default filled in.
/// docs/configuration.md is its reference.
struct CoverExperiment : Settings {
  std::filesystem::path data;  ///< the folder of the files
  std::vector<GraphSpec> graphs;
  std::vector<CoverSolver> solvers;
  SelfLoops self_loops = SelfLoops::force;
  double time_limit_s = 0;  ///< per solve; 0: none
  bool count = false;
  bool skip_missing_graphs = false;
};

/// Reads a configuration. Throws ConfigError with the place and what was expected.
CoverExperiment read_cover_experiment(Node const& root);
/// The same, ready to run.
std::unique_ptr<Experiment> read_cover_bench(Node const& root);

/// The configuration that identifies the measurements: all except the folders of the graphs and of
/// the results.
nlohmann::ordered_json to_json(CoverExperiment const& experiment);

/// "minimum" or "k = 17".
std::string question_label(std::int64_t k);

}  // namespace taper::app
