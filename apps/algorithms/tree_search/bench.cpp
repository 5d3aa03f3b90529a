// SPDX-License-Identifier: Apache-2.0
#include "count.hpp"
#include "results.hpp"

#include <support/runtime.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace taper::app {
namespace {

namespace ts = tree_search;

/// The published counts of a sample tree; for another tree the counts of a serial search.
ts::Report expected_counts(TreeSpec const& spec) {
  if (auto const sample = ts::find_sample_tree(spec.name); sample && sample->tree == spec.tree) {
    return {.nodes = sample->nodes, .leaves = sample->leaves, .depth = sample->depth};
  }
  return count_tree(require_backend("host"), 0, spec.tree, {.schedule = ts::Schedule::serial})
      .report;
}

class TreeBench final : public Bench<TreeCase> {
 public:
  explicit TreeBench(TreeExperiment const& experiment) : experiment_(experiment) {}

  static void drop_unavailable(TreeExperiment& experiment) {
    drop_missing_backends(experiment.engines, "engine", experiment.skip_missing_backends);
    app::drop_unavailable(experiment.engines, "engine", experiment.skip_missing_backends,
                          [](TreeEngine const& engine) {
                            return missing_for_schedule(require_backend(engine.backend),
                                                        engine.options.schedule, engine.threads);
                          });
    replace_missing_baseline(experiment.baseline, experiment.engines);
  }

  std::vector<TreeCase> plan() const override {
    std::vector<TreeCase> cases;
    for (auto const& spec : experiment_.trees) {
      for (auto const& engine : experiment_.engines) {
        auto& wanted = cases.emplace_back();
        wanted.tree = spec.name;
        wanted.engine = engine.name;
        wanted.backend = require_backend(engine.backend);
      }
    }
    return cases;
  }

  void begin(TreeCase const& first) override {
    spec_ = &*std::ranges::find(experiment_.trees, first.tree, &TreeSpec::name);
    expected_.reset();
  }

  std::vector<std::string> prepare(TreeCase&) override {
    if (experiment_.verify && !expected_) {
      expected_ = expected_counts(*spec_);
    }
    return {};
  }

  bool run(TreeCase& result, int repetition) override {
    auto const& engine = entry_named(experiment_.engines, result.engine);
    auto const [report, seconds] =
        count_tree(result.backend, engine.threads, spec_->tree, engine.options);
    if (repetition < 0) {
      return true;
    }
    result.runs.push_back(seconds);
    result.report = report;
    if (expected_ && result.failure.empty() &&
        (report.nodes != expected_->nodes || report.leaves != expected_->leaves ||
         report.depth != expected_->depth)) {
      result.failure = fmt::format("{} nodes, {} leaves, depth {}; expected {}, {}, {}",
                                   report.nodes, report.leaves, report.depth, expected_->nodes,
                                   expected_->leaves, expected_->depth);
    }
    return true;
  }

  std::string remark(std::span<TreeCase const>) const override {
    return fmt::format("ratio: speedup over {}, by medians.", experiment_.baseline);
  }
  std::string verdict(std::span<TreeCase const> cases) const override {
    return fmt::format("all {} counts equal the published ones, or those of a serial search",
                       cases.size());
  }

 private:
  TreeExperiment const& experiment_;
  TreeSpec const* spec_ = nullptr;
  std::optional<ts::Report> expected_;
};

}  // namespace

std::unique_ptr<Experiment> read_tree_bench(Node const& root) {
  return std::make_unique<BenchExperiment<TreeExperiment, TreeBench>>(read_tree_experiment(root));
}

}  // namespace taper::app
