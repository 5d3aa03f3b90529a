// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rotation_market.hpp"

#include <taper/rotations/market.hpp>

#include <cstdint>
#include <vector>

namespace taper::app {

/// A generated market.
struct GeneratedMarket {
  std::vector<std::int64_t> offsets;  ///< of both sides
  std::vector<std::int32_t> men;
  std::vector<std::int32_t> women;

  rotations::Market view() const { return {{offsets, men}, {offsets, women}}; }
};

/// The same market on every machine.
GeneratedMarket generate_market(RotationMarket const& market);

}  // namespace taper::app
