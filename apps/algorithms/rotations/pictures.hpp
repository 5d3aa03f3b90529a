// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <experiment/picture.hpp>

#include <cstdint>
#include <filesystem>

namespace taper::app {

/// Time over the size: a panel per family of markets, a line per engine. `n` is not used. Throws
/// ConfigError if there is no case.
Picture rotation_times_picture(std::filesystem::path const& results, std::uint64_t n);

}  // namespace taper::app
