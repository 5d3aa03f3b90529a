// SPDX-License-Identifier: Apache-2.0
#include "results.hpp"
#include "solve.hpp"

#include <mpi/experiment.hpp>
#include <mpi/processes.hpp>
#include <support/runtime.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace taper::app {
namespace {

namespace hr = hospitals_residents;

class SparseMarketBench final : public Bench<SparseMarketCase> {
 public:
  explicit SparseMarketBench(SparseMarketExperiment const& experiment) : experiment_(experiment) {}

  static void drop_unavailable(SparseMarketExperiment& experiment) {
    drop_missing_backends(experiment.engines, "engine", experiment.skip_missing_backends);
    app::drop_unavailable(experiment.engines, "engine", experiment.skip_missing_backends,
                          [](SparseMarketEngine const& engine) {
                            return missing_for_market(require_backend(engine.backend),
                                                      engine.options, engine.threads);
                          });
    replace_missing_baseline(experiment.baseline, experiment.engines);
  }

  std::vector<SparseMarketCase> plan() const override {
    std::vector<SparseMarketCase> cases;
    for (auto const& spec : experiment_.markets) {
      for (auto const& engine : experiment_.engines) {
        auto& wanted = cases.emplace_back();
        wanted.market = spec.name;
        wanted.engine = engine.name;
        wanted.backend = require_backend(engine.backend);
        wanted.residents = spec.workload.residents;
        wanted.entries =
            spec.workload.residents *
            std::min<std::uint64_t>(spec.workload.list_length, spec.workload.hospitals);
      }
    }
    return cases;
  }

  void begin(SparseMarketCase const& first) override {
    spec_ = &*std::ranges::find(experiment_.markets, first.market, &SparseMarketSpec::name);
    loaded_.reset();
    answers_.clear();
  }

  /// The market is generated again if the backend or its threads change: it is the same everywhere.
  std::vector<std::string> prepare(SparseMarketCase& result) override {
    auto const& engine = entry_named(experiment_.engines, result.engine);
    std::pair const place(result.backend, engine.threads);
    if (!loaded_ || place != place_) {
      loaded_.reset();
      loaded_ = processes().count > 1
                    ? generate_market_parts(engine.threads, spec_->workload)
                    : generate_market(result.backend, engine.threads, spec_->workload);
      place_ = place;
    }
    return {};
  }

  bool run(SparseMarketCase& result, int repetition) override {
    auto const& engine = entry_named(experiment_.engines, result.engine);
    auto [report, seconds] = loaded_->solve(engine.options);
    if (repetition >= 0) {
      result.runs.push_back(seconds);
      result.report = std::move(report);
      result.traffic = loaded_->traffic();
    }
    return true;
  }

  void finish(SparseMarketCase& result) override {
    if (!experiment_.verify) {
      return;
    }
    auto const& options = entry_named(experiment_.engines, result.engine).options;
    auto const verdict = loaded_->verify(1);
    if (!verdict.fault.empty()) {
      result.failure = verdict.fault;
    } else if (options.mechanism == hr::Mechanism::deferred_acceptance &&
               verdict.blocking_pairs > 0) {
      result.failure = fmt::format("{} blocking pairs; the first: resident {} and hospital {}",
                                   verdict.blocking_pairs, verdict.first.front().first,
                                   verdict.first.front().second);
    } else {
      compare(result, options);
    }
  }

  std::string remark(std::span<SparseMarketCase const>) const override {
    return fmt::format("ratio: speedup over {}, by medians. The first solve of a process is a "
                       "warm-up.",
                       experiment_.baseline);
  }
  std::string verdict(std::span<SparseMarketCase const> cases) const override {
    return fmt::format(
        "{} matchings; those of deferred acceptance have no blocking pair, and engines "
        "that ask the same agree",
        cases.size());
  }

 private:
  /// Engines whose options ask for the same matching must give it. Their numbers of assigned
  /// residents and proposals are compared: each matching is already known to be stable.
  void compare(SparseMarketCase& result, hr::Options const& options) {
    Answer const answer{options, result.report.assigned, result.report.proposals, result.engine};
    for (auto const& other : answers_) {
      if (other.asks_the_same(options) &&
          (other.assigned != answer.assigned || other.proposals != answer.proposals)) {
        result.failure =
            fmt::format("{} assigned, {} proposals; {} has {} and {}", answer.assigned,
                        answer.proposals, other.engine, other.assigned, other.proposals);
        return;
      }
    }
    answers_.push_back(answer);
  }

  struct Answer {
    hr::Options options;
    std::uint64_t assigned;
    std::uint64_t proposals;
    std::string engine;

    bool asks_the_same(hr::Options const& other) const {
      bool const has_rounds = options.mechanism == hr::Mechanism::parallel_mechanism;
      return options.proposer == other.proposer && options.mechanism == other.mechanism &&
             options.lottery == other.lottery &&
             (options.lottery == hr::Lottery::by_id || options.seed == other.seed) &&
             (!has_rounds || options.choices_per_round == other.choices_per_round);
    }
  };

  SparseMarketExperiment const& experiment_;
  SparseMarketSpec const* spec_ = nullptr;
  std::unique_ptr<LoadedMarket> loaded_;
  std::pair<std::string, int> place_;
  std::vector<Answer> answers_;
};

}  // namespace

std::unique_ptr<Experiment> read_sparse_market_bench(Node const& root) {
  return std::make_unique<BenchExperiment<SparseMarketExperiment, SparseMarketBench>>(
      read_sparse_market_experiment(root));
}

}  // namespace taper::app
