// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/enum_names.hpp>

#include <array>

namespace taper::hospitals_residents {

/// Which pairs block a matching if there are ties (Irving, Manlove and Scott 2000). Without ties
/// the three are the same.
enum class Stability {
  weak,    ///< both prefer each other
  strong,  ///< one prefers the other, which does not prefer what it has
  super,   ///< neither prefers what it has
};

constexpr auto enum_names(Stability) {
  return std::array{EnumName{"weak", Stability::weak}, EnumName{"strong", Stability::strong},
                    EnumName{"super", Stability::super}};
}

}  // namespace taper::hospitals_residents
