// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiment.hpp"

#include <experiment/case_results.hpp>
#include <experiment/summary.hpp>

#include <taper/rotations/report.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taper::app {

/// The measurements of one engine on one market, and the check of its answer.
struct RotationCase {
  static constexpr std::string_view format = "taper-rotation-results-1";

  std::string market;
  std::int64_t n = 0;
  std::string engine;
  std::string backend;  ///< host

  std::vector<double> runs;  ///< seconds from the lists to the answer, one per repetition
  rotations::Report report;
  std::uint64_t answer = 0;  ///< the number of rotations or matchings, or the least value
  bool proved = true;        ///< false: the limit was reached
  bool verified = false;
  std::string failure;  ///< why the answer is wrong; empty if it is right

  bool same_case(RotationCase const& other) const {
    return market == other.market && engine == other.engine;
  }
  std::string const& subject() const { return market; }
  std::string const& task() const { return engine; }
  /// The answer for a table: "at most 12" if it is not proved to be the least.
  std::string answer_text() const;
};

void to_json(nlohmann::ordered_json& json, RotationCase const& result);
void from_json(nlohmann::ordered_json const& json, RotationCase& result);

/// An RFC 4180 CSV: a header and a row per repetition.
std::string to_csv(RotationExperiment const& experiment, std::span<RotationCase const> cases);

/// The rows of `taper table`. Throws ConfigError if the file is no results.json of rotations.
std::vector<SummaryRow> summarize_rotations(std::filesystem::path const& file);

/// The table at the end of a run: a section per market, a row per engine.
std::string result_table(RotationExperiment const& experiment, std::span<RotationCase const> cases);

}  // namespace taper::app
