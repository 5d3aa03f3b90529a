// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiment.hpp"

#include <experiment/case_results.hpp>
#include <experiment/columns.hpp>
#include <experiment/summary.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taper::app {

/// The measurements of one engine on one operation, and the check of its result.
struct MatmulCase {
  static constexpr std::string_view format = "taper-matmul-results-1";

  Operation operation = Operation::multiply;
  Extents extents;
  io::Scalar type = io::Scalar::float64;
  std::string engine;
  std::string backend;  ///< the backend that ran

  std::vector<double> runs;  ///< seconds, one per repetition
  matmul::Report report;     ///< of the last repetition
  Deviation deviation;       ///< of the worst repetition
  bool verified = false;
  std::string failure;  ///< why the result is wrong; empty if it is right

  bool same_case(MatmulCase const& other) const {
    return operation == other.operation && extents == other.extents && type == other.type &&
           engine == other.engine;
  }
  std::string subject() const;
  std::string const& task() const { return engine; }
  /// 1e9 floating-point operations of the definition per second, by the median time.
  double gflops() const;
  Times times() const { return times_of(engine, backend, runs); }
};

void to_json(nlohmann::ordered_json& json, MatmulCase const& result);
void from_json(nlohmann::ordered_json const& json, MatmulCase& result);

/// An RFC 4180 CSV: a header and a row per repetition.
std::string to_csv(MatmulExperiment const& experiment, std::span<MatmulCase const> cases);

/// The rows of `taper table`. Throws ConfigError if the file is no results.json of matmul.
std::vector<SummaryRow> summarize_products(std::filesystem::path const& file);

/// The table at the end of a run: a section per size and type, a row per engine.
std::string result_table(MatmulExperiment const& experiment, std::span<MatmulCase const> cases);

}  // namespace taper::app
