// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "results.hpp"

#include <experiment/columns.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace taper::app {

/// The cases of one engine on one workload at one size, summarised over seeds and repetitions.
struct Summary : Times {
  PhaseSeconds phase_medians;
  std::uint64_t proposals = 0;                     ///< median
  std::optional<std::uint64_t> atomic_operations;  ///< median, if all runs counted them
  bool verified = true;
};

/// All engines on one workload at one size, in the order of their runs.
struct SummaryGroup {
  std::string workload;
  std::uint64_t n = 0;
  std::vector<Summary> engines;

  Summary const* find(std::string_view engine) const;
  /// Whether an engine copied tables from host memory.
  bool copies() const;
};

/// The summaries of the cases, in the order of the runs.
std::vector<SummaryGroup> summarize(std::span<MarriageCase const> cases);

/// The table at the end of a run.
std::string result_table(MarriageExperiment const& experiment, std::span<MarriageCase const> cases);

}  // namespace taper::app
