// SPDX-License-Identifier: Apache-2.0
#include "weight_options.hpp"

#include <support/config_error.hpp>

#include <io/graph/weights.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace taper::app {

void WeightArguments::add_option(CLI::App& command) {
  command
      .add_option("--weights", source,
                  "weights of vertices, whole numbers from 0: unit, all are 1 (default); file, "
                  "those in the graph's file (DIMACS lines 'n VERTEX WEIGHT', METIS); or the name "
                  "of a file with a line 'VERTEX WEIGHT' for each vertex")
      ->type_name("SOURCE");
}

std::vector<std::filesystem::path>
WeightArguments::inputs_with(std::vector<std::filesystem::path> others) const {
  if (given() && !in_graph_file()) {
    others.emplace_back(source);
  }
  if (std::ranges::count(others, std::filesystem::path("-")) > 1) {
    throw ConfigError("only one of the files that are read can be '-', the standard input");
  }
  return others;
}

void require_weights(std::vector<clique::Weight> const& weights, io::GraphFile const& file,
                     std::string const& source) {
  auto const fault = clique::find_fault(weights);
  if (!fault) {
    return;
  }
  auto const vertex = file.names.of(static_cast<io::Vertex>(fault->vertex));
  if (fault->kind == clique::WeightFault::Kind::negative) {
    throw ConfigError(fmt::format("{}: the weight of vertex {} is {}; allowed are whole numbers "
                                  "from 0",
                                  source, io::in_quotes(vertex), weights[fault->vertex]));
  }
  throw ConfigError(fmt::format("{}: the weights have a sum above {}, the most that is allowed",
                                source, clique::max_weight_sum));
}

std::vector<clique::Weight> WeightArguments::read(io::GraphFile const& file) const {
  if (!given()) {
    return {};
  }
  if (in_graph_file() && file.weights.empty() && file.vertices > 0) {
    throw ConfigError(
        fmt::format("--weights file: {} ({}) has no weights of vertices; DIMACS lines "
                    "'n VERTEX WEIGHT' and METIS files with weights have them",
                    file.file, io::describe(file.format)));
  }
  auto weights = in_graph_file() ? file.weights : io::read_weights(source, file);
  require_weights(weights, file, in_graph_file() ? file.file : source);
  return weights;
}

}  // namespace taper::app
