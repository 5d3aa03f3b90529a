// SPDX-License-Identifier: Apache-2.0
#include "run_experiment.hpp"

#include "config_error.hpp"
#include "interrupt.hpp"
#include "progress.hpp"
#include "results.hpp"
#include "runtime.hpp"
#include "table.hpp"

#include <io/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>

namespace taper::app {

namespace sm = stable_marriage;

namespace {

/// The instances of the moment: one in host memory, and one on devices, made when an engine asks for
/// it. Two on the same devices would not leave each other the memory that either may need.
class Instances {
 public:
  explicit Instances(sm::Workload const& workload) : workload_(workload) {}

  struct Made {
    std::unique_ptr<Problem> problem;
    double seconds = 0;
  };

  Made const& on(std::string_view backend, Sharing const& sharing) {
    bool const shared = sharing.devices > 0;
    auto& made = find_backend("device") == backend || shared ? device_ : host_;
    if (&made == &device_ && sharing != sharing_) {
      device_ = {};
      sharing_ = sharing;
    }
    if (!made.problem) {
      auto const begun = std::chrono::steady_clock::now();
      made.problem = shared ? generate_problem(backend, sharing, workload_)
                            : generate_problem(backend, workload_);
      made.seconds =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    }
    return made;
  }

 private:
  sm::Workload workload_;
  Made host_;
  Made device_;
  Sharing sharing_;  ///< of `device_`
};

/// Drops the engines that this build cannot run, or throws, as the experiment wants it.
void settle_backends(Experiment& experiment) {
  std::erase_if(experiment.engines, [&](Engine const& engine) {
    if (find_backend(engine.backend)) {
      return false;
    }
    try {
      require_backend(engine.backend);
    } catch (ConfigError const& error) {
      if (!experiment.skip_missing_backends) {
        throw ConfigError(fmt::format("engine '{}': {}; skip_missing_backends=true leaves it out",
                                      engine.name, error.what()));
      }
      fmt::print(stderr, "skipped: {}: {}\n", engine.name, error.what());
    }
    return true;
  });
  if (experiment.engines.empty()) {
    throw ConfigError("no engine is left that this build can run");
  }
  if (std::ranges::find(experiment.engines, experiment.baseline, &Engine::name) ==
      experiment.engines.end()) {
    experiment.baseline = experiment.engines.front().name;
    fmt::print(stderr, "the baseline is left out: {} takes its place\n", experiment.baseline);
  }
}

/// Before anything is allocated: each engine's largest instance fits where it will be solved. Says
/// what it takes.
void check_memory(Experiment const& experiment) {
  for (auto const& engine : experiment.engines) {
    std::size_t n = 0;
    for (auto const& workload : experiment.workloads) {
      if (workload.runs(engine)) {
        n = std::max(n, std::ranges::max(workload.sizes));
      }
    }
    auto const needed = require_memory(engine, n);
    fmt::print(stderr, "memory    {}: {} for n = {} with its solution{}\n", engine.name,
               io::human_bytes(needed), io::grouped(n),
               engine.sharing.devices > 1 ? ", on each device" : "");
  }
}

/// The first answer of an instance for a proposing side; every other must be the same.
struct Answer {
  std::string hash;
  std::string engine;
};

/// One engine on one instance: warm-up, repetitions, verification. Nothing where Ctrl-C came first.
std::optional<CaseResult> measure(Experiment const& experiment, Engine const& engine,
                                  Instances& instances, CaseResult result,
                                  std::map<sm::Proposer, Answer>& answers) {
  auto const& made = instances.on(result.backend, engine.sharing);
  result.generation_seconds = made.seconds;
  auto const fail = [&](std::string reason) {
    if (result.failure.empty()) {
      result.failure = std::move(reason);
    }
  };
  for (int repetition = -experiment.warmup; repetition < experiment.repetitions; ++repetition) {
    if (Interrupt::requested()) {
      return std::nullopt;
    }
    auto solved = made.problem->solve(result.backend, engine.options);
    if (repetition < 0) {
      continue;
    }
    result.runs.push_back(solved.seconds);
    auto const hash = hash_matching(solved.partner_of_man);
    if (repetition == 0) {
      result.matching_hash = hash;
      if (experiment.verify) {
        auto const verdict = made.problem->verify(solved.partner_of_man);
        result.blocking_pairs = verdict.blocking_pairs;
        if (!verdict.perfect_matching) {
          fail("not a perfect matching");
        } else if (!verdict.stable()) {
          fail(fmt::format("not stable: {} blocking pairs", io::grouped(verdict.blocking_pairs)));
        }
      }
    } else if (hash != result.matching_hash) {
      fail(fmt::format("repetition {} gave another matching", repetition + 1));
    }
    result.counters = std::move(solved);
  }
  auto const& [answer, fresh] =
      answers.try_emplace(engine.options.proposer, Answer{result.matching_hash, engine.name});
  if (!fresh && answer->second.hash != result.matching_hash) {
    fail(fmt::format("another matching than {}", answer->second.engine));
  }
  result.verified = experiment.verify && result.failure.empty();
  return result;
}

std::size_t case_count(Experiment const& experiment) {
  std::size_t cases = 0;
  for (auto const& workload : experiment.workloads) {
    auto const engines = std::ranges::count_if(
        experiment.engines, [&](Engine const& engine) { return workload.runs(engine); });
    cases += workload.sizes.size() * experiment.seeds.size() * static_cast<std::size_t>(engines);
  }
  return cases;
}

/// False where Ctrl-C ended it early.
bool run_cases(Experiment const& experiment, ResultsFolder& folder) {
  Interrupt const interrupt;
  Progress progress(case_count(experiment));
  std::size_t done = 0;
  for (auto const& workload : experiment.workloads) {
    for (auto const n : workload.sizes) {
      for (auto const seed : experiment.seeds) {
        Instances instances({workload.family, n, seed, workload.group_size, workload.strength});
        std::map<sm::Proposer, Answer> answers;
        for (auto const& engine : experiment.engines) {
          if (!workload.runs(engine)) {
            continue;
          }
          CaseResult wanted;
          wanted.workload = workload.label();
          wanted.n = n;
          wanted.seed = seed;
          wanted.engine = engine.name;
          wanted.backend = require_backend(engine.backend);
          if (auto const* earlier = folder.find(wanted)) {
            answers.try_emplace(engine.options.proposer,
                                Answer{earlier->matching_hash, engine.name});
          } else {
            progress.show(done,
                          fmt::format("{} n={} seed {} {}", wanted.workload, n, seed, engine.name));
            auto result = measure(experiment, engine, instances, std::move(wanted), answers);
            if (!result) {
              return false;
            }
            if (!result->failure.empty()) {
              progress.clear();
              fmt::print(stderr, "WRONG: {} on {}, n = {}, seed {}: {}\n", engine.name,
                         workload.label(), n, seed, result->failure);
            }
            folder.add(std::move(*result));
          }
          ++done;
        }
      }
    }
  }
  return true;
}

}  // namespace

int run_experiment(Experiment experiment, bool resume) {
  settle_backends(experiment);
  check_memory(experiment);
  ResultsFolder folder(experiment, provenance_json());
  if (resume) {
    folder.resume();
  }
  auto const resumed = folder.cases().size();
  if (resumed > 0) {
    fmt::print(stderr, "{} of {} cases are there already\n", resumed, case_count(experiment));
  }
  auto const finished = run_cases(experiment, folder);
  if (finished) {
    folder.complete();
  }

  auto const& cases = folder.cases();
  if (!cases.empty()) {
    fmt::print("{}\n{}", experiment.title.empty() ? experiment.name : experiment.title,
               result_table(experiment, cases));
    fmt::print("\nratio: times faster than {}, by medians. Times are of the solve, without making "
               "the instance.\n",
               experiment.baseline);
    fmt::print("results: {} and {}\n", folder.json_path().string(), folder.csv_path().string());
  }
  auto const wrong =
      std::ranges::count_if(cases, [](auto const& result) { return !result.failure.empty(); });
  if (wrong > 0) {
    fmt::print("{} of {} answers are WRONG\n", wrong, cases.size());
  } else if (experiment.verify && !cases.empty()) {
    fmt::print("verified: all {} answers are perfect, stable and equal between the engines\n",
               cases.size());
  }
  if (!finished) {
    fmt::print(stderr, "taper run: interrupted after {} of {} cases; --resume goes on from there\n",
               cases.size(), case_count(experiment));
  }
  return finished && wrong == 0 ? 0 : 1;
}

}  // namespace taper::app
