// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <driver/sampler.hpp>

#include <cstddef>

namespace taper::app {

/// Measures the thresholds above which a parallel call of the propagator is faster than a serial
/// one.
void tune_propagator(Sampler& sampler);
/// The number of Sampler::begin() calls of tune_propagator().
std::size_t propagator_tune_steps();

}  // namespace taper::app
