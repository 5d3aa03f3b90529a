// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiment.hpp"

#include <experiment/case_results.hpp>
#include <experiment/summary.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taper::app {

/// The weight of a cover, and a proven bound.
struct CoverWeight {
  std::int64_t found = 0;
  std::int64_t lower_bound = 0;
};

/// The measurements of one solver on one question about one graph, and the check of its answer.
struct CoverCase {
  static constexpr std::string_view format = "taper-cover-results-1";

  std::string graph;
  std::int64_t k = -1;  ///< -1: a minimum cover
  std::string solver;
  std::string backend;  ///< the backend that ran
  int threads = 0;      ///< of this backend; 0: all

  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;  ///< different edges, without loops
  double read_seconds = 0;  ///< to read or generate the graph, and to build the problem

  std::vector<double> runs;     ///< seconds of the solve, one per repetition
  vertex_cover::Report report;  ///< of the last repetition
  /// Of the last repetition, if the graph has weights; report.lower_bound is 0 then.
  std::optional<CoverWeight> weight;
  /// Shares of the workers' time per activity, if they were counted.
  std::vector<std::pair<std::string, double>> activities;
  bool verified = false;
  std::string failure;  ///< why the answer is wrong; empty if it is right

  bool solved() const { return report.status == Status::solved; }
  bool same_case(CoverCase const& other) const {
    return graph == other.graph && k == other.k && solver == other.solver;
  }
  std::string const& subject() const { return graph; }
  std::string task() const { return question_label(k) + ", " + solver; }
};

void to_json(nlohmann::ordered_json& json, CoverCase const& result);
void from_json(nlohmann::ordered_json const& json, CoverCase& result);

/// "2,651", or "yes" or "no" for a k; "2,640..2,651" if the run was stopped. With weights: weights.
std::string answer_label(CoverCase const& result);

/// An RFC 4180 CSV: a header and a row per repetition.
std::string to_csv(CoverExperiment const& experiment, std::span<CoverCase const> cases);

/// The rows of `taper table`. Throws ConfigError if the file is no results.json of vertex_cover.
std::vector<SummaryRow> summarize_covers(std::filesystem::path const& file);

/// The tables of `taper table --details`: the speedup of the solver `published` over each other one
/// (Tables I and V of its paper); the search nodes and branches on components (Table III); the
/// memory of the searches (Table IV); the shares of the time per activity (Figure 4), if counted.
/// Throws as summarize_covers().
std::string cover_details(std::filesystem::path const& file);

/// The tables at the end of a run: the times, with a row per question and a column per solver; and
/// the counters and the memory of the searches, if they were counted.
std::string result_table(CoverExperiment const& experiment, std::span<CoverCase const> cases);

}  // namespace taper::app
