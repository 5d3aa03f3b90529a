// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "graph_options.hpp"
#include "weight_options.hpp"

#include <driver/cli_options.hpp>
#include <support/text.hpp>

#include <io/graph/cover.hpp>
#include <io/text/strings.hpp>

#include <taper/clique/verify.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace taper::app {
namespace {

struct VerifyArguments {
  GraphArguments graph;
  WeightArguments weights;
  std::filesystem::path cover;
  std::size_t limit = 10;
};

int execute(VerifyArguments const& arguments) {
  arguments.weights.inputs_with({arguments.graph.file, arguments.cover});
  auto file = arguments.graph.read(arguments.weights.in_graph_file());
  auto const weights = arguments.weights.read(file);
  auto const problem = make_cover_problem(file, arguments.graph.loops());
  auto const in_cover = io::read_cover(arguments.cover, file);
  auto const uncovered = io::find_uncovered(file, in_cover, arguments.limit);
  if (uncovered.count == 0) {
    fmt::print(
        "a vertex cover: {} of {} vertices{} cover all {}\n",
        io::grouped(static_cast<std::uint64_t>(std::ranges::count(in_cover, 1))),
        io::grouped(file.vertices),
        weights.empty() ? std::string{}
                        : fmt::format(", weight {},", io::grouped(static_cast<std::uint64_t>(
                                                          clique::weight_of(weights, in_cover)))),
        counted(problem.edges + (arguments.graph.loops() == SelfLoops::drop ? 0 : problem.loops),
                "edge", "edges"));
    return 0;
  }
  fmt::print("not a vertex cover: it misses {}\n", counted(uncovered.count, "edge", "edges"));
  for (auto const& [u, v] : uncovered.edges) {
    fmt::print("  {} - {}\n", file.names.of(u), file.names.of(v));
  }
  if (uncovered.edges.size() < uncovered.count) {
    fmt::print("  and {} more (--limit)\n", io::grouped(uncovered.count - uncovered.edges.size()));
  }
  return 1;
}

}  // namespace

Command add_verify_cover(CLI::App& verify) {
  auto* command = verify.add_subcommand(
      "cover",
      "check whether a set of vertices covers a graph, and print the edges that it misses");
  auto arguments = std::make_shared<VerifyArguments>();
  arguments->graph.add_options(*command);
  arguments->graph.add_self_loops(*command, "into the cover");
  add_positional(*command, "COVER", arguments->cover,
                 "the vertices as `taper cover` writes them, or one per line");
  arguments->weights.add_option(*command);
  add_limit(*command, arguments->limit, "edges");
  command->footer(
      "Example:\n"
      "  taper cover graph.gr -o graph.cover && taper verify cover graph.gr graph.cover");
  return {command, [arguments] { return execute(*arguments); }};
}

}  // namespace taper::app
