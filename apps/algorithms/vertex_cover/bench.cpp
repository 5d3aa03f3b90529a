// SPDX-License-Identifier: Apache-2.0
#include "results.hpp"
#include "weighted_set.hpp"

#include <experiment/run_cases.hpp>
#include <support/message.hpp>
#include <support/seconds_of.hpp>
#include <support/text.hpp>

#include <io/graph/cover.hpp>
#include <io/graph/read.hpp>
#include <io/text/strings.hpp>

#include <taper/clique/verify.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

namespace taper::app {
namespace {

using vertex_cover::Vertex;

/// Drops the graphs whose files are missing. Throws ConfigError for such a graph unless
/// skip_missing_graphs, and if no graph is left.
void drop_missing_graphs(CoverExperiment& experiment) {
  std::erase_if(experiment.graphs, [&](GraphSpec const& spec) {
    auto const path = experiment.data / spec.file;
    std::error_code error;
    require_weight_file(spec.weights, experiment.data, spec.name);
    if (spec.file.empty() || std::filesystem::exists(path, error)) {
      return false;
    }
    auto const message =
        fmt::format("graph '{}': no file {}; set data=FOLDER to the folder of the graphs",
                    spec.name, path.string());
    if (!experiment.skip_missing_graphs) {
      throw ConfigError(message);
    }
    print_message("skipped: {}\n", message);
    return true;
  });
  if (experiment.graphs.empty()) {
    throw ConfigError("no graph is left: all files are missing");
  }
}

/// A graph as its file lists it, for the checks, and as a problem, for the solvers.
struct LoadedGraph {
  io::GraphFile file;
  CoverProblem problem;
  std::vector<clique::Weight> weights;  ///< none: all are 1
  double seconds = 0;                   ///< to read or generate it, and to build the problem
};

LoadedGraph load(CoverExperiment const& experiment, GraphSpec const& spec) {
  LoadedGraph loaded;
  loaded.seconds = seconds_of([&] {
    if (spec.file.empty()) {
      require_generation_memory(spec.workload);
      auto const graph = generate_graph(spec.workload);
      loaded.file.file = spec.name;
      loaded.file.vertices = graph.vertices();
      for (Vertex v = 0; v < graph.vertices(); ++v) {
        for (auto const u : graph.neighbours(v)) {
          if (u < v) {
            loaded.file.edges.emplace_back(v, u);
          }
        }
      }
    } else {
      loaded.file =
          io::read_graph(experiment.data / spec.file,
                         {.weights = spec.weights.in_graph_file(), .stop = &Interrupt::flag()});
    }
    loaded.weights = load_weights(spec.weights, experiment.data, loaded.file);
    loaded.problem = make_cover_problem(loaded.file, experiment.self_loops);
  });
  return loaded;
}

/// The error in an answer; empty if it is right. It compares with the file's edges, the report, and
/// the known minimum.
std::string fault_of(LoadedGraph const& graph, GraphSpec const& spec, std::int64_t k,
                     SolvedCover const& solved) {
  auto const& report = solved.report;
  auto const size = static_cast<std::uint64_t>(std::ranges::count(solved.in_cover, 1));
  if (auto const uncovered = io::find_uncovered(graph.file, solved.in_cover, 0).count) {
    return fmt::format("not a cover: it misses {} edges", io::grouped(uncovered));
  }
  if (size != report.cover_size) {
    return fmt::format("the report says {} vertices; the cover has {}",
                       io::grouped(report.cover_size), io::grouped(size));
  }
  if (k >= 0 && report.found && size > static_cast<std::uint64_t>(k)) {
    return fmt::format("the cover has {} vertices, more than k", io::grouped(size));
  }
  auto const solved_to_end = report.status == Status::solved;
  if (report.lower_bound > size || (solved_to_end && k < 0 && report.lower_bound != size)) {
    return fmt::format("a cover of {} vertices with a lower bound of {}", io::grouped(size),
                       io::grouped(report.lower_bound));
  }
  if (spec.minimum) {
    auto const minimum = *spec.minimum;
    if (size < minimum || report.lower_bound > minimum ||
        (solved_to_end && k < 0 && size != minimum) ||
        (solved_to_end && k >= 0 && report.found != (static_cast<std::uint64_t>(k) >= minimum))) {
      return fmt::format("the known minimum is {}", io::grouped(minimum));
    }
  }
  return {};
}

/// The same for a graph with weights, of which `solved` and `weight` are the answer.
std::string weighted_fault_of(LoadedGraph const& graph, GraphSpec const& spec,
                              SolvedCover const& solved, CoverWeight const& weight) {
  if (auto const uncovered = io::find_uncovered(graph.file, solved.in_cover, 0).count) {
    return fmt::format("not a cover: it misses {} edges", io::grouped(uncovered));
  }
  auto const [found, bound] = weight;
  if (auto const sum = clique::weight_of(graph.weights, solved.in_cover); sum != found) {
    return fmt::format("the report says {}; the cover weighs {}", found, sum);
  }
  if (bound > found || (solved.report.status == Status::solved && bound != found)) {
    return fmt::format("a cover of weight {} with a lower bound of {}", found, bound);
  }
  if (spec.minimum && (found < static_cast<std::int64_t>(*spec.minimum) ||
                       bound > static_cast<std::int64_t>(*spec.minimum))) {
    return fmt::format("the known minimum is {}", io::grouped(*spec.minimum));
  }
  return {};
}

/// The reason why a solver, whose backend exists, cannot have its threads; empty if it can.
std::string missing_threads(CoverSolver const& solver) {
  auto const backend = cover_backend(solver.backend, solver.options.mode);
  return can_use_threads(backend, solver.threads)
             ? ""
             : fmt::format(
                   "backend {} cannot run on {} here", backend,
                   counted(static_cast<std::uint64_t>(solver.threads), "thread", "threads"));
}

/// The first answer to a question. All other answers must agree with it.
struct Answer {
  bool found = false;
  std::uint64_t size = 0;  ///< if the question is the minimum: vertices, or the weight
  std::string solver;
};

class CoverBench final : public Bench<CoverCase> {
 public:
  explicit CoverBench(CoverExperiment const& experiment) : experiment_(experiment) {}

