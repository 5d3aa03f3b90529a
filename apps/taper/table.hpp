// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "results.hpp"

#include <span>
#include <string>
#include <vector>

namespace taper::app {

/// What the cases of one engine on one workload at one size say together, over seeds and
/// repetitions.
struct Summary {
  std::string engine;
  std::string backend;
  double median_seconds = 0;
  double min_seconds = 0;
  double max_seconds = 0;
  PhaseSeconds phase_medians;
  double generation_seconds = 0;  ///< median
  CaseResult const* last = nullptr;
  bool verified = true;
};

/// All engines on one workload at one size, in the order in which they ran.
struct SummaryGroup {
  std::string workload;
  std::uint64_t n = 0;
  std::vector<Summary> engines;

  Summary const* find(std::string_view engine) const;
};

std::vector<SummaryGroup> summarize(std::span<CaseResult const> cases);

/// Columns of text, the first `left` of them flush left, the others flush right, two blanks apart.
std::string align(std::span<std::vector<std::string> const> rows, std::size_t left);

/// The table at the end of a run.
std::string result_table(Experiment const& experiment, std::span<CaseResult const> cases);

}  // namespace taper::app
