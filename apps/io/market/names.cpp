// SPDX-License-Identifier: Apache-2.0
#include <io/market/names.hpp>
#include <io/text/strings.hpp>

#include <nlohmann/json.hpp>

namespace taper::io {

std::string json_string(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string title_of(Market const& market, Side const& side) {
  if (market.men.title.empty() || market.women.title.empty() ||
      market.men.title == market.women.title)
    return &side == &market.men ? "men" : "women";
  return printable(side.title);
}

std::vector<std::string> names_of(Market const& market, Side const& side) {
  if (!side.names.empty())
    return side.names;
  std::vector<std::string> names(market.size());
  for (std::uint32_t id = 0; id < names.size(); ++id)
    names[id] = market.name_of(side, id);
  return names;
}

std::string title_of(SparseMarket const& market, Agents const& side) {
  if (market.first.title.empty() || market.second.title.empty() ||
      market.first.title == market.second.title)
    return &side == &market.first ? "residents" : "hospitals";
  return printable(side.title);
}

std::vector<std::string> names_of(SparseMarket const& market, Agents const& side) {
  if (!side.names.empty())
    return side.names;
  std::vector<std::string> names(side.count);
  for (std::uint32_t id = 0; id < names.size(); ++id)
    names[id] = market.name_of(side, id);
  return names;
}

}  // namespace taper::io