  static void drop_unavailable(CoverExperiment& experiment) {
    drop_missing_backends(experiment.solvers, "solver", experiment.skip_missing_backends);
    app::drop_unavailable(experiment.solvers, "solver", experiment.skip_missing_backends,
                          missing_threads);
    drop_missing_graphs(experiment);
  }

  std::vector<CoverCase> plan() const override {
    std::vector<CoverCase> cases;
    for (auto const& spec : experiment_.graphs) {
      for (auto const k : spec.questions) {
        for (auto const& solver : experiment_.solvers) {
          if (spec.runs(solver.name)) {
            auto& wanted = cases.emplace_back();
            wanted.graph = spec.name;
            wanted.k = k;
            wanted.solver = solver.name;
            wanted.backend = cover_backend(solver.backend, solver.options.mode);
            wanted.threads = solver.threads;
          }
        }
      }
    }
    return cases;
  }

  void begin(CoverCase const& first) override {
    spec_ = &*std::ranges::find(experiment_.graphs, first.graph, &GraphSpec::name);
    graph_.reset();
    answers_.clear();
  }

  std::vector<std::string> prepare(CoverCase& result) override {
    auto const fresh = !graph_;
    if (fresh) {
      graph_ = load(experiment_, *spec_);
    }
    result.vertices = graph_->problem.vertices();
    result.edges = graph_->problem.edges;
    result.read_seconds = graph_->seconds;
    return fresh ? notes() : std::vector<std::string>{};
  }

  bool run(CoverCase& result, int repetition) override {
    auto const solved = solve(result);
    if (solved.report.status == Status::stopped && Interrupt::requested()) {
      return false;  // no measurement: Ctrl-C ended it, not its time limit
    }
    result.report = solved.report;
    // The time limit would also stop every repetition of a run that it has stopped.
    if (repetition < 0 && result.solved()) {
      return true;
    }
    result.runs.push_back(solved.seconds);
    if (experiment_.verify && result.failure.empty()) {
      result.failure = result.weight ? weighted_fault_of(*graph_, *spec_, solved, *result.weight)
                                     : fault_of(*graph_, *spec_, result.k, solved);
    }
    return result.solved();
  }

