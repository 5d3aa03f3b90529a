// SPDX-License-Identifier: Apache-2.0
#include "problem.hpp"
#include "results.hpp"

#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace taper::app {
namespace {

namespace mp = marriage_propagator;

/// Throws ConfigError, before anything is allocated, if the largest size does not fit: its lists,
/// tables, domains and trail.
void check_memory(PropagatorExperiment const& experiment) {
  // 2 lists, 4 tables of 4 bytes per pair, and the same for the verification and the host's copies.
  constexpr std::uint64_t bytes_per_pair = 64;
  std::uint64_t const n = std::ranges::max(experiment.sizes);
  for (auto const& engine : experiment.engines) {
    auto const backend = require_backend(engine.backend);
    auto const free = free_memory_of(backend);
    if (free < bytes_per_pair * n * n) {
      throw ConfigError(fmt::format("n = {} needs {} of memory; backend {} has {} free",
                                    io::grouped(n), io::human_bytes(bytes_per_pair * n * n),
                                    backend, io::human_bytes(free)));
    }
  }
}

class PropagatorBench final : public Bench<PropagatorCase> {
 public:
  explicit PropagatorBench(PropagatorExperiment const& experiment) : experiment_(experiment) {}

  static void drop_unavailable(PropagatorExperiment& experiment) {
    drop_missing_backends(experiment.engines, "engine", experiment.skip_missing_backends);
    replace_missing_baseline(experiment.baseline, experiment.engines);
    check_memory(experiment);
  }

  std::vector<PropagatorCase> plan() const override {
    std::vector<PropagatorCase> cases;
    for (auto const& lists : experiment_.lists) {
      for (auto const n : experiment_.sizes) {
        for (auto const seed : experiment_.instances) {
          for (auto const& spec : experiment_.classes) {
            for (auto const& engine : experiment_.engines) {
              auto& wanted = cases.emplace_back();
              wanted.n = n;
              wanted.lists = lists.label();
              wanted.spec = spec;
              wanted.spec.seed = seed;
              wanted.engine = engine.name;
              wanted.backend = require_backend(engine.backend);
            }
          }
        }
      }
    }
    return cases;
  }

  void begin(PropagatorCase const&) override {
    problems_.clear();
    answers_.clear();
  }

  std::vector<std::string> prepare(PropagatorCase& result) override {
    auto& problem = problems_[result.backend];
    if (!problem) {
      auto const& spec = *std::ranges::find(experiment_.lists, result.lists, &WorkloadSpec::label);
      problem = generate_propagator_problem(result.backend, {.family = spec.family,
                                                             .n = result.n,
                                                             .seed = result.spec.seed,
                                                             .group_size = spec.group_size,
                                                             .strength = spec.strength});
    }
    return {};
  }

  bool run(PropagatorCase& result, int repetition) override {
    auto const& options = options_of(result);
    auto const call = problems_.at(result.backend)->call(result.spec, options);
    if (repetition < 0) {
      return true;
    }
    result.runs.push_back(call.seconds);
    result.ran = call.ran;
    result.situation = call.situation;
    result.removed = call.removed;
    result.rounds = call.rounds;
    result.bytes_moved = call.bytes_moved;
    result.failed = call.domains.failed;
    result.calls = call.calls;
    if (experiment_.verify && result.failure.empty()) {
      result.failure = fault_of(result, options, call.domains);
    }
    return true;
  }

  std::string remark(std::span<PropagatorCase const>) const override {
    return fmt::format("Times are of propagate(), over all instances. Serial calls run on the "
                       "calling thread. ratio: speedup over {}, by medians. The other numbers are "
                       "medians too.",
                       experiment_.baseline);
  }
  std::string verdict(std::span<PropagatorCase const> cases) const override {
    return fmt::format(
        "all {} calls leave the domains that the constraint allows, the same for all engines",
        cases.size());
  }

 private:
  /// The error in an answer; empty if it is right. The first answer to a call is checked on its
  /// own, the others are compared with it.
  std::string fault_of(PropagatorCase const& result, mp::Options const& options,
                       Domains const& found) {
    auto const key =
        fmt::format("{}{}{}", class_label(result.spec), options.symmetric, options.bind_partner);
    if (auto const answer = answers_.find(key); answer != answers_.end()) {
      auto const where = difference(found, answer->second);
      return where.empty() ? where : "differs from the first answer: " + where;
    }
    auto fault = problems_.at(result.backend)->fault_of(result.spec, options, found);
    if (fault.empty()) {
      answers_.emplace(key, found);
    }
    return fault;
  }

  mp::Options const& options_of(PropagatorCase const& result) const {
    return entry_named(experiment_.engines, result.engine).options;
  }

  PropagatorExperiment const& experiment_;
  std::map<std::string, std::unique_ptr<PropagatorProblem>> problems_;  ///< per backend
  std::map<std::string, Domains> answers_;  ///< right answers, per kind of call
};

}  // namespace

std::unique_ptr<Experiment> read_propagator_bench(Node const& root) {
  return std::make_unique<BenchExperiment<PropagatorExperiment, PropagatorBench>>(
      read_propagator_experiment(root));
}

}  // namespace taper::app
