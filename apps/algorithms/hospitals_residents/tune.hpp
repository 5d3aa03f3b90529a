// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <driver/sampler.hpp>

#include <cstddef>

namespace taper::app {

/// Checks how residents propose and when their tail begins. No number of the profile decides it.
void check_residents(Sampler& sampler);
/// The number of Sampler::begin() calls of check_residents().
std::size_t residents_check_steps();

}  // namespace taper::app
