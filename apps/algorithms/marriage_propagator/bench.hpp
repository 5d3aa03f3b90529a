// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "propagator_experiment.hpp"

namespace taper::app {

/// run_experiment() for `algorithm: marriage_propagator`; the same promises and exit statuses.
int run_propagator_experiment(PropagatorExperiment experiment, bool resume);

}  // namespace taper::app
