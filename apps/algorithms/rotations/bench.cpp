// SPDX-License-Identifier: Apache-2.0
#include "generate.hpp"
#include "results.hpp"
#include "solve.hpp"

#include <support/seconds_of.hpp>

#include <taper/rotations/optimum.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

namespace taper::app {
namespace {

namespace rot = rotations;

/// What an engine found.
struct Answer {
  rot::RotationPoset poset;
  std::optional<rot::Count> count;
  std::optional<rot::Optimum> optimum;
};

constexpr std::optional<rot::Objective> objective_of(RotationTask task) {
  switch (task) {
  case RotationTask::egalitarian:
    return rot::Objective::egalitarian;
  case RotationTask::minimum_regret:
    return rot::Objective::minimum_regret;
  case RotationTask::sex_equal:
    return rot::Objective::sex_equal;
  case RotationTask::rotations:
  case RotationTask::count:
    break;
  }
  return std::nullopt;
}

Answer answer_of(rot::Market const& market, RotationOptions const& options) {
  Answer answer{.poset = solve_rotations(market), .count = {}, .optimum = {}};
  if (auto const objective = objective_of(options.task)) {
    answer.optimum =
        solve_optimum(answer.poset, {.objective = *objective, .visit_limit = options.visit_limit});
  } else if (options.task == RotationTask::count) {
    answer.count = solve_count(answer.poset, options.visit_limit);
  }
  return answer;
}

std::int64_t value_of(rot::Costs const& costs, RotationTask task) {
  return task == RotationTask::egalitarian      ? costs.egalitarian
         : task == RotationTask::minimum_regret ? costs.regret
                                                : costs.sex_equality;
}

/// Why the answer is wrong; empty if no check finds a fault. The matchings that are listed, up to
/// 1,000, must be stable, and none may be better than the optimum. If all are listed, their number
/// is the count.
std::string failure_of(rot::Market const& market, RotationTask task, Answer const& answer) {
  constexpr std::uint64_t most = 1000;
  rot::RotationPoset const& poset = answer.poset;
  auto const& count = answer.count;
  auto const& optimum = answer.optimum;
  if (optimum && check_matching(market, optimum->partner_of_man)) {
    return "the matching is not stable";
  }
  if (optimum && value_of(rot::costs_of(poset, optimum->partner_of_man), task) != optimum->value) {
    return "the matching does not have its value";
  }
  std::uint64_t listed = 0;
  std::string failure;
  bool const all = list_matchings(poset, [&](std::span<std::int32_t const> partner_of_man) {
    if (check_matching(market, partner_of_man)) {
      failure = fmt::format("matching {} of the list is not stable", listed + 1);
    } else if (optimum && optimum->proved &&
               value_of(rot::costs_of(poset, partner_of_man), task) < optimum->value) {
      failure = fmt::format("matching {} of the list is better", listed + 1);
    }
    return failure.empty() && ++listed < most;
  });
  if (failure.empty() && count && (all ? count->matchings != listed : count->matchings < listed)) {
    failure = fmt::format("{} matchings counted, {} listed", count->matchings, listed);
  }
  return failure;
}

class RotationBench final : public Bench<RotationCase> {
 public:
  explicit RotationBench(RotationExperiment const& experiment) : experiment_(experiment) {}

  static void drop_unavailable(RotationExperiment&) {}  // a host is always there

  std::vector<RotationCase> plan() const override {
    std::vector<RotationCase> cases;
    for (auto const& market : experiment_.markets) {
      for (auto const& engine : experiment_.engines) {
        auto& wanted = cases.emplace_back();
        wanted.market = market.name;
        wanted.n = market.n;
        wanted.engine = engine.name;
        wanted.backend = "host";
      }
    }
    return cases;
  }

  void begin(RotationCase const&) override { market_.reset(); }

  std::vector<std::string> prepare(RotationCase& result) override {
    if (!market_) {
      market_ = generate_market(entry_named(experiment_.markets, result.market));
    }
    return {};
  }

  bool run(RotationCase& result, int repetition) override {
    auto const& options = entry_named(experiment_.engines, result.engine).options;
    Answer answer;
    double const seconds = seconds_of([&] { answer = answer_of(market_->view(), options); });
    if (repetition < 0) {
      return true;
    }
    result.runs.push_back(seconds);
    result.report = rot::report_of(answer.poset);
    result.proved = answer.count     ? answer.count->exact
                    : answer.optimum ? answer.optimum->proved
                                     : true;
    result.answer = answer.count     ? answer.count->matchings
                    : answer.optimum ? static_cast<std::uint64_t>(answer.optimum->value)
                                     : static_cast<std::uint64_t>(result.report.rotations);
    if (experiment_.verify && repetition == 0) {
      result.failure = failure_of(market_->view(), options.task, answer);
    }
    return true;
  }

  std::string remark(std::span<RotationCase const>) const override {
    return fmt::format("ratio: speedup over {}, by medians. Times begin with the lists.",
                       experiment_.baseline);
  }
  std::string verdict(std::span<RotationCase const> cases) const override {
    return fmt::format("all {} answers: no blocking pair, no better one among 1,000 others",
                       cases.size());
  }

 private:
  RotationExperiment const& experiment_;
  std::optional<GeneratedMarket> market_;
};

}  // namespace

std::unique_ptr<Experiment> read_rotation_bench(Node const& root) {
  return std::make_unique<BenchExperiment<RotationExperiment, RotationBench>>(
      read_rotation_experiment(root));
}

}  // namespace taper::app
