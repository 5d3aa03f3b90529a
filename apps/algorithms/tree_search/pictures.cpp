// SPDX-License-Identifier: Apache-2.0
#include "pictures.hpp"

#include "results.hpp"

#include <experiment/columns.hpp>
#include <experiment/plot_lines.hpp>
#include <support/config_error.hpp>

#include <algorithm>

namespace taper::app {
namespace {

/// The engine without its number of threads: "pool" for "pool x4".
std::string series_of(TreeCase const& result) {
  auto const at = result.engine.rfind(" x");
  bool const has_threads =
      at != std::string::npos &&
      result.engine.find_first_not_of("0123456789", at + 2) == std::string::npos;
  return has_threads ? result.engine.substr(0, at) : result.engine;
}

}  // namespace

Picture rates_picture(std::filesystem::path const& file, std::uint64_t) {
  auto const stored = read_stored<TreeCase>(file);
  auto const engines = distinct(stored.cases, series_of);
  std::vector<Panel> panels;
  for (auto const& tree : grouped_by(std::span<TreeCase const>(stored.cases),
                                     [](TreeCase const& result) { return result.tree; })) {
    auto& panel = panels.emplace_back();
    panel.title = tree.front()->tree;
    panel.axis = "workers";
    for (auto const* result : tree) {
      auto const nodes = static_cast<double>(result->report.nodes);
      panel.add(engines, series_of(*result),
                {result->report.workers, result->nodes_per_second(),
                 nodes / std::ranges::max(result->runs), nodes / std::ranges::min(result->runs)});
    }
  }
  if (panels.empty()) {
    throw ConfigError("the results have no case");
  }
  return lines_picture(stored.heading(), engines, panels, "nodes/s");
}

}  // namespace taper::app
