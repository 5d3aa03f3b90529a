// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <experiment/picture.hpp>

#include <cstdint>
#include <filesystem>

namespace taper::app {

/// The median time of each engine: a panel per market, a bar per engine. `n` is not used. Throws
/// ConfigError if there is no case.
Picture market_times_picture(std::filesystem::path const& results, std::uint64_t n);

/// The bytes that processes sent to each other in each round, of each engine on each market. Throws
/// ConfigError if the cases ran in one process.
Picture market_traffic_picture(std::filesystem::path const& file, std::uint64_t n);

}  // namespace taper::app
