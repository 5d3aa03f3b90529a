// SPDX-License-Identifier: Apache-2.0
#include "answer.hpp"
#include "commands.hpp"
#include "solve.hpp"

#include <algorithms/vertex_cover/graph_options.hpp>
#include <algorithms/vertex_cover/process_work.hpp>
#include <algorithms/vertex_cover/search_watch.hpp>
#include <algorithms/vertex_cover/weight_options.hpp>
#include <driver/cli_fields.hpp>
#include <driver/cli_options.hpp>
#include <driver/output.hpp>
#include <mpi/processes.hpp>
#include <support/config_error.hpp>
#include <support/interrupt.hpp>
#include <support/message.hpp>
#include <support/runtime.hpp>
#include <support/text.hpp>

#include <io/text/strings.hpp>

#include <taper/clique/fields.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace taper::app {
namespace {

struct CliqueArguments {
  GraphArguments graph;
  WeightArguments weights;
  StartArgument start;
  AllArgument all;
  FieldArguments<clique::Options> options;
  double time_limit_s = 0;
  bool maximal = false;
  bool count = false;
  std::filesystem::path output;
  int threads = 0;
};

int count_maximal(io::GraphFile const& file, CoverProblem const& problem,
                  clique::Options const& options, Output& output) {
  auto const backend = require_backend("host");
  auto const [report, seconds] = count_maximal_cliques(backend, 0, problem.graph, options);
  bool const stopped = report.status == Status::stopped;
  print_message("graph     {}, {} ({})\n", vertices_text(problem.vertices()),
                counted(problem.edges, "edge", "edges"), io::describe(file.format));
  print_message("maximal   {}{}{}\n", stopped ? "stopped after " : "",
                counted(report.cliques, "clique", "cliques"),
                report.cliques == 0
                    ? std::string{}
                    : fmt::format("; the largest {} {}: {}", stopped ? "so far have" : "have",
                                  vertices_text(report.largest),
                                  io::grouped(report.largest_count)));
  print_message("search    on {}, {}: degeneracy {}, {} in {}\n", backend,
                counted(report.workers, "worker", "workers"), io::grouped(report.degeneracy),
                counted(report.nodes, "node", "nodes"), format_seconds(seconds));
  output.stream() << fmt::format("{}\n", report.cliques);
  output.commit();
  return stopped ? 1 : 0;
}

int find_maximum(io::GraphFile const& file, CoverProblem const& problem,
                 std::vector<clique::Weight> const& weights, clique::Options const& options,
                 AllArgument const& all, Output& output) {
  auto const backend = require_backend("host");
  auto solved = watched_solve_clique(backend, problem.graph, weights, options);
  auto const& report = solved.report;
  FoundSet const found{report.status, std::move(solved.in_clique), report.clique_weight,
                       report.upper_bound};
  auto const place =
      solved.processes.empty()
          ? fmt::format("on {}, {}", backend, counted(report.workers, "worker", "workers"))
          : fmt::format("in {} processes", solved.processes.size());
  auto const search = fmt::format("{}: {} after the cores, {}, {} in {}{}", place,
                                  vertices_text(report.kernel_vertices),
                                  counted(report.subproblems, "dense graph", "dense graphs"),
                                  counted(report.nodes, "node", "nodes"),
                                  format_seconds(solved.seconds), lines_of_work(solved.processes));
  auto const find_all = [&] {
    auto rest = options;
    rest.time_limit_s = AllArgument::time_left(options.time_limit_s, solved.seconds);
    return find_all_cliques(backend, problem.graph, weights, found.weight, all.wanted(), rest);
  };
  return write_set(clique_kind, file, problem, weights, found, search, all, find_all, output);
}

int run_clique(CliqueArguments const& arguments, CLI::App const& command, Runtime& runtime) {
  for (auto const* const option : {"--maximal", "--count", "--weights", "--all", "--threads"}) {
    reject_with_processes(command, option);
  }
  arguments.graph.require_file();
  if (arguments.maximal != arguments.count) {
    throw ConfigError("--maximal and --count belong together: this command counts maximal cliques, "
                      "it does not list them");
  }
  if (arguments.count && (arguments.weights.given() || arguments.start.given() ||
                          arguments.all.given() || !arguments.options.given().empty())) {
    throw ConfigError("--weights, --start, --all and --bound are for the maximum clique, not for "
                      "--maximal --count");
  }
  auto const inputs = arguments.weights.inputs_with(arguments.start.with({arguments.graph.file}));
  io::GraphFile file;
  std::vector<clique::Weight> weights;
  CoverProblem problem;
  std::vector<std::uint8_t> start;
  std::optional<Output> output;
  together([&] {
    file = arguments.graph.read(arguments.weights.in_graph_file());
    weights = arguments.weights.read(file);
    problem = make_cover_problem(file, SelfLoops::drop);
    print_notes(
        cover_problem_notes(problem, file, SelfLoops::drop, "a clique does not depend on it"));
    start = read_start(clique_kind, arguments.start, file, problem);
    output.emplace(processes().own == 0 ? arguments.output : "-", inputs);
  });
  Interrupt const interrupt;
  if (processes().count == 1) {  // each of several has one thread
    runtime.start(arguments.threads);
  }
  clique::Options options;
  arguments.options.apply_to(options);
  options.time_limit_s = arguments.time_limit_s;
  options.stop = &Interrupt::flag();
  options.start = start;
  return arguments.count ? count_maximal(file, problem, options, *output)
                         : find_maximum(file, problem, weights, options, arguments.all, *output);
}

}  // namespace

Command add_clique(CLI::App& app, Runtime& runtime) {
  auto* command = app.add_subcommand(
      "clique", "find a maximum clique of a graph in a file, or count its maximal cliques");
  auto arguments = std::make_shared<CliqueArguments>();
  arguments->graph.add_options(*command);
  arguments->weights.add_option(*command);
  arguments->start.add_option(*command, "a clique");
  arguments->all.add_option(*command, "maximum cliques");
  command->add_flag("--maximal", arguments->maximal,
                    "with --count: all cliques that are part of no other clique");
  command->add_flag("--count", arguments->count, "print how many there are");
  arguments->options.add_options(*command);
  add_checked(
      *command, "--time-limit", arguments->time_limit_s, real_in(0.001, 1e9), "S",
      "stop after S seconds with the best clique and an upper bound (exit status 1); Ctrl-C "
      "does the same at once");
  add_output(
      *command, arguments->output,
      "the file of the clique (default: the standard output): 's clique N K', then one vertex per "
      "line, by its name in the graph's file");
  add_threads(*command, arguments->threads);
  command->footer("Example: two triangles that share an edge.\n"
                  "  printf '1 2\\n2 3\\n3 1\\n3 4\\n4 2\\n' | taper clique -\n"
                  "  printf '1 2\\n2 3\\n3 1\\n3 4\\n4 2\\n' | taper clique - --maximal --count");
  return {command,
          [arguments, command, &runtime] { return run_clique(*arguments, *command, runtime); }};
}

}  // namespace taper::app
