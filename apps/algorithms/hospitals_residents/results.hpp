// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiment.hpp"

#include <experiment/case_results.hpp>
#include <experiment/summary.hpp>

#include <taper/hospitals_residents/distributed/report.hpp>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taper::app {

/// The measurements of one engine on one market, and the check of its matching.
struct SparseMarketCase {
  static constexpr std::string_view format = "taper-hospitals-residents-results-1";

  std::string market;
  std::string engine;
  std::string backend;  ///< the backend that ran
  std::uint64_t residents = 0;
  std::uint64_t entries = 0;

  std::vector<double> runs;            ///< seconds of a solve, one per repetition
  hospitals_residents::Report report;  ///< of the last repetition
  /// What its processes sent to each other, per round; none if it was one.
  std::vector<hospitals_residents::RoundTraffic> traffic;
  bool verified = false;
  std::string failure;  ///< why the matching is wrong; empty if it is right

  bool same_case(SparseMarketCase const& other) const {
    return market == other.market && engine == other.engine;
  }
  std::string const& subject() const { return market; }
  std::string const& task() const { return engine; }
};

void to_json(nlohmann::ordered_json& json, SparseMarketCase const& result);
void from_json(nlohmann::ordered_json const& json, SparseMarketCase& result);

/// An RFC 4180 CSV: a header and a row per repetition.
std::string to_csv(SparseMarketExperiment const& experiment,
                   std::span<SparseMarketCase const> cases);

/// The rows of `taper table`. Throws ConfigError if the file is no results.json of
/// hospitals_residents.
std::vector<SummaryRow> summarize_sparse_markets(std::filesystem::path const& file);

/// The table at the end of a run: a section per market, a row per engine.
std::string result_table(SparseMarketExperiment const& experiment,
                         std::span<SparseMarketCase const> cases);

}  // namespace taper::app
