// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cover_experiment.hpp"
#include "result_files.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace taper::app {

/// One solver on one question about one graph: what was measured, and whether the answer was right.
struct CoverCase {
  std::string graph;
  std::int64_t k = -1;  ///< -1: a minimum cover
  std::string solver;
  std::string backend;  ///< the one that ran

  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;  ///< different ones, without loops
  double read_seconds = 0;  ///< reading or generating the graph, and making its rows

  std::vector<double> runs;     ///< seconds of the solve, one a repetition
  vertex_cover::Report report;  ///< of the last repetition
  /// Shares of the workers' time, where they were counted.
  std::vector<std::pair<std::string, double>> activities;
  bool verified = false;
  std::string failure;  ///< why the answer is wrong; empty where it is not

  bool solved() const { return report.status == Status::solved; }
  bool same_case(CoverCase const& other) const {
    return graph == other.graph && k == other.k && solver == other.solver;
  }
};

/// "2,651", "yes" or "no" to a k, or "2,640..2,651" where the run was stopped.
std::string answer_label(CoverCase const& result);

/// The results of an experiment, in its folder.
class CoverResults {
 public:
  CoverResults(CoverExperiment const& experiment, nlohmann::ordered_json provenance);

  /// Takes over the cases in the folder's results.json, if there is one.
  /// Throws ConfigError where they come from another configuration.
  void resume();

  /// The result of this case, or nullptr.
  CoverCase const* find(CoverCase const& wanted) const;
  /// Adds a case and rewrites both files.
  void add(CoverCase result);
  /// Rewrites both files, and records that no case is missing.
  void complete();

  std::vector<CoverCase> const& cases() const { return cases_; }
  ResultFiles const& files() const { return files_; }

 private:
  void write();

  CoverExperiment const& experiment_;
  nlohmann::ordered_json provenance_;
  ResultFiles files_;
  std::vector<CoverCase> cases_;
  bool complete_ = false;
};

/// The cases as RFC 4180 rows, one a repetition, under a header.
std::string to_csv(CoverExperiment const& experiment, std::span<CoverCase const> cases);

/// The tables at the end of a run: times, a row for each question and a column for each solver; and,
/// where counted, what the searches did.
std::string result_table(CoverExperiment const& experiment, std::span<CoverCase const> cases);

}  // namespace taper::app
