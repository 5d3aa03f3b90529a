// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiment.hpp"

#include <experiment/case_results.hpp>
#include <experiment/summary.hpp>

#include <taper/clique/report.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taper::app {

/// The measurements of one engine on one graph, and the check of its answer.
struct CliqueCase {
  static constexpr std::string_view format = "taper-clique-results-1";

  std::string graph;
  std::string engine;
  std::string backend;  ///< a host backend

  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;
  std::vector<double> runs;  ///< seconds of the solve, one per repetition
  clique::Report report;     ///< of the last repetition
  bool verified = false;
  std::string failure;  ///< why the answer is wrong; empty if it is right

  bool solved() const { return report.status == Status::solved; }
  bool same_case(CliqueCase const& other) const {
    return graph == other.graph && engine == other.engine;
  }
  std::string const& subject() const { return graph; }
  std::string const& task() const { return engine; }
  /// "17", or "15..19" if the run was stopped.
  std::string answer_text() const;
};

void to_json(nlohmann::ordered_json& json, CliqueCase const& result);
void from_json(nlohmann::ordered_json const& json, CliqueCase& result);

/// An RFC 4180 CSV: a header and a row per repetition.
std::string to_csv(CliqueExperiment const& experiment, std::span<CliqueCase const> cases);

/// The rows of `taper table`. Throws ConfigError if the file is no results.json of clique.
std::vector<SummaryRow> summarize_cliques(std::filesystem::path const& file);

/// The table at the end of a run: a section per graph, a row per engine.
std::string result_table(CliqueExperiment const& experiment, std::span<CliqueCase const> cases);

}  // namespace taper::app
