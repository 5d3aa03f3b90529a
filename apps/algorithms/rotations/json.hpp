// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/preferences/lists.hpp>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace taper::app {

/// An object from each name to the partner's, or to null.
inline nlohmann::ordered_json partners_json(std::span<std::string const> names,
                                            std::span<std::string const> partner_names,
                                            std::span<std::int32_t const> partners) {
  auto json = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto& partner = json[names[i]];
    if (partners[i] != preferences::no_partner) {
      partner = partner_names[static_cast<std::size_t>(partners[i])];
    }
  }
  return json;
}

}  // namespace taper::app
