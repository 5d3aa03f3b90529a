// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <experiment/picture.hpp>

#include <cstdint>
#include <filesystem>

namespace taper::app {

/// Bars of the median times: a panel per graph, a bar per engine. `n` is not used. Throws
/// ConfigError if there is no case.
Picture clique_times_picture(std::filesystem::path const& results, std::uint64_t n);

}  // namespace taper::app
