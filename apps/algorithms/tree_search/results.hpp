// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiment.hpp"

#include <experiment/case_results.hpp>
#include <experiment/summary.hpp>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taper::app {

/// The measurements of one engine on one tree, and the check of its counts.
struct TreeCase {
  static constexpr std::string_view format = "taper-tree-results-1";

  std::string tree;
  std::string engine;
  std::string backend;  ///< the backend that ran

  std::vector<double> runs;    ///< seconds of a count, one per repetition
  tree_search::Report report;  ///< of the last repetition
  bool verified = false;
  std::string failure;  ///< why the counts are wrong; empty if they are right

  bool same_case(TreeCase const& other) const {
    return tree == other.tree && engine == other.engine;
  }
  std::string const& subject() const { return tree; }
  std::string const& task() const { return engine; }
  /// By the median time.
  double nodes_per_second() const;
};

void to_json(nlohmann::ordered_json& json, TreeCase const& result);
void from_json(nlohmann::ordered_json const& json, TreeCase& result);

/// An RFC 4180 CSV: a header and a row per repetition.
std::string to_csv(TreeExperiment const& experiment, std::span<TreeCase const> cases);

/// The rows of `taper table`. Throws ConfigError if the file is no results.json of tree_search.
std::vector<SummaryRow> summarize_trees(std::filesystem::path const& file);

/// The table at the end of a run: a section per tree, a row per engine.
std::string result_table(TreeExperiment const& experiment, std::span<TreeCase const> cases);

}  // namespace taper::app
