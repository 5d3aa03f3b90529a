// SPDX-License-Identifier: Apache-2.0
#include "run_cover_experiment.hpp"

#include "config_error.hpp"
#include "cover_results.hpp"
#include "interrupt.hpp"
#include "progress.hpp"
#include "runtime.hpp"

#include <io/cover.hpp>
#include <io/read_graph.hpp>
#include <io/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>

namespace taper::app {
namespace {

using vertex_cover::Vertex;

/// Drops the solvers that this build cannot run, or throws, as the experiment wants it.
void settle_backends(CoverExperiment& experiment) {
  std::erase_if(experiment.solvers, [&](CoverSolver const& solver) {
    if (find_backend(solver.backend)) {
      return false;
    }
    try {
      require_backend(solver.backend);
    } catch (ConfigError const& error) {
      if (!experiment.skip_missing_backends) {
        throw ConfigError(fmt::format("solver '{}': {}; skip_missing_backends=true leaves it out",
                                      solver.name, error.what()));
      }
      fmt::print(stderr, "skipped: {}: {}\n", solver.name, error.what());
    }
    return true;
  });
  if (experiment.solvers.empty()) {
    throw ConfigError("no solver is left that this build can run");
  }
}

/// The same for graphs whose files are not there.
void settle_graphs(CoverExperiment& experiment) {
  std::erase_if(experiment.graphs, [&](GraphSpec const& spec) {
    auto const path = experiment.data / spec.file;
    std::error_code error;
    if (spec.file.empty() || std::filesystem::exists(path, error)) {
      return false;
    }
    auto const message =
        fmt::format("graph '{}': there is no file {}; data=FOLDER says where the graphs are",
                    spec.name, path.string());
    if (!experiment.skip_missing_graphs) {
      throw ConfigError(message);
    }
    fmt::print(stderr, "skipped: {}\n", message);
    return true;
  });
  if (experiment.graphs.empty()) {
    throw ConfigError("no graph is left whose file is there");
  }
}

/// A graph with what checks and solvers need of it.
struct LoadedGraph {
  io::GraphFile file;
  CoverProblem problem;
  double seconds = 0;
};

LoadedGraph load(CoverExperiment const& experiment, GraphSpec const& spec) {
  auto const begun = std::chrono::steady_clock::now();
  LoadedGraph loaded;
  if (spec.file.empty()) {
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
    loaded.file = io::read_graph(experiment.data / spec.file);
  }
  loaded.problem = make_cover_problem(loaded.file, experiment.self_loops);
  loaded.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  return loaded;
}

/// What is wrong with an answer, if anything: against the file's edges, against the report, and
/// against the minimum that is known from elsewhere.
std::string fault_of(LoadedGraph const& graph, GraphSpec const& spec, std::int64_t k,
                     SolvedCover const& solved) {
  auto const& report = solved.report;
  auto const size = static_cast<std::uint64_t>(std::ranges::count(solved.in_cover, 1));
  if (auto const uncovered = io::find_uncovered(graph.file, solved.in_cover, 0).count) {
    return fmt::format("not a cover: {} edges have no end in it", io::grouped(uncovered));
  }
  if (size != report.cover_size) {
    return fmt::format("the report says {} vertices, the cover has {}",
                       io::grouped(report.cover_size), io::grouped(size));
  }
  if (k >= 0 && report.found && size > static_cast<std::uint64_t>(k)) {
    return fmt::format("{} vertices are more than k", io::grouped(size));
  }
  auto const solved_it = report.status == Status::solved;
  if (report.lower_bound > size || (solved_it && k < 0 && report.lower_bound != size)) {
    return fmt::format("a cover of {} with a lower bound of {}", io::grouped(size),
                       io::grouped(report.lower_bound));
  }
  if (spec.minimum) {
    auto const minimum = *spec.minimum;
    if (size < minimum || report.lower_bound > minimum || (solved_it && k < 0 && size != minimum) ||
        (solved_it && k >= 0 && report.found != (static_cast<std::uint64_t>(k) >= minimum))) {
      return fmt::format("the minimum is known to be {}", io::grouped(minimum));
    }
  }
  return {};
}

/// The first answer to a question; every other must agree.
struct Answer {
  bool found = false;
  std::uint64_t size = 0;  ///< where a minimum was asked for
  std::string solver;
};

/// Warm-up, repetitions, verification. Nothing where Ctrl-C came first.
std::optional<CoverCase> measure(CoverExperiment const& experiment, CoverSolver const& solver,
                                 GraphSpec const& spec, LoadedGraph const& graph, CoverCase result,
                                 std::map<std::int64_t, Answer>& answers) {
  result.vertices = graph.problem.vertices();
  result.edges = graph.problem.edges;
  result.read_seconds = graph.seconds;
  auto options = solver.options;
  options.k = result.k;
  options.stop = &Interrupt::flag();
  for (int repetition = -experiment.warmup; repetition < experiment.repetitions; ++repetition) {
    auto const solved = solve_cover(result.backend, graph.problem, options);
    if (Interrupt::requested()) {
      return std::nullopt;
    }
    result.report = solved.report;
    // What the time limit stopped once, it would stop again.
    if (repetition < 0 && result.solved()) {
      continue;
    }
    result.runs.push_back(solved.seconds);
    if (experiment.verify && result.failure.empty()) {
      result.failure = fault_of(graph, spec, result.k, solved);
    }
    if (!result.solved()) {
      break;
    }
  }
  if (result.solved()) {
    auto const& report = result.report;
    auto const size = result.k < 0 ? report.cover_size : 0;
    auto const& [answer, fresh] =
        answers.try_emplace(result.k, Answer{report.found, size, solver.name});
    if (!fresh && result.failure.empty() &&
        (answer->second.found != report.found || answer->second.size != size)) {
      result.failure = fmt::format("another answer than {}", answer->second.solver);
    }
  }
  for (auto const& activity : result.report.activities) {
    result.activities.emplace_back(activity.name, activity.share);
  }
  result.verified = experiment.verify && result.failure.empty();
  return result;
}

std::size_t case_count(CoverExperiment const& experiment) {
  std::size_t cases = 0;
  for (auto const& spec : experiment.graphs) {
    for (auto const& solver : experiment.solvers) {
      cases += spec.runs(solver.name) ? spec.questions.size() : 0;
    }
  }
  return cases;
}

/// False where Ctrl-C ended it early.
bool run_cases(CoverExperiment const& experiment, CoverResults& results) {
  Interrupt const interrupt;
  Progress progress(case_count(experiment));
  std::size_t done = 0;
  for (auto const& spec : experiment.graphs) {
    std::optional<LoadedGraph> graph;
    std::map<std::int64_t, Answer> answers;
    for (auto const k : spec.questions) {
      for (auto const& solver : experiment.solvers) {
        if (!spec.runs(solver.name)) {
          continue;
        }
        CoverCase wanted;
        wanted.graph = spec.name;
        wanted.k = k;
        wanted.solver = solver.name;
        wanted.backend = require_backend(solver.backend);
        if (auto const* earlier = results.find(wanted)) {
          if (earlier->solved()) {
            auto const& report = earlier->report;
            answers.try_emplace(k,
                                Answer{report.found, k < 0 ? report.cover_size : 0, solver.name});
          }
        } else {
          progress.show(done, fmt::format("{} {} {}", spec.name, question_label(k), solver.name));
          if (!graph) {
            graph = load(experiment, spec);
            for (auto const& note : graph->file.notes) {
              progress.clear();
              fmt::print(stderr, "note: {}\n", note);
            }
          }
          auto result = measure(experiment, solver, spec, *graph, std::move(wanted), answers);
          if (!result) {
            return false;
          }
          if (!result->failure.empty()) {
            progress.clear();
            fmt::print(stderr, "WRONG: {} on {}, {}: {}\n", solver.name, spec.name,
                       question_label(k), result->failure);
          }
          results.add(std::move(*result));
        }
        ++done;
      }
    }
  }
  return true;
}

}  // namespace

int run_cover_experiment(CoverExperiment experiment, bool resume) {
  settle_backends(experiment);
  settle_graphs(experiment);
  CoverResults results(experiment, provenance_json());
  if (resume) {
    results.resume();
  }
  if (auto const resumed = results.cases().size(); resumed > 0) {
    fmt::print(stderr, "{} of {} cases are there already\n", resumed, case_count(experiment));
  }
  auto const finished = run_cases(experiment, results);
  if (finished) {
    results.complete();
  }

  auto const& cases = results.cases();
  auto const count = [&](auto const& property) { return std::ranges::count_if(cases, property); };
  auto const wrong = count([](CoverCase const& result) { return !result.failure.empty(); });
  auto const stopped = count([](CoverCase const& result) { return !result.solved(); });
  if (!cases.empty()) {
    fmt::print("{}\n{}", experiment.title.empty() ? experiment.name : experiment.title,
               result_table(experiment, cases));
    fmt::print("\nTimes are medians of the solve, without reading the graph.{}\n",
               stopped > 0 ? " '>': stopped by the time limit" : "");
    fmt::print("results: {} and {}\n", results.files().json_path().string(),
               results.files().csv_path().string());
  }
  if (wrong > 0) {
    fmt::print("{} of {} answers are WRONG\n", wrong, cases.size());
  } else if (experiment.verify && !cases.empty()) {
    fmt::print("verified: all {} covers cover the file's edges, and the answers agree{}\n",
               cases.size(),
               stopped > 0 ? fmt::format("; {} were stopped by the time limit", stopped) : "");
  }
  if (!finished) {
    fmt::print(stderr, "taper run: interrupted after {} of {} cases; --resume goes on from there\n",
               cases.size(), case_count(experiment));
  }
  return finished && wrong == 0 ? 0 : 1;
}

}  // namespace taper::app
