// SPDX-License-Identifier: Apache-2.0
#include "all_option.hpp"
#include "commands.hpp"
#include "graph_options.hpp"
#include "process_work.hpp"
#include "search_watch.hpp"
#include "start_option.hpp"
#include "weight_options.hpp"
#include "weighted_set.hpp"

#include <driver/cli_fields.hpp>
#include <driver/cli_options.hpp>
#include <driver/output.hpp>
#include <mpi/cover.hpp>
#include <mpi/processes.hpp>
#include <support/config_error.hpp>
#include <support/interrupt.hpp>
#include <support/message.hpp>
#include <support/runtime.hpp>
#include <support/text.hpp>

#include <io/graph/cover.hpp>
#include <io/text/strings.hpp>

#include <taper/clique/verify.hpp>
#include <taper/vertex_cover/fields.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace taper::app {

namespace vc = vertex_cover;

namespace {

struct CoverArguments {
  GraphArguments graph;
  WeightArguments weights;
  StartArgument start;
  AllArgument all;
  bool heuristic = false;
  std::int64_t k = -1;
  std::string mode{to_string(vc::Mode::taper)};
  FieldArguments<vc::Options> host_search;  ///< of mode taper
  FieldArguments<vc::ComponentSearchOptions> component_search;
  double time_limit_s = 0;
  std::string backend = "widest";
  std::filesystem::path output;
  int threads = 0;
};

std::string vertices(std::uint64_t count) {
  return counted(count, "vertex", "vertices");
}

/// The answer to the question, in one line.
std::string answer(vc::Report const& report, std::int64_t k) {
  auto const minimum = report.lower_bound == report.cover_size;
  auto const at_most = static_cast<std::uint64_t>(k);  // if k is not negative
  if (k >= 0 && report.found) {
    return fmt::format("{}, at most k = {}{}", vertices(report.cover_size), io::grouped(at_most),
                       minimum ? "; no cover is smaller" : "");
  }
  if (report.status == Status::solved) {
    return k >= 0 ? fmt::format("none of at most {}: every cover is larger", vertices(at_most))
                  : fmt::format("{}, the minimum", vertices(report.cover_size));
  }
  auto const asked = k >= 0 ? fmt::format("; k = {} is open", io::grouped(at_most)) : "";
  return fmt::format("{}, the best that was found; the minimum is at least {}{}{}",
                     vertices(report.cover_size), io::grouped(report.lower_bound),
                     gap_text(static_cast<std::int64_t>(report.cover_size),
                              static_cast<std::int64_t>(report.lower_bound)),
                     asked);
}

/// `place`: where the search ran, as in "on openmp".
void summarize_on_stderr(io::GraphFile const& file, CoverProblem const& problem,
                         CoverArguments const& arguments, std::string_view place,
                         SolvedCover const& solved) {
  auto const& report = solved.report;
  print_message("graph     {}, {} ({})\n", vertices(problem.vertices()),
                counted(problem.edges, "edge", "edges"), io::describe(file.format));
  print_message("cover     {}\n", answer(report, arguments.k));
  note_heuristic(arguments.heuristic, report.status);
  if (arguments.k >= 0 && problem.forced.size() > static_cast<std::uint64_t>(arguments.k)) {
    print_message("search    none: vertices in every cover: {}\n",
                  io::grouped(problem.forced.size()));
    return;
  }
  std::string const conflicts =
      report.conflicts == 0 ? "" : " and " + counted(report.conflicts, "conflict", "conflicts");
  print_message("search    mode {} {}: reduced graph of {} and {}, {}{} in {}{}\n", arguments.mode,
                place, vertices(report.kernel_vertices),
                counted(report.kernel_edges, "edge", "edges"),
                counted(report.nodes, "node", "nodes"), conflicts, format_seconds(solved.seconds),
                lines_of_work(solved.processes));
}

/// Prints whether the cover covers the file's edges and has the reported size. Returns whether it
/// does.
bool check_on_stderr(io::GraphFile const& file, SolvedCover const& solved) {
  auto const size = static_cast<std::uint64_t>(std::ranges::count(solved.in_cover, 1));
  auto const uncovered = io::find_uncovered(file, solved.in_cover, 0).count;
  if (uncovered > 0 || size != solved.report.cover_size) {
    print_message("WRONG     {}\n",
                  uncovered > 0
                      ? fmt::format("the cover misses {}", counted(uncovered, "edge", "edges"))
                      : fmt::format("the cover has {}, the report says {}", vertices(size),
                                    io::grouped(solved.report.cover_size)));
    return false;
  }
  print_message("verified  the cover covers every edge of the file\n");
  return true;
}

/// The file's graph, for names and checks, and the problem that is solved.
struct Input {
  io::GraphFile file;
  CoverProblem problem;
};

Input read_input(GraphArguments const& graph, bool weights = false) {
  Input input{graph.read(weights), {}};
  input.problem = make_cover_problem(input.file, graph.loops());
  return input;
}

/// The options of the command line. Throws ConfigError for an option that the mode does not have.
vc::Options search_options(CoverArguments const& arguments) {
  vc::Options options;
  options.mode = *vc::parse<vc::Mode>(arguments.mode);
  options.k = arguments.k;
  options.heuristic = arguments.heuristic;
  options.time_limit_s = arguments.time_limit_s;
  auto const refuse = [&](auto const& given) {
    if (!given.given().empty()) {
      throw ConfigError(fmt::format("{}: the mode '{}' does not have this option",
                                    given.flag_of(given.given().front()), arguments.mode));
    }
  };
  if (options.mode != vc::Mode::taper && (arguments.start.given() || arguments.heuristic)) {
    throw ConfigError(fmt::format("{}: the mode '{}' does not have this option",
                                  arguments.heuristic ? "--heuristic" : "--start", arguments.mode));
  }
  if (arguments.k >= 0 && arguments.all.given()) {
    throw ConfigError("--all writes minimum covers, --k asks for any cover of at most K vertices: "
                      "give one of them");
  }
  if (options.mode == vc::Mode::taper) {
    refuse(arguments.component_search);
    arguments.host_search.apply_to(options);
  } else {
    refuse(arguments.host_search);
    options.component_search = component_search_options(options.mode);
    arguments.component_search.apply_to(*options.component_search);
  }
  return options;
}

/// Finds, verifies and writes all minimum covers: the vertices outside each set of this weight.
/// Without weights all are 1. `used_s`: seconds of the time limit that are spent. Returns the exit
/// status.
int write_all_covers(Input const& input, CoverArguments const& arguments,
                     std::vector<clique::Weight> const& weights, clique::Weight set_weight,
                     double used_s, Output& output) {
  auto const& [file, problem] = input;
  auto const size = problem.vertices() - static_cast<std::size_t>(set_weight);  // no weights
  auto const total = std::accumulate(weights.begin(), weights.end(), clique::Weight{0});
  auto const found = find_all_sets(problem, weights, set_weight, arguments.all.wanted(),
                                   AllArgument::time_left(arguments.time_limit_s, used_s));
  return arguments.all.write(
      found,
      {problem.vertices(),
       [&](auto& marks) { marks = cover_that_leaves(problem, weights, std::move(marks)); },
       [&](auto marks) -> std::string {
         auto const uncovered = io::find_uncovered(file, marks, 0).count;
         bool const right = weights.empty()
                                ? static_cast<std::size_t>(std::ranges::count(marks, 1)) == size
                                : clique::weight_of(weights, marks) == total - set_weight;
         return uncovered > 0 ? "it misses " + counted(uncovered, "edge", "edges")
                : right       ? ""
                              : "it is no minimum";
       },
       [&](std::ostream& out, auto marks) { io::write_cover(out, file, marks); }},
      output);
}

/// Prints, verifies and writes the answer. Returns the exit status.
int write_answer(Input const& input, CoverArguments const& arguments, std::string_view place,
                 SolvedCover const& solved, Output& output) {
  auto const& report = solved.report;
  summarize_on_stderr(input.file, input.problem, arguments, place, solved);
  auto const found = arguments.k < 0 || report.found;
  if (!found && report.status == Status::solved) {
    return 1;
  }
  if (!check_on_stderr(input.file, solved)) {
    return 1;
  }
  if (arguments.all.given() && report.status == Status::solved) {
    auto const left = input.problem.vertices() - report.cover_size;
    return write_all_covers(input, arguments, {}, static_cast<clique::Weight>(left), solved.seconds,
                            output);
  }
  io::write_cover(output.stream(), input.file, solved.in_cover);
  output.commit();
  auto const answered = arguments.k < 0 ? report.status == Status::solved : found;
  return answered ? 0 : 1;
}

/// Throws ConfigError for an option that a search with weights does not have.
void require_no_mode(CoverArguments const& arguments) {
  auto const refuse = [](std::string_view option) {
    throw ConfigError(fmt::format("{}: a search with --weights does not have this option", option));
  };
  if (arguments.k >= 0) {
    refuse("--k");
  }
  if (arguments.mode != to_string(vc::Mode::taper)) {
    refuse("--mode");
  }
  auto const refuse_given = [&](auto const& fields) {
    if (!fields.given().empty()) {
      refuse(fields.flag_of(fields.given().front()));
    }
  };
  refuse_given(arguments.host_search);
  refuse_given(arguments.component_search);
}

/// Prints, verifies and writes a cover with weights: the one outside the set. Returns the exit
/// status.
int write_weighted(Input const& input, CoverArguments const& arguments,
                   std::vector<clique::Weight> const& weights, SolvedSet const& solved,
                   Output& output) {
  auto const& report = solved.report;
  auto const [in_cover, found, bound] = cover_of(input.problem, weights, solved);
  auto const grouped = [](clique::Weight weight) {
    return io::grouped(static_cast<std::uint64_t>(weight));
  };
  auto const of_weight = fmt::format(
      "{} of weight {}", vertices(static_cast<std::uint64_t>(std::ranges::count(in_cover, 1))),
      grouped(found));
  print_message("graph     {}, {} ({})\n", vertices(input.problem.vertices()),
                counted(input.problem.edges, "edge", "edges"), io::describe(input.file.format));
  print_message("cover     {}\n",
                report.status == Status::solved
                    ? fmt::format("{}, the minimum", of_weight)
                    : fmt::format("{}, the best that was found; the minimum is at least {}{}",
                                  of_weight, grouped(bound), gap_text(found, bound)));
  note_heuristic(arguments.heuristic, report.status);
  print_message("search    {}\n", search_text(solved));
  auto const uncovered = io::find_uncovered(input.file, in_cover, 0).count;
  auto const weight = clique::weight_of(weights, in_cover);
  if (uncovered > 0 || weight != found) {
    print_message("WRONG     {}\n",
                  uncovered > 0
                      ? fmt::format("the cover misses {}", counted(uncovered, "edge", "edges"))
                      : fmt::format("the cover weighs {}, the report says {}", weight, found));
    return 1;
  }
  print_message("verified  the cover covers every edge of the file; the weights sum up\n");
  if (arguments.all.given() && report.status == Status::solved) {
    return write_all_covers(input, arguments, weights, report.set_weight, solved.seconds, output);
  }
  io::write_cover(output.stream(), input.file, in_cover);
  output.commit();
  return report.status == Status::solved ? 0 : 1;
}

int execute_weighted(CoverArguments const& arguments, Runtime& runtime) {
  require_no_mode(arguments);
  cover_backend(arguments.backend, vc::Mode::taper);  // refuses what this build does not have
  auto const inputs = arguments.weights.inputs_with(arguments.start.with({arguments.graph.file}));
  auto const input = read_input(arguments.graph, arguments.weights.in_graph_file());
  auto const weights = arguments.weights.read(input.file);
  require_search_memory(input.problem, vc::Mode::taper);
  print_notes(
      cover_problem_notes(input.problem, input.file, arguments.graph.loops(), "--self-loops drop"));
  auto const start = vc::complement_of(arguments.start.read_cover(input.file));
  Output output(arguments.output, inputs);
  Interrupt const interrupt;
  runtime.start(arguments.threads);
  independent_set::Options options;
  options.time_limit_s = arguments.time_limit_s;
  options.heuristic = arguments.heuristic;
  options.start = start;
  return write_weighted(input, arguments, weights,
                        watched_solve_weighted_set(input.problem, weights, options), output);
}

/// Searches by `solve`, prints and writes. `start`: the cover of --start. Returns the exit status.
template <class Solve>
int search_and_write(Input const& input, CoverArguments const& arguments, vc::Options options,
                     std::vector<std::uint8_t> const& start, std::string_view place, Output& output,
                     Solve const& solve) {
  auto const& problem = input.problem;
  vc::Progress progress;
  std::mutex writing;  // of the thread that writes the answer
  // The reductions of a large graph need seconds to end, and have no cover yet.
  Interrupt const interrupt({}, [&]() -> std::optional<int> {
    if (processes().own != 0 || progress.best != vc::Progress::unknown || !writing.try_lock()) {
      return std::nullopt;
    }
    return write_answer(input, arguments, place, cover_without_search(problem, options.k, start),
                        output);
  });

  options.start = start;
  options.progress = &progress;
  options.stop = &Interrupt::flag();
  auto const solved = [&] {
    SearchWatch const watch(progress.nodes, [&] {
      auto const best = progress.best.load(std::memory_order_relaxed);
      auto const forced = problem.forced.size();
      return (best == vc::Progress::unknown
                  ? std::string{}
                  : fmt::format("  best {}", io::grouped(best + forced))) +
             fmt::format(
                 "  at least {}",
                 io::grouped(progress.lower_bound.load(std::memory_order_relaxed) + forced));
    });
    return solve(options);
  }();
  std::lock_guard const lock(writing);
  return write_answer(input, arguments, place, solved, output);
}

/// The processes of MPI read the graph alike and search it together. Process 0 prints and writes.
int execute_together(CoverArguments const& arguments, CLI::App const& command) {
  for (auto const* const option : {"--all", "--weights", "--backend", "--threads"}) {
    reject_with_processes(command, option);
  }
  auto const count = processes().count;
  auto const options = search_options(arguments);
  if (options.mode != vc::Mode::taper) {
    throw ConfigError(fmt::format("mode '{}' works in one process; mpirun has started {}",
                                  arguments.mode, count));
  }
  arguments.graph.require_file();
  Input input;
  std::vector<std::uint8_t> start;
  std::optional<Output> output;
  together([&] {
    input = read_input(arguments.graph);
    require_search_memory(input.problem, options.mode);
    start = arguments.start.read_cover(input.file);
    output.emplace(processes().own == 0 ? arguments.output : "-",
                   arguments.start.with({arguments.graph.file}));
  });
  print_notes(
      cover_problem_notes(input.problem, input.file, arguments.graph.loops(), "--self-loops drop"));
  return search_and_write(
      input, arguments, options, start, fmt::format("in {} processes", count), *output,
      [&](vc::Options const& all) { return solve_cover_together(input.problem, all); });
}

int execute(CoverArguments const& arguments, CLI::App const& command, Runtime& runtime) {
  if (processes().count > 1) {
    return execute_together(arguments, command);
  }
  if (arguments.weights.given()) {
    return execute_weighted(arguments, runtime);
  }
  auto const options = search_options(arguments);
  auto const backend = cover_backend(arguments.backend, options.mode);
  auto const inputs = arguments.weights.inputs_with(arguments.start.with({arguments.graph.file}));
  auto const input = read_input(arguments.graph);
  auto const& problem = input.problem;
  require_search_memory(problem, options.mode);
  print_notes(
      cover_problem_notes(problem, input.file, arguments.graph.loops(), "--self-loops drop"));

  auto const start = arguments.start.read_cover(input.file);
  Output output(arguments.output, inputs);
  return search_and_write(input, arguments, options, start, fmt::format("on {}", backend), output,
                          [&](vc::Options const& all) {
                            runtime.start(arguments.threads);
                            return solve_cover(backend, 0, problem, all);
                          });
}

}  // namespace

