// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <driver/sampler.hpp>

#include <cstddef>

namespace taper::app {

/// Measures launches, acceptances, rejections, copies, the number of proposers that is worth one
/// more host thread, and the number of threads that are of use. Then checks what hybrid chooses.
/// `taper tune` runs it first.
void tune_stable_marriage(Sampler& sampler);
/// The number of Sampler::begin() calls of tune_stable_marriage().
std::size_t stable_marriage_tune_steps();

// The parts of it that include Kokkos.
void measure_host_costs(Sampler& sampler);    // 2 steps
void measure_device_costs(Sampler& sampler);  // 3 steps; only if there is a device

}  // namespace taper::app
