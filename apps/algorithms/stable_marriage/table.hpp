// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "columns.hpp"
#include "results.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace taper::app {

/// What the cases of one engine on one workload at one size say together, over seeds and
/// repetitions.
struct Summary : Times {
  PhaseSeconds phase_medians;
  std::uint64_t proposals = 0;                     ///< median, as the next one
  std::optional<std::uint64_t> atomic_operations;  ///< where all runs counted them
  bool verified = true;
};

/// All engines on one workload at one size, in the order in which they ran.
struct SummaryGroup {
  std::string workload;
  std::uint64_t n = 0;
  std::vector<Summary> engines;

  Summary const* find(std::string_view engine) const;
  /// Whether an engine had tables to copy from the host's memory.
  bool copies() const;
};

std::vector<SummaryGroup> summarize(std::span<CaseResult const> cases);

/// The table at the end of a run.
std::string result_table(Experiment const& experiment, std::span<CaseResult const> cases);

}  // namespace taper::app
