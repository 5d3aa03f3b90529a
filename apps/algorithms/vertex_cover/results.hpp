// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "case_results.hpp"
#include "cover_experiment.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taper::app {

/// One solver on one question about one graph: what was measured, and whether the answer was right.
struct CoverCase {
  static constexpr std::string_view format = "taper-cover-results-1";

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
  std::string const& subject() const { return graph; }
  std::string task() const { return question_label(k) + ", " + solver; }
};

void to_json(nlohmann::ordered_json& json, CoverCase const& result);
void from_json(nlohmann::ordered_json const& json, CoverCase& result);

/// "2,651", "yes" or "no" to a k, or "2,640..2,651" where the run was stopped.
std::string answer_label(CoverCase const& result);

/// The cases as RFC 4180 rows, one a repetition, under a header.
std::string to_csv(CoverExperiment const& experiment, std::span<CoverCase const> cases);

/// The tables at the end of a run: times, a row for each question and a column for each solver; and,
/// where counted, what the searches did.
std::string result_table(CoverExperiment const& experiment, std::span<CoverCase const> cases);

}  // namespace taper::app
