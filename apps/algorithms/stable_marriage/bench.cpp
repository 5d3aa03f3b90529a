// SPDX-License-Identifier: Apache-2.0
#include "run_experiment.hpp"

#include "results.hpp"
#include "run_cases.hpp"
#include "runtime.hpp"
#include "table.hpp"

#include <io/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <random>

namespace taper::app {

namespace sm = stable_marriage;

namespace {

/// The instances of the moment: one for host backends, and one for devices, made when an engine asks
/// for it. Two for the same devices would not leave each other the memory that either may need.
class Instances {
 public:
  explicit Instances(sm::Workload const& workload) : workload_(workload) {}

  struct Made {
    std::unique_ptr<Problem> problem;
    double seconds = 0;
    Sharing sharing;
    Tables tables = Tables::device;
  };

  Made const& on(std::string_view backend, Engine const& engine) {
    bool const shared = engine.sharing.devices > 0;
    auto& made = find_backend("device") == backend || shared ? device_ : host_;
    if (made.sharing != engine.sharing || made.tables != engine.tables) {
      made = {};
    }
    if (!made.problem) {
      made.sharing = engine.sharing;
      made.tables = engine.tables;
      auto const begun = std::chrono::steady_clock::now();
      made.problem = make(backend, engine);
      made.seconds =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    }
    return made;
  }

 private:
  std::unique_ptr<Problem> make(std::string_view backend, Engine const& engine) const {
    if (engine.sharing.devices > 0) {
      return generate_problem(backend, engine.sharing, workload_);
    }
    return engine.tables == Tables::device ? generate_problem(backend, workload_)
                                           : generate_problem(backend, engine.tables, workload_);
  }

  sm::Workload workload_;
  Made host_;
  Made device_;
};

/// A number of free proposers at which a run tapers, another for each run. Few are free most of the
/// time, so small numbers are met late, and large ones at once.
std::int64_t any_taper_live(std::uint64_t n, std::uint64_t seed, int repetition) {
  std::mt19937_64 random(seed * 1'000'003 + static_cast<std::uint64_t>(repetition));
  auto const up_to = [&](std::uint64_t most) { return random() % (most + 1); };
  return static_cast<std::int64_t>(up_to(up_to(n)));
}

/// Where there is no device, engines that devices share run too, to try them: not without a word.
void note_shards_on_the_host(Experiment const& experiment) {
  for (auto const& engine : experiment.engines) {
    if (engine.sharing.devices > 0 && !find_backend("device")) {
      fmt::print(stderr, "note      {}: this build has no device, and its shards are on the host\n",
                 engine.name);
    }
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
    constexpr std::uint64_t worth_a_word = std::uint64_t{1} << 20;
    if (needed < worth_a_word) {
      continue;
    }
    fmt::print(stderr, "memory    {}: {} for n = {} with its solution{}\n", engine.name,
               io::human_bytes(needed), io::grouped(n),
               engine.sharing.devices > 1 ? ", on the first device" : "");
  }
}

/// The first answer of an instance for a proposing side; every other must be the same.
struct Answer {
  std::string hash;
  std::string engine;
};

/// What an engine lacks to run here; nothing if it can.
std::string lack_of(Engine const& engine) {
  std::string lack = lack_of_backend(engine.backend);
  if (lack.empty() && engine.options.tail == sm::Tail::host &&
      find_backend("device") != find_backend(engine.backend)) {
    lack = fmt::format("tail: host leaves a device, and {} is the host itself",
                       require_backend(engine.backend));
  }
  return lack;
}

class MarriageBench final : public Bench<CaseResult> {
 public:
  explicit MarriageBench(Experiment const& experiment) : experiment_(experiment) {}

  std::vector<CaseResult> plan() const override {
    std::vector<CaseResult> cases;
    for (auto const& workload : experiment_.workloads) {
      for (auto const n : workload.sizes) {
        for (auto const seed : experiment_.seeds) {
          for (auto const& engine : experiment_.engines) {
            if (workload.runs(engine)) {
              auto& wanted = cases.emplace_back();
              wanted.workload = workload.label();
              wanted.n = n;
              wanted.seed = seed;
              wanted.engine = engine.name;
              wanted.backend = require_backend(engine.backend);
            }
          }
        }
      }
    }
    return cases;
  }

