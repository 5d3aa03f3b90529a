// SPDX-License-Identifier: Apache-2.0
#include "answer.hpp"
#include "commands.hpp"

#include <algorithms/vertex_cover/graph_options.hpp>
#include <algorithms/vertex_cover/process_work.hpp>
#include <algorithms/vertex_cover/search_watch.hpp>
#include <algorithms/vertex_cover/weight_options.hpp>
#include <algorithms/vertex_cover/weighted_set.hpp>
#include <driver/cli_options.hpp>
#include <driver/output.hpp>
#include <mpi/cover.hpp>
#include <mpi/processes.hpp>
#include <support/config_error.hpp>
#include <support/interrupt.hpp>
#include <support/runtime.hpp>
#include <support/text.hpp>

#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace taper::app {
namespace {

struct IndependentSetArguments {
  GraphArguments graph;
  WeightArguments weights;
  StartArgument start;
  AllArgument all;
  bool heuristic = false;
  double time_limit_s = 0;
  std::filesystem::path output;
  int threads = 0;
};

/// A set and what the search for it did.
struct Answer {
  FoundSet found;
  std::string search;
  double seconds = 0;
};

/// All vertices but a minimum vertex cover.
Answer solve_as_cover(CoverProblem const& problem, independent_set::Options const& limits) {
  auto const backend = require_backend("host");
  auto const start = vertex_cover::complement_of(limits.start);
  vertex_cover::Options options;
  options.time_limit_s = limits.time_limit_s;
  options.heuristic = limits.heuristic;
  options.start = start;
  options.stop = &Interrupt::flag();
  vertex_cover::Progress progress;
  options.progress = &progress;
  auto solved = [&] {
    SearchWatch const watch(progress.nodes, [&] {
      auto const free = problem.vertices() - problem.forced.size();
      auto const best = progress.best.load(std::memory_order_relaxed);
      return (best == vertex_cover::Progress::unknown
                  ? std::string{}
                  : fmt::format("  best {}", io::grouped(free - best))) +
             fmt::format("  at most {}",
                         io::grouped(free - progress.lower_bound.load(std::memory_order_relaxed)));
    });
    return processes().count > 1 ? solve_cover_together(problem, options)
                                 : solve_cover(backend, 0, problem, options);
  }();
  auto const& report = solved.report;
  auto const n = problem.vertices();
  auto const place = solved.processes.empty()
                         ? fmt::format("on {}", backend)
                         : fmt::format("in {} processes", solved.processes.size());
  return {{report.status, vertex_cover::complement_of(solved.in_cover),
           static_cast<std::int64_t>(n - report.cover_size),
           static_cast<std::int64_t>(n - report.lower_bound)},
          fmt::format("for a vertex cover {}: reduced graph of {} and {}, {} in {}{}", place,
                      vertices_text(report.kernel_vertices),
                      counted(report.kernel_edges, "edge", "edges"),
                      counted(report.nodes, "node", "nodes"), format_seconds(solved.seconds),
                      lines_of_work(solved.processes)),
          solved.seconds};
}

Answer solve_with_weights(CoverProblem const& problem, std::vector<clique::Weight> const& weights,
                          independent_set::Options const& options) {
  auto solved = watched_solve_weighted_set(problem, weights, options);
  auto const& report = solved.report;
  return {{report.status, std::move(solved.in_set), report.set_weight, report.upper_bound},
          search_text(solved),
          solved.seconds};
}

int run_independent_set(IndependentSetArguments const& arguments, CLI::App const& command,
                        Runtime& runtime) {
  for (auto const* const option : {"--weights", "--all", "--threads"}) {
    reject_with_processes(command, option);
  }
  arguments.graph.require_file();
  auto const inputs = arguments.weights.inputs_with(arguments.start.with({arguments.graph.file}));
  io::GraphFile file;
  std::vector<clique::Weight> weights;
  CoverProblem problem;
  std::vector<std::uint8_t> start;
  std::optional<Output> output;
  together([&] {
    file = arguments.graph.read(arguments.weights.in_graph_file());
    weights = arguments.weights.read(file);
    problem = make_cover_problem(file, arguments.graph.loops());
    require_search_memory(problem, vertex_cover::Mode::taper);
    print_notes(cover_problem_notes(problem, file, arguments.graph.loops(), "--self-loops drop"));
    start = read_start(independent_set_kind, arguments.start, file, problem);
    output.emplace(processes().own == 0 ? arguments.output : "-", inputs);
  });
  Interrupt const interrupt;
  if (processes().count == 1) {  // each of several has one thread
    runtime.start(arguments.threads);
  }
  independent_set::Options options;
  options.time_limit_s = arguments.time_limit_s;
  options.heuristic = arguments.heuristic;
  options.start = start;
  auto const answer = arguments.weights.given() ? solve_with_weights(problem, weights, options)
                                                : solve_as_cover(problem, options);
  auto const find_all = [&] {
    return find_all_sets(problem, weights, answer.found.weight, arguments.all.wanted(),
                         AllArgument::time_left(arguments.time_limit_s, answer.seconds));
  };
  auto const status = write_set(independent_set_kind, file, problem, weights, answer.found,
                                answer.search, arguments.all, find_all, *output);
  note_heuristic(arguments.heuristic, answer.found.status);
  return status;
}

}  // namespace

Command add_independent_set(CLI::App& app, Runtime& runtime) {
  auto* command =
      app.add_subcommand("independent-set", "find a maximum independent set of a graph in a file");
  auto arguments = std::make_shared<IndependentSetArguments>();
  arguments->graph.add_options(*command);
  arguments->graph.add_self_loops(*command, "out of the set");
  arguments->weights.add_option(*command);
  arguments->start.add_option(*command, "an independent set");
  arguments->all.add_option(*command, "maximum independent sets");
  add_heuristic(*command, arguments->heuristic, "set");
  add_checked(*command, "--time-limit", arguments->time_limit_s, real_in(0.001, 1e9), "S",
              "stop after S seconds with the best set and an upper bound (exit status 1); Ctrl-C "
              "does the same at once");
  add_output(*command, arguments->output,
             "the file of the set (default: the standard output): 's is N K', then one vertex per "
             "line, by its name in the graph's file");
  add_threads(*command, arguments->threads);
  command->footer("Example: a ring of five vertices has an independent set of two.\n"
                  "  printf '1 2\\n2 3\\n3 4\\n4 5\\n5 1\\n' | taper independent-set -");
  return {command, [arguments, command, &runtime] {
            return run_independent_set(*arguments, *command, runtime);
          }};
}

}  // namespace taper::app
