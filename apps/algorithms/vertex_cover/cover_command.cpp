// SPDX-License-Identifier: Apache-2.0
#include "cli_options.hpp"
#include "command.hpp"
#include "config_error.hpp"
#include "graph_options.hpp"
#include "interrupt.hpp"
#include "output.hpp"
#include "runtime.hpp"
#include "search_watch.hpp"
#include "text.hpp"

#include <io/cover.hpp>
#include <io/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>

namespace taper::app {

namespace vc = vertex_cover;

namespace {

struct Arguments {
  GraphArguments graph;
  std::int64_t k = -1;
  std::string mode{to_string(vc::Mode::standard)};
  double time_limit_s = 0;
  std::string backend = "widest";
  std::filesystem::path output;
  int threads = 0;
};

std::string vertices(std::uint64_t count) {
  return counted(count, "vertex", "vertices");
}

/// What the run has to say about the question, in one line.
std::string answer(vc::Report const& report, std::int64_t k) {
  auto const minimum = report.lower_bound == report.cover_size;
  if (k >= 0 && report.found) {
    return fmt::format("{}, at most {} as asked{}", vertices(report.cover_size), io::grouped(k),
                       minimum ? "; no cover is smaller" : "");
  }
  if (report.status == Status::solved) {
    return k >= 0 ? fmt::format("none of at most {}: every cover is larger", vertices(k))
                  : fmt::format("{}, the minimum", vertices(report.cover_size));
  }
  auto const asked = k >= 0 ? fmt::format("; whether {} are enough is open", io::grouped(k)) : "";
  return fmt::format("{}, the best so far; the minimum is at least {}{}",
                     vertices(report.cover_size), io::grouped(report.lower_bound), asked);
}

void summarize_on_stderr(io::GraphFile const& file, CoverProblem const& problem,
                         Arguments const& arguments, std::string_view backend,
                         SolvedCover const& solved) {
  auto const& report = solved.report;
  fmt::print(stderr, "graph     {}, {} ({})\n", vertices(problem.vertices()),
             counted(problem.edges, "edge", "edges"), io::describe(file.format));
  fmt::print(stderr, "cover     {}\n", answer(report, arguments.k));
  if (arguments.k >= 0 && problem.forced.size() > static_cast<std::uint64_t>(arguments.k)) {
    fmt::print(stderr, "search    none: {} are in every cover\n", vertices(problem.forced.size()));
    return;
  }
  std::string const conflicts =
      report.conflicts == 0 ? "" : " and " + counted(report.conflicts, "conflict", "conflicts");
  fmt::print(stderr, "search    mode {} on {}: a kernel of {} and {}, {}{} in {}\n", arguments.mode,
             backend, vertices(report.kernel_vertices),
             counted(report.kernel_edges, "edge", "edges"), counted(report.nodes, "node", "nodes"),
             conflicts, format_seconds(solved.seconds));
}

/// Whether the cover is one of the file's edges, and of the size that the report says.
bool check_on_stderr(io::GraphFile const& file, SolvedCover const& solved) {
  auto const size = static_cast<std::uint64_t>(std::ranges::count(solved.in_cover, 1));
  auto const uncovered = io::find_uncovered(file, solved.in_cover, 0).count;
  if (uncovered > 0 || size != solved.report.cover_size) {
    fmt::print(stderr, "WRONG     {}\n",
               uncovered > 0
                   ? fmt::format("{} have no end in it", counted(uncovered, "edge", "edges"))
                   : fmt::format("it has {}", vertices(size)));
    return false;
  }
  fmt::print(stderr, "verified  every edge of the file has an end in it\n");
  return true;
}

/// The graph of the file, and the file's own words for it.
struct Question {
  io::GraphFile file;
  CoverProblem problem;
};

Question read_question(GraphArguments const& graph) {
  EndAtInterrupt const interrupt("taper cover: interrupted before the graph was read\n");
  Question question{graph.read(), {}};
  question.problem = make_cover_problem(question.file, graph.loops());
  return question;
}

int execute(Arguments const& arguments, Runtime& runtime) {
  auto const mode = *vc::parse<vc::Mode>(arguments.mode);
  auto const backend = cover_backend(arguments.backend, mode);
  auto const question = read_question(arguments.graph);
  auto const& file = question.file;
  auto const& problem = question.problem;
  Interrupt const interrupt;
  for (auto const& note : cover_problem_notes(problem, file, arguments.graph.loops())) {
    fmt::print(stderr, "note: {}\n", note);
  }

  Output output(arguments.output, {&arguments.graph.file, 1});

  runtime.start(arguments.threads);
  vc::Progress progress;
  vc::Options options;
  options.mode = mode;
  options.k = arguments.k;
  options.time_limit_s = arguments.time_limit_s;
  options.progress = &progress;
  options.stop = &Interrupt::flag();
  auto const solved = [&] {
    SearchWatch const watch(progress, problem.forced.size());
    return solve_cover(backend, problem, options);
  }();

  summarize_on_stderr(file, problem, arguments, backend, solved);
  auto const& report = solved.report;
  auto const found = options.k < 0 || report.found;
  if (!found && report.status == Status::solved) {
    return 1;
  }
  if (!check_on_stderr(file, solved)) {
    return 1;
  }
  io::write_cover(output.stream(), file, solved.in_cover);
  output.commit();
  auto const answered = options.k < 0 ? report.status == Status::solved : found;
  return answered ? 0 : 1;
}

}  // namespace

Command add_cover(CLI::App& app, Runtime& runtime) {
  auto* command = app.add_subcommand(
      "cover", "find a minimum vertex cover of a graph in a file, or one of at most K vertices");
  auto arguments = std::make_shared<Arguments>();
  arguments->graph.add_options(*command);
  command
      ->add_option("--k", arguments->k,
                   "stop at a cover of at most K vertices, or prove that there is none (exit "
                   "status 1)")
      ->check(integer_in(0, std::numeric_limits<std::int64_t>::max()))
      ->type_name("K");
  command
      ->add_option("--mode", arguments->mode,
                   "default: every reduction and bound that pays; paper: the rules of the paper "
                   "alone, on all workers of the backend")
      ->check(one_of({"default", "paper"}))
      ->type_name("MODE");
  command
      ->add_option("--time-limit", arguments->time_limit_s,
                   "seconds of search, after which the best cover and a lower bound are the answer "
                   "(exit status 1); Ctrl-C does the same at once")
      ->check(real_in(0.001, 1e9))
      ->type_name("S");
  command
      ->add_option("--backend", arguments->backend,
                   "a backend of this build (see taper info), or host, device or widest (default: "
                   "widest)")
      ->type_name("NAME");
  command
      ->add_option("-o,--output", arguments->output,
                   "where the cover goes (default: the standard output): 's vc N K', then a vertex "
                   "a line, as the graph's file names it")
      ->type_name("FILE");
  add_threads(*command, arguments->threads);
  command->footer("Example: five vertices in a ring need three.\n"
                  "  printf '1 2\\n2 3\\n3 4\\n4 5\\n5 1\\n' | taper cover - -o ring.cover");
  return {command, [arguments, &runtime] { return execute(*arguments, runtime); }};
}

}  // namespace taper::app
