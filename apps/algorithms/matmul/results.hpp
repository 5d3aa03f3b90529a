// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "case_results.hpp"
#include "columns.hpp"
#include "matmul_experiment.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taper::app {

/// One engine on one operation: what was measured, and whether the result was right.
struct MatmulCase {
  static constexpr std::string_view format = "taper-matmul-results-1";

  Operation operation = Operation::multiply;
  Extents extents;
  io::Scalar type = io::Scalar::float64;
  std::string engine;
  std::string backend;  ///< the one that ran

  std::vector<double> runs;  ///< seconds, one a repetition
  matmul::Report report;     ///< of the last repetition
  Deviation deviation;       ///< of the worst repetition
  bool verified = false;
  std::string failure;  ///< why the result is wrong; empty where it is not

  bool same_case(MatmulCase const& other) const {
    return operation == other.operation && extents == other.extents && type == other.type &&
           engine == other.engine;
  }
  std::string subject() const;
  std::string const& task() const { return engine; }
  /// Floating-point operations of the definition, in 1e9 a second of the median.
  double gflops() const;
  Times times() const { return times_of(engine, backend, runs); }
};

void to_json(nlohmann::ordered_json& json, MatmulCase const& result);
void from_json(nlohmann::ordered_json const& json, MatmulCase& result);

/// The cases as RFC 4180 rows, one a repetition, under a header.
std::string to_csv(MatmulExperiment const& experiment, std::span<MatmulCase const> cases);

/// The table at the end of a run: a section for each size and type, a row for each engine.
std::string result_table(MatmulExperiment const& experiment, std::span<MatmulCase const> cases);

}  // namespace taper::app
