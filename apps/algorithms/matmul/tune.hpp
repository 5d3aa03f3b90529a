// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <driver/sampler.hpp>

#include <cstddef>

namespace taper::app {

/// Measures the best thresholds of the recursive engines (fork-join, Strassen, Winograd) with each
/// kernel on the host. Checks them at another size, and what Engine::automatic means.
void tune_matmul(Sampler& sampler);
/// The number of Sampler::begin() calls of tune_matmul().
std::size_t matmul_tune_steps();

}  // namespace taper::app
