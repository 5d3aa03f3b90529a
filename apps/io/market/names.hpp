// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/market.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace taper::io {

/// `text` as a JSON string, in its quotes: the same in YAML.
std::string json_string(std::string_view text);

/// The title of `side`, a side of `market`; "men" or "women" where the titles do not tell the sides
/// apart.
std::string title_of(Market const& market, Side const& side);

/// What the market's file calls each person of `side`.
std::vector<std::string> names_of(Market const& market, Side const& side);

}  // namespace taper::io
