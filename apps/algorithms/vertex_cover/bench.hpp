// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cover_experiment.hpp"

namespace taper::app {

/// run_experiment() for `algorithm: vertex_cover`; the same promises and exit statuses.
int run_cover_experiment(CoverExperiment experiment, bool resume);

}  // namespace taper::app
