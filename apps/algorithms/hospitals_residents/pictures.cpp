// SPDX-License-Identifier: Apache-2.0
#include "pictures.hpp"

#include "results.hpp"

#include <experiment/columns.hpp>
#include <experiment/plot_bars.hpp>
#include <experiment/plot_lines.hpp>
#include <support/config_error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace taper::app {

Picture market_times_picture(std::filesystem::path const& file, std::uint64_t) {
  auto const stored = read_stored<SparseMarketCase>(file);
  std::vector<BarPanel> panels;
  for (auto const& market :
       grouped_by(std::span<SparseMarketCase const>(stored.cases),
                  [](SparseMarketCase const& result) { return result.market; })) {
    auto& panel = panels.emplace_back();
    panel.title = market.front()->market;
    panel.axis = "ms";
    for (auto const* result : market) {
      double const seconds = median(result->runs);
      panel.bars.push_back(
          {result->engine, {1000 * seconds}, fmt::format("{:.3g}", 1000 * seconds)});
    }
  }
  if (panels.empty()) {
    throw ConfigError("the results have no case");
  }
  constexpr std::array parts{BarPart{"median time of a solve", "#4477aa"}};
  return bars_picture(stored.heading(), parts, panels);
}

Picture market_traffic_picture(std::filesystem::path const& file, std::uint64_t) {
  auto const stored = read_stored<SparseMarketCase>(file);
  std::vector<std::string> engines;
  for (auto const& result : stored.cases) {
    if (!result.traffic.empty() && std::ranges::find(engines, result.engine) == engines.end()) {
      engines.push_back(result.engine);
    }
  }
  if (engines.empty()) {
    throw ConfigError("the results are those of one process");
  }
  std::vector<Panel> panels;
  for (auto const& market :
       grouped_by(std::span<SparseMarketCase const>(stored.cases),
                  [](SparseMarketCase const& result) { return result.market; })) {
    auto& panel = panels.emplace_back();
    panel.title = market.front()->market;
    panel.axis = "round";
    panel.is_linear = true;
    for (auto const* result : market) {
      for (std::size_t round = 0; round < result->traffic.size(); ++round) {
        auto const bytes = static_cast<double>(result->traffic[round].bytes);
        panel.add(engines, result->engine, {round + 1, bytes, bytes, bytes});
      }
    }
  }
  return lines_picture(stored.heading(), engines, panels, "B");
}

}  // namespace taper::app
