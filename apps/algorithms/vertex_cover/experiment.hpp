// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cover_problem.hpp"
#include "experiment_keys.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace taper::app {

/// A graph of an experiment, from a file or generated, and what is asked of it.
struct GraphSpec {
  std::string name;                      ///< the file's without its extension, or the family's
  std::filesystem::path file;            ///< empty where it is generated
  vertex_cover::Workload workload;       ///< of a generated graph
  std::optional<std::uint64_t> minimum;  ///< known from elsewhere: answers are compared with it
  std::vector<std::int64_t> questions;   ///< k, or -1 for a minimum cover
  std::vector<std::string> solvers;      ///< the names of those that run it; empty: all

  bool runs(std::string const& solver) const;
};

/// One way to search, under the name that tables and files give to it.
struct CoverSolver {
  std::string name;
  vertex_cover::Options options;
  std::string backend = "widest";
};

/// A configuration with `algorithm: vertex_cover`, checked and with every default filled in.
/// docs/configuration.md is its reference.
struct CoverExperiment : Settings {
  std::filesystem::path data;  ///< the folder of the graphs' files
  std::vector<GraphSpec> graphs;
  std::vector<CoverSolver> solvers;
  SelfLoops self_loops = SelfLoops::force;
  double time_limit_s = 0;  ///< of one solve; 0: none
  bool count = false;
  bool skip_missing_graphs = false;
};

/// Throws ConfigError with the place and what was expected.
CoverExperiment read_cover_experiment(Node const& root);

/// What identifies the experiment's measurements: everything but where its graphs lie and its
/// results go.
nlohmann::ordered_json to_json(CoverExperiment const& experiment);

/// "minimum" or "k = 17".
std::string question_label(std::int64_t k);

}  // namespace taper::app
