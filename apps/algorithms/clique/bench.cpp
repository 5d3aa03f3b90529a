// SPDX-License-Identifier: Apache-2.0
#include "results.hpp"
#include "solve.hpp"

#include <algorithms/vertex_cover/problem.hpp>
#include <support/interrupt.hpp>
#include <support/runtime.hpp>
#include <support/text.hpp>

#include <io/graph/read.hpp>
#include <io/text/strings.hpp>

#include <taper/clique/verify.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace taper::app {
namespace {

/// A graph for the solvers and the checks. No weights: all are 1.
struct LoadedGraph {
  clique::HostGraph graph;
  std::vector<clique::Weight> weights;
  std::vector<std::string> notes;
};

LoadedGraph load(CliqueExperiment const& experiment, CliqueGraph const& spec) {
  LoadedGraph loaded;
  io::GraphFile file;
  if (spec.file.empty()) {
    loaded.graph = generate_clique_graph(spec.workload);
    file.vertices = loaded.graph.vertices();
  } else {
    file = io::read_graph(experiment.data / spec.file,
                          {.weights = spec.weights.in_graph_file(), .stop = &Interrupt::flag()});
    loaded.graph = make_cover_problem(file, SelfLoops::drop).graph;
    loaded.notes = std::move(file.notes);
  }
  loaded.weights = load_weights(spec.weights, experiment.data, file);
  return loaded;
}

/// The error in an answer; empty if it is right.
std::string fault_of(LoadedGraph const& graph, CliqueGraph const& spec,
                     SolvedClique const& solved) {
  auto const& report = solved.report;
  if (auto const missing = clique::find_missing_edges(graph.graph, solved.in_clique, 0).count) {
    return fmt::format("not a clique: {} are not adjacent", counted(missing, "pair", "pairs"));
  }
  auto const weight = graph.weights.empty()
                          ? static_cast<clique::Weight>(std::ranges::count(solved.in_clique, 1))
                          : clique::weight_of(graph.weights, solved.in_clique);
  if (weight != report.clique_weight) {
    return fmt::format("the report says {}; the clique weighs {}", report.clique_weight, weight);
  }
  if (report.upper_bound < weight) {
    return fmt::format("a clique of {} with an upper bound of {}", weight, report.upper_bound);
  }
  if (spec.maximum && (weight > *spec.maximum || report.upper_bound < *spec.maximum)) {
    return fmt::format("the known maximum is {}", *spec.maximum);
  }
  return {};
}

class CliqueBench final : public Bench<CliqueCase> {
 public:
  explicit CliqueBench(CliqueExperiment const& experiment) : experiment_(experiment) {}

  static void drop_unavailable(CliqueExperiment& experiment) {
    app::drop_unavailable(experiment.engines, "engine", experiment.skip_missing_backends,
                          [](CliqueEngine const& engine) {
                            auto const backend = require_backend("host");
                            return can_use_threads(backend, engine.threads)
                                       ? std::string{}
                                       : fmt::format(
                                             "backend {} cannot run on {} here", backend,
                                             counted(static_cast<std::uint64_t>(engine.threads),
                                                     "thread", "threads"));
                          });
    replace_missing_baseline(experiment.baseline, experiment.engines);
    for (auto const& graph : experiment.graphs) {
      std::error_code error;
      if (!graph.file.empty() && !std::filesystem::exists(experiment.data / graph.file, error)) {
        throw ConfigError(
            fmt::format("graph '{}': no file {}; set data=FOLDER to the folder of the graphs",
                        graph.name, (experiment.data / graph.file).string()));
      }
      require_weight_file(graph.weights, experiment.data, graph.name);
    }
  }

  std::vector<CliqueCase> plan() const override {
    std::vector<CliqueCase> cases;
    for (auto const& graph : experiment_.graphs) {
      for (auto const& engine : experiment_.engines) {
        auto& wanted = cases.emplace_back();
        wanted.graph = graph.name;
        wanted.engine = engine.name;
        wanted.backend = require_backend("host");
      }
    }
    return cases;
  }

  void begin(CliqueCase const&) override {
    graph_.reset();
    known_.reset();
  }

  std::vector<std::string> prepare(CliqueCase& result) override {
    bool const fresh = !graph_;
    if (fresh) {
      graph_ = load(experiment_, entry_named(experiment_.graphs, result.graph));
    }
    result.vertices = graph_->graph.vertices();
    result.edges = graph_->graph.edges();
    return fresh ? graph_->notes : std::vector<std::string>{};
  }

  bool run(CliqueCase& result, int repetition) override {
    auto const& engine = entry_named(experiment_.engines, result.engine);
    auto options = engine.options;
    options.stop = &Interrupt::flag();
    auto const solved =
        solve_clique(result.backend, engine.threads, graph_->graph, graph_->weights, options);
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
      result.failure = fault_of(*graph_, entry_named(experiment_.graphs, result.graph), solved);
    }
    return result.solved();
  }

  void finish(CliqueCase& result) override {
    recall(result);
    if (result.failure.empty() && known_ &&
        (result.report.upper_bound < *known_ || result.report.clique_weight > *known_)) {
      result.failure = "the answer differs from that of another engine";
    }
  }

  void recall(CliqueCase const& earlier) override {
    if (earlier.solved() && !known_) {
      known_ = earlier.report.clique_weight;
    }
  }

  std::string remark(std::span<CliqueCase const> cases) const override {
    return fmt::format("ratio: speedup over {}, by medians.{}", experiment_.baseline,
                       stopped(cases) > 0 ? " An answer A..B: stopped by the time limit." : "");
  }
  std::string verdict(std::span<CliqueCase const> cases) const override {
    auto text =
        fmt::format("all {} answers are cliques of their weight, and they agree", cases.size());
    if (auto const count = stopped(cases); count > 0) {
      text += fmt::format("; the time limit stopped {}", count);
    }
    return text;
  }

 private:
  static std::ptrdiff_t stopped(std::span<CliqueCase const> cases) {
    return std::ranges::count_if(cases, [](CliqueCase const& result) { return !result.solved(); });
  }

  CliqueExperiment const& experiment_;
  std::optional<LoadedGraph> graph_;
  std::optional<clique::Weight> known_;  ///< the maximum that an engine has proved
};

}  // namespace

std::unique_ptr<Experiment> read_clique_bench(Node const& root) {
  return std::make_unique<BenchExperiment<CliqueExperiment, CliqueBench>>(
      read_clique_experiment(root));
}

}  // namespace taper::app
