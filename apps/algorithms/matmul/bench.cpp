// SPDX-License-Identifier: Apache-2.0
#include "results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace taper::app {
namespace {

/// The reason why the engine cannot run on its backend, which exists; empty if it can.
std::string missing_requirement(MatmulExperiment const& experiment, MatmulEntry const& engine) {
  auto const backend = require_backend(engine.backend);
  if (!can_use_threads(backend, engine.threads)) {
    return fmt::format("backend {} cannot run on {} threads here", backend, engine.threads);
  }
  if (reads_field(experiment.operation, engine.options.engine, "scheduler") &&
      engine.options.scheduler == Scheduler::tasks && backend != "openmp") {
    return fmt::format("scheduler 'tasks' needs the backend openmp; this is {}", backend);
  }
  if (engine.options.explicit_simd && !has_explicit_simd(backend)) {
    return fmt::format("this build has no SIMD instructions for backend {}", backend);
  }
  if (experiment.operation == Operation::multiply &&
      engine.options.engine == matmul::Engine::vendor && !has_vendor(backend)) {
    return fmt::format("this build has no vendor library for backend {}", backend);
  }
  return {};
}

/// Drops the engines that cannot run here, or throws, depending on skip_missing_backends.
void drop_unavailable_engines(MatmulExperiment& experiment) {
  drop_missing_backends(experiment.engines, "engine", experiment.skip_missing_backends);
  drop_unavailable(
      experiment.engines, "engine", experiment.skip_missing_backends,
      [&](MatmulEntry const& engine) { return missing_requirement(experiment, engine); });
  replace_missing_baseline(experiment.baseline, experiment.engines);
}

/// Throws ConfigError, before anything is allocated, if the matrices of a size do not fit.
void check_memory(MatmulExperiment const& experiment) {
  for (auto const& extents : experiment.sizes) {
    for (auto const type : experiment.types) {
      require_host_memory(fmt::format("the matrices of {}, {},",
                                      extents_label(experiment.operation, extents),
                                      io::to_string(type)),
                          product_bytes(experiment.operation, type, extents));
    }
  }
}

class MatmulBench final : public Bench<MatmulCase> {
 public:
  explicit MatmulBench(MatmulExperiment const& experiment) : experiment_(experiment) {}

  static void drop_unavailable(MatmulExperiment& experiment) {
    drop_unavailable_engines(experiment);
    check_memory(experiment);
  }

  std::vector<MatmulCase> plan() const override {
    std::vector<MatmulCase> cases;
    for (auto const type : experiment_.types) {
      for (auto const& extents : experiment_.sizes) {
        for (auto const& engine : experiment_.engines) {
          if (engine.runs(extents)) {
            auto& wanted = cases.emplace_back();
            wanted.operation = experiment_.operation;
            wanted.extents = extents;
            wanted.type = type;
            wanted.engine = engine.name;
            wanted.backend = require_backend(engine.backend);
          }
        }
      }
    }
    return cases;
  }

  void begin(MatmulCase const&) override { product_.reset(); }

  std::vector<std::string> prepare(MatmulCase& result) override {
    if (!product_) {
      product_ =
          generate_product(result.operation, result.type, result.extents, experiment_.workload);
    }
    return {};
  }

  bool run(MatmulCase& result, int repetition) override {
    auto const& engine = engine_of(result);
    auto const [report, seconds] = product_->run(result.backend, engine);
    if (repetition < 0) {
      return true;
    }
    result.runs.push_back(seconds);
    result.report = report;
    if (experiment_.verify && result.failure.empty()) {
      // Generated factors are finite, so there is a residual.
      auto const deviation = *product_->verify();
      result.deviation.bound = deviation.bound;
      result.deviation.scaled_residual =
          std::max(result.deviation.scaled_residual, deviation.scaled_residual);
      if (!deviation.within()) {
        result.deviation = deviation;
        result.failure = describe(result.operation, deviation);
      }
    }
    return true;
  }

  std::string remark(std::span<MatmulCase const>) const override {
    return fmt::format("ratio: speedup over {}, by medians. GFLOP/s count the operations of the "
                       "definition, also if an engine saves some; residuals are in units of one "
                       "rounding.",
                       experiment_.baseline);
  }
  std::string verdict(std::span<MatmulCase const> cases) const override {
    return fmt::format("all {} results have residuals within their bounds", cases.size());
  }

 private:
  MatmulEntry const& engine_of(MatmulCase const& result) const {
    return entry_named(experiment_.engines, result.engine);
  }

  MatmulExperiment const& experiment_;
  std::unique_ptr<Product> product_;
};

}  // namespace

std::unique_ptr<Experiment> read_matmul_bench(Node const& root) {
  return std::make_unique<BenchExperiment<MatmulExperiment, MatmulBench>>(
      read_matmul_experiment(root));
}

}  // namespace taper::app