Command add_cover(CLI::App& app, Runtime& runtime) {
  auto* command = app.add_subcommand(
      "cover", "find a minimum vertex cover of a graph in a file, or one of at most K vertices");
  auto arguments = std::make_shared<CoverArguments>();
  arguments->graph.add_options(*command);
  arguments->graph.add_self_loops(*command, "into the cover");
  arguments->weights.add_option(*command);
  arguments->start.add_option(*command, "a cover");
  arguments->all.add_option(*command, "minimum covers");
  add_heuristic(*command, arguments->heuristic, "cover");
  add_checked(*command, "--k", arguments->k,
              integer_in(0, std::numeric_limits<std::int64_t>::max()), "K",
              "stop at a cover of at most K vertices, or prove that there is none (exit status 1)");
  command
      ->add_option("--mode", arguments->mode,
                   "taper: all reductions and bounds, on the host. The others use all workers of "
                   "the backend: component_search, with Taper's additions; published, with the "
                   "rules of its paper alone; yamout, the GPU search before that")
      ->check(CLI::Validator([](std::string const& word) { return former_mode_message(word); }, ""))
      ->check(one_of(names_of<vc::Mode>()))
      ->type_name("MODE");
  arguments->host_search.add_options(*command, {"mode"});
  arguments->component_search.add_options(*command);
  add_checked(*command, "--time-limit", arguments->time_limit_s, real_in(0.001, 1e9), "S",
              "stop after S seconds with the best cover and a lower bound (exit status 1); Ctrl-C "
              "does the same at once");
  add_backend(*command, arguments->backend);
  add_output(
      *command, arguments->output,
      "the file of the cover (default: the standard output): 's vc N K', then one vertex per "
      "line, by its name in the graph's file");
  add_threads(*command, arguments->threads);
  command->footer("Example: a ring of five vertices has a minimum cover of three.\n"
                  "  printf '1 2\\n2 3\\n3 4\\n4 5\\n5 1\\n' | taper cover - -o ring.cover");
  return {command,
          [arguments, command, &runtime] { return execute(*arguments, *command, runtime); }};
}

}  // namespace taper::app
