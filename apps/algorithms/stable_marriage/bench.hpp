// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiment.hpp"

namespace taper::app {

/// Runs all cases that the results' folder does not hold yet, with progress on stderr and a table
/// on stdout. Requires a started Runtime. Returns the exit status: 0, or 1 where an answer was
/// wrong or Ctrl-C stopped it.
int run_experiment(Experiment experiment, bool resume);

}  // namespace taper::app
