// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace taper {

/// The most devices that share a table.
inline constexpr std::uint32_t max_shards = 8;

}  // namespace taper
