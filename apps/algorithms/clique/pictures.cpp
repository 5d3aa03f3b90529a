// SPDX-License-Identifier: Apache-2.0
#include "pictures.hpp"

#include "results.hpp"

#include <experiment/columns.hpp>
#include <experiment/plot_bars.hpp>
#include <support/config_error.hpp>
#include <support/text.hpp>

#include <fmt/format.h>

#include <array>

namespace taper::app {

Picture clique_times_picture(std::filesystem::path const& file, std::uint64_t) {
  auto const stored = read_stored<CliqueCase>(file);
  std::vector<BarPanel> panels;
  for (auto const& cases : grouped_by(std::span<CliqueCase const>(stored.cases),
                                      [](CliqueCase const& result) { return result.graph; })) {
    auto& panel = panels.emplace_back(BarPanel{cases.front()->graph, "s", {}});
    for (auto const* result : cases) {
      double const seconds = median(result->runs);
      panel.bars.push_back(
          {result->engine,
           {seconds},
           fmt::format("{}{}", result->solved() ? "" : ">", format_seconds(seconds))});
    }
  }
  if (panels.empty()) {
    throw ConfigError("the results have no case");
  }
  constexpr std::array parts{BarPart{"median time", palette.front()}};
  return bars_picture(stored.heading(), parts, panels);
}

}  // namespace taper::app
