// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <experiment/picture.hpp>

#include <cstdint>
#include <filesystem>

namespace taper::app {

/// Nodes per second over workers: a panel per tree, a line per engine. The engines "pool x1" and
/// "pool x2" are points of one line. `n` is not used. Throws ConfigError if there is no case.
Picture rates_picture(std::filesystem::path const& results, std::uint64_t n);

}  // namespace taper::app
