// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace taper {

/// How a front door's run ended. Arguments that do not fit are no status: they throw taper::Error.
enum class Status { solved, stopped };

/// The two sides of a place. A plain instance has only a device side.
enum class Side { none, device, host };

constexpr std::string_view to_string(Side side) {
  switch (side) {
  case Side::none:
    return "none";
  case Side::device:
    return "device";
  case Side::host:
    return "host";
  }
  return "?";
}

/// One change of side during a hybrid run.
struct Migration {
  Side from = Side::none;
  Side to = Side::none;
  std::uint64_t live = 0;  ///< workers that were still at it, and went along
  std::uint64_t bytes_moved =
      0;  ///< bytes copied between memory spaces, both ways; 0 where they coincide
};

}  // namespace taper
