// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/market/market.hpp>
#include <io/market/sparse_market.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace taper::io {

/// `text` as a JSON string with quotes. It is valid YAML too.
std::string json_string(std::string_view text);

/// The title of `side`, which must be a side of `market`, printable; "men" or "women" if the titles
/// are empty or equal.
std::string title_of(Market const& market, Side const& side);

/// The name or number in the market's file of each person of `side`.
std::vector<std::string> names_of(Market const& market, Side const& side);

/// The title of a side of a sparse market, printable; "residents" or "hospitals" if the titles are
/// empty or equal.
std::string title_of(SparseMarket const& market, Agents const& side);

/// The name or number in the market's file of each agent of `side`.
std::vector<std::string> names_of(SparseMarket const& market, Agents const& side);

}  // namespace taper::io
