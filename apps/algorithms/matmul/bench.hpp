// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matmul_experiment.hpp"

namespace taper::app {

/// run_experiment() for `algorithm: matmul`; the same promises and exit statuses.
int run_matmul_experiment(MatmulExperiment experiment, bool resume);

}  // namespace taper::app
