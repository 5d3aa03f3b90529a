// SPDX-License-Identifier: Apache-2.0
#include "pictures.hpp"

#include "results.hpp"

#include <experiment/columns.hpp>
#include <experiment/plot_bars.hpp>
#include <support/config_error.hpp>

#include <fmt/format.h>

#include <array>
#include <span>
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

}  // namespace taper::app
