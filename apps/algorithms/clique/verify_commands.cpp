// SPDX-License-Identifier: Apache-2.0
#include "answer.hpp"
#include "commands.hpp"

#include <algorithms/vertex_cover/graph_options.hpp>
#include <algorithms/vertex_cover/weight_options.hpp>
#include <driver/cli_options.hpp>
#include <support/text.hpp>

#include <io/graph/cover.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace taper::app {
namespace {

struct VerifySetArguments {
  GraphArguments graph;
  WeightArguments weights;
  std::filesystem::path set;
  std::size_t limit = 10;
};

int run_verify_set(SetKind const& kind, VerifySetArguments const& arguments) {
  arguments.weights.inputs_with({arguments.graph.file, arguments.set});
  auto file = arguments.graph.read(arguments.weights.in_graph_file());
  auto const weights = arguments.weights.read(file);
  auto const problem =
      make_cover_problem(file, &kind == &clique_kind ? SelfLoops::drop : arguments.graph.loops());
  auto const marks = io::read_vertex_set(arguments.set, file, kind.word);
  auto const faults = find_faults(kind, problem, marks, arguments.limit);
  if (faults.count == 0) {
    fmt::print("{}: {} of {}{}; {}\n", kind.name,
               io::grouped(static_cast<std::uint64_t>(std::ranges::count(marks, 1))),
               vertices_text(problem.vertices()),
               weights.empty()
                   ? std::string{}
                   : fmt::format(", weight {}", io::grouped(static_cast<std::uint64_t>(
                                                    clique::weight_of(weights, marks)))),
               kind.property);
    return 0;
  }
  fmt::print("not {}: it has {} {}\n", kind.name, counted(faults.count, "pair", "pairs"),
             kind.faults);
  for (auto const& [u, v] : faults.pairs) {
    fmt::print("  {} - {}\n", file.names.of(u), file.names.of(v));
  }
  if (faults.pairs.size() < faults.count) {
    fmt::print("  and {} more (--limit)\n", io::grouped(faults.count - faults.pairs.size()));
  }
  return 1;
}

Command add_verify(CLI::App* command, SetKind const& kind, std::string const& writer) {
  auto arguments = std::make_shared<VerifySetArguments>();
  arguments->graph.add_options(*command);
  if (&kind != &clique_kind) {
    arguments->graph.add_self_loops(*command, "out of the set");
  }
  add_positional(*command, "SET", arguments->set,
                 fmt::format("the vertices as `taper {}` writes them, or one per line", writer));
  arguments->weights.add_option(*command);
  add_limit(*command, arguments->limit, "pairs");
  command->footer(fmt::format("Example:\n"
                              "  taper {0} graph.clq -o graph.{1} && taper verify {0} graph.clq "
                              "graph.{1}",
                              writer, kind.word));
  return {command, [arguments, &kind] { return run_verify_set(kind, *arguments); }};
}

}  // namespace

Command add_verify_clique(CLI::App& verify) {
  return add_verify(verify.add_subcommand("clique", "check whether a set of vertices is a clique, "
                                                    "and print the pairs that are not adjacent"),
                    clique_kind, "clique");
}

Command add_verify_independent_set(CLI::App& verify) {
  return add_verify(verify.add_subcommand("independent-set",
                                          "check whether a set of vertices is independent, and "
                                          "print the pairs that are adjacent"),
                    independent_set_kind, "independent-set");
}

}  // namespace taper::app