  void finish(CoverCase& result) override {
    if (result.solved()) {
      auto const found = answer_of(result);
      auto const& [answer, fresh] = answers_.try_emplace(result.k, found);
      if (!fresh && result.failure.empty() &&
          (answer->second.found != found.found || answer->second.size != found.size)) {
        result.failure = fmt::format("the answer differs from that of {}", answer->second.solver);
      }
    }
    result.activities.clear();
    for (auto const& activity : result.report.activities) {
      result.activities.emplace_back(activity.name, activity.share);
    }
  }

  void recall(CoverCase const& earlier) override {
    if (earlier.solved()) {
      answers_.try_emplace(earlier.k, answer_of(earlier));
    }
  }

  std::string remark(std::span<CoverCase const> cases) const override {
    std::string threads;
    for (auto const& solver : experiment_.solvers) {
      auto const found = std::ranges::find(cases, solver.name, &CoverCase::solver);
      if (solver.threads > 0 && found != cases.end()) {
        threads +=
            fmt::format(" {}: {} of {}.", solver.name,
                        counted(static_cast<std::uint64_t>(solver.threads), "thread", "threads"),
                        found->backend);
      }
    }
    return fmt::format("Times are medians of the solve, without reading the graph.{}{}", threads,
                       stopped(cases) > 0 ? " '>': stopped by the time limit" : "");
  }
  std::string verdict(std::span<CoverCase const> cases) const override {
    auto text = fmt::format("all {} covers cover every edge of their files, and the answers agree",
                            cases.size());
    if (auto const count = stopped(cases); count > 0) {
      text += fmt::format("; the time limit stopped {}", count);
    }
    return text;
  }

 private:
  /// Sets result.weight if the graph has weights.
  SolvedCover solve(CoverCase& result) const {
    auto options = entry_named(experiment_.solvers, result.solver).options;
    options.k = result.k;
    options.stop = &Interrupt::flag();
    auto const& [file, problem, weights, seconds] = *graph_;
    if (!spec_->weights.given()) {
      return solve_cover(result.backend, result.threads, problem, options);
    }
    independent_set::Options const limits{.time_limit_s = options.time_limit_s,
                                          .stop = options.stop};
    auto const set =
        solve_weighted_problem(result.backend, result.threads, problem, weights, limits);
    auto cover = cover_of(problem, weights, set);
    result.weight = CoverWeight{cover.weight, cover.lower_bound};
    SolvedCover solved;
    solved.report.status = set.report.status;
    solved.report.cover_size = static_cast<std::uint64_t>(std::ranges::count(cover.marks, 1));
    solved.report.kernel_vertices = set.report.kernel_vertices;
    solved.report.kernel_edges = set.report.kernel_edges;
    solved.report.nodes = set.report.nodes;
    solved.in_cover = std::move(cover.marks);
    solved.seconds = set.seconds;
    return solved;
  }

  /// What the reader of the graph's file took for granted.
  std::vector<std::string> notes() const {
    auto notes = graph_->file.notes;
    auto const more = cover_problem_notes(graph_->problem, graph_->file, experiment_.self_loops,
                                          "self_loops: drop");
    notes.insert(notes.end(), more.begin(), more.end());
    return notes;
  }

  static Answer answer_of(CoverCase const& result) {
    auto const& report = result.report;
    auto const size =
        result.weight ? static_cast<std::uint64_t>(result.weight->found) : report.cover_size;
    return {report.found, result.k < 0 ? size : 0, result.solver};
  }

  static std::ptrdiff_t stopped(std::span<CoverCase const> cases) {
    return std::ranges::count_if(cases, [](CoverCase const& result) { return !result.solved(); });
  }

  CoverExperiment const& experiment_;
  GraphSpec const* spec_ = nullptr;
  std::optional<LoadedGraph> graph_;
  std::map<std::int64_t, Answer> answers_;  ///< per question
};

}  // namespace

std::unique_ptr<Experiment> read_cover_bench(Node const& root) {
  return std::make_unique<BenchExperiment<CoverExperiment, CoverBench>>(
      read_cover_experiment(root));
}

}  // namespace taper::app
