// SPDX-License-Identifier: Apache-2.0
#include "run_matmul_experiment.hpp"

#include "matmul_results.hpp"
#include "run_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace taper::app {
namespace {

/// Why the engine cannot run here, if it cannot: what a backend of its name lacks.
std::string lack_of(MatmulExperiment const& experiment, MatmulEntry const& engine) {
  auto const backend = require_backend(engine.backend);
  if (!can_use_threads(backend, engine.threads)) {
    return fmt::format("backend {} cannot run on {} threads here", backend, engine.threads);
  }
  if (experiment.operation == Operation::multiply &&
      engine.options.engine == matmul::Engine::vendor && !has_vendor(backend)) {
    return fmt::format("this build has no vendor's product for backend {}", backend);
  }
  return {};
}

/// Drops the engines that cannot run here, or throws, as the experiment wants it.
void settle_engines(MatmulExperiment& experiment) {
  settle_backends(experiment.engines, "engine", experiment.skip_missing_backends);
  settle(experiment.engines, "engine", experiment.skip_missing_backends,
         [&](MatmulEntry const& engine) { return lack_of(experiment, engine); });
  settle_baseline(experiment.baseline, experiment.engines);
}

/// Before anything is allocated: the matrices of the largest size fit.
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
      // Generated factors are finite: there is a residual.
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

  void finish(MatmulCase&) override {}
  void recall(MatmulCase const&) override {}

  std::string table(std::span<MatmulCase const> cases) const override {
    return result_table(experiment_, cases);
  }
  std::string remark(std::span<MatmulCase const>) const override {
    return fmt::format("ratio: times faster than {}, by medians. GFLOP/s count the operations of "
                       "the definition, whatever an engine saves; residuals are in units of one "
                       "rounding.",
                       experiment_.baseline);
  }
  std::string verdict(std::span<MatmulCase const> cases) const override {
    return fmt::format("all {} results have residuals within their bounds", cases.size());
  }

 private:
  MatmulEntry const& engine_of(MatmulCase const& result) const {
    return *std::ranges::find(experiment_.engines, result.engine, &MatmulEntry::name);
  }

  MatmulExperiment const& experiment_;
  std::unique_ptr<Product> product_;
};

}  // namespace

int run_matmul_experiment(MatmulExperiment experiment, bool resume) {
  settle_engines(experiment);
  check_memory(experiment);
  MatmulBench bench(experiment);
  return run_cases(experiment, bench, resume);
}

}  // namespace taper::app
