// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace taper::stable_marriage {

/// The maximum number of shards of an instance. In a header of its own, since the readers of
/// experiments include no Kokkos.
inline constexpr std::uint32_t max_shards = 8;

}  // namespace taper::stable_marriage