  void begin(CaseResult const& first) override {
    auto const& workload =
        *std::ranges::find(experiment_.workloads, first.workload, &WorkloadSpec::label);
    instances_.emplace(
        sm::Workload{workload.family, first.n, first.seed, workload.group_size, workload.strength});
    answers_.clear();
  }

  std::vector<std::string> prepare(CaseResult& result) override {
    result.generation_seconds = instances_->on(result.backend, engine_of(result)).seconds;
    return {};
  }

  bool run(CaseResult& result, int repetition) override {
    auto const& engine = engine_of(result);
    auto const& problem = *instances_->on(result.backend, engine).problem;
    auto options = engine.options;
    if (engine.tapers_anywhere) {
      options.taper_live = any_taper_live(result.n, result.seed, repetition);
    }
    auto solved = problem.solve(result.backend, options);
    if (repetition < 0) {
      return true;
    }
    auto const hash = hash_matching(solved.partner_of_man);
    if (repetition == 0) {
      result.matching_hash = hash;
      if (experiment_.verify) {
        auto const verdict = problem.verify(solved.partner_of_man);
        result.blocking_pairs = verdict.blocking_pairs;
        if (!verdict.perfect_matching) {
          fail(result, "not a perfect matching");
        } else if (!verdict.stable()) {
          fail(result,
               fmt::format("not stable: {} blocking pairs", io::grouped(verdict.blocking_pairs)));
        }
      }
    } else if (hash != result.matching_hash) {
      fail(result, fmt::format("repetition {} gave another matching", repetition + 1));
    }
    solved.partner_of_man = {};
    result.runs.push_back(std::move(solved));
    return true;
  }

  void finish(CaseResult& result) override {
    auto const& [answer, fresh] = answers_.try_emplace(engine_of(result).options.proposer,
                                                       Answer{result.matching_hash, result.engine});
    if (!fresh && answer->second.hash != result.matching_hash) {
      fail(result, fmt::format("another matching than {}", answer->second.engine));
    }
  }

  void recall(CaseResult const& earlier) override {
    answers_.try_emplace(engine_of(earlier).options.proposer,
                         Answer{earlier.matching_hash, earlier.engine});
  }

  std::string table(std::span<CaseResult const> cases) const override {
    return result_table(experiment_, cases);
  }
  std::string remark(std::span<CaseResult const>) const override {
    bool const copies = std::ranges::any_of(
        experiment_.engines, [](Engine const& engine) { return engine.tables != Tables::device; });
    return fmt::format("ratio: times faster than {}, by medians. Times are of the solve, without "
                       "making the instance{}.",
                       experiment_.baseline,
                       copies ? "; where there is a copy, from tables in host memory to the "
                                "matching there"
                              : "");
  }
  std::string verdict(std::span<CaseResult const> cases) const override {
    return fmt::format("all {} answers are perfect, stable and equal between the engines",
                       cases.size());
  }

 private:
  Engine const& engine_of(CaseResult const& result) const {
    return *std::ranges::find(experiment_.engines, result.engine, &Engine::name);
  }

  static void fail(CaseResult& result, std::string reason) {
    if (result.failure.empty()) {
      result.failure = std::move(reason);
    }
  }

  Experiment const& experiment_;
  std::optional<Instances> instances_;
  std::map<sm::Proposer, Answer> answers_;
};

}  // namespace

int run_experiment(Experiment experiment, bool resume) {
  settle(experiment.engines, "engine", experiment.skip_missing_backends, lack_of);
  settle_baseline(experiment.baseline, experiment.engines);
  note_shards_on_the_host(experiment);
  check_memory(experiment);
  MarriageBench bench(experiment);
  return run_cases(experiment, bench, resume);
}

}  // namespace taper::app
