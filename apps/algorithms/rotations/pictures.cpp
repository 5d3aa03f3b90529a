// SPDX-License-Identifier: Apache-2.0
#include "pictures.hpp"

#include "results.hpp"

#include <experiment/columns.hpp>
#include <experiment/plot_lines.hpp>
#include <support/config_error.hpp>

#include <algorithm>

namespace taper::app {

Picture rotation_times_picture(std::filesystem::path const& file, std::uint64_t) {
  auto const stored = read_stored<RotationCase>(file);
  auto const engines = distinct(stored.cases, &RotationCase::engine);
  std::vector<Panel> panels;
  auto const family = [](RotationCase const& result) {
    return result.market.substr(0, result.market.rfind(", n = "));
  };
  for (auto const& cases : grouped_by(std::span<RotationCase const>(stored.cases), family)) {
    auto& panel = panels.emplace_back();
    panel.title = family(*cases.front());
    panel.axis = "n";
    for (auto const* result : cases) {
      panel.add(engines, result->engine,
                {static_cast<std::uint64_t>(result->n), median(result->runs),
                 std::ranges::min(result->runs), std::ranges::max(result->runs)});
    }
  }
  if (panels.empty()) {
    throw ConfigError("the results have no case");
  }
  return lines_picture(stored.heading(), engines, panels, "s");
}

}  // namespace taper::app
