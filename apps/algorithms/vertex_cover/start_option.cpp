// SPDX-License-Identifier: Apache-2.0
#include "start_option.hpp"

#include <support/config_error.hpp>
#include <support/text.hpp>

#include <io/graph/cover.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>

namespace taper::app {

void StartArgument::add_option(CLI::App& command, std::string const& solution) {
  command
      .add_option(
          "--start", file,
          fmt::format("begin with {} of the graph, in a file as this command writes it: the "
                      "answer is at least as good",
                      solution))
      ->type_name("FILE");
}

std::vector<std::filesystem::path>
StartArgument::with(std::vector<std::filesystem::path> inputs) const {
  if (given()) {
    inputs.push_back(file);
  }
  return inputs;
}

std::vector<std::uint8_t> StartArgument::read_cover(io::GraphFile const& graph) const {
  if (!given()) {
    return {};
  }
  auto marks = io::read_cover(file, graph);
  if (auto const uncovered = io::find_uncovered(graph, marks, 1); uncovered.count > 0) {
    auto const& [u, v] = uncovered.edges.front();
    throw ConfigError(fmt::format("--start {}: not a vertex cover: it misses {}, first {} - {}",
                                  file.string(), counted(uncovered.count, "edge", "edges"),
                                  graph.names.of(u), graph.names.of(v)));
  }
  return marks;
}

}  // namespace taper::app
