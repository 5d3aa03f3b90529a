// SPDX-License-Identifier: Apache-2.0
#include "results.hpp"
#include "table.hpp"

#include <experiment/run_cases.hpp>
#include <mpi/lists.hpp>
#include <mpi/processes.hpp>
#include <support/message.hpp>
#include <support/runtime.hpp>
#include <support/seconds_of.hpp>

#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <random>

namespace taper::app {

namespace sm = stable_marriage;

namespace {

/// The current workload's instances: one for host backends and one for devices, generated when an
/// engine needs them. There is at most one per kind of memory, since each may need most of it.
class Instances {
 public:
  explicit Instances(sm::Workload const& workload) : workload_(workload) {}

  struct Made {
    std::unique_ptr<Problem> problem;
    double seconds = 0;
    Sharding sharding;
    Tables tables = Tables::device;
  };

  /// The instance in the form that `engine` needs.
  Made const& on(std::string_view backend, Engine const& engine) {
    bool const shared = engine.sharding.devices > 0;
    auto& made = find_backend("device") == backend || shared ? device_ : host_;
    if (made.sharding != engine.sharding || made.tables != engine.tables) {
      made = {};
    }
    if (!made.problem) {
      made.sharding = engine.sharding;
      made.tables = engine.tables;
      made.seconds = seconds_of([&] { made.problem = make(backend, engine); });
    }
    return made;
  }

 private:
  std::unique_ptr<Problem> make(std::string_view backend, Engine const& engine) const {
    if (processes().count > 1) {
      return generate_lists(workload_);
    }
    if (engine.sharding.devices > 0) {
      return generate_problem(backend, engine.sharding, workload_);
    }
    return engine.tables == Tables::device ? generate_problem(backend, workload_)
                                           : generate_problem(backend, engine.tables, workload_);
  }

  sm::Workload workload_;
  Made host_;
  Made device_;
};

/// The tail threshold of one run of an engine with `tail_threshold: random`. It is small with a
/// higher probability: most of the time few proposers are free, so only small thresholds taper
/// late.
std::int64_t random_tail_threshold(std::uint64_t n, std::uint64_t seed, int repetition) {
  std::mt19937_64 random(seed * 1'000'003 + static_cast<std::uint64_t>(repetition));
  auto const up_to = [&](std::uint64_t max) { return random() % (max + 1); };
  return static_cast<std::int64_t>(up_to(up_to(n)));
}

/// Engines on several devices also run in a build without a device, for tests. Then a note says so.
void note_shards_on_the_host(MarriageExperiment const& experiment) {
  for (auto const& engine : experiment.engines) {
    if (engine.sharding.devices > 0 && !find_backend("device")) {
      print_message("note      {}: this build has no device; the shards are on the host\n",
                    engine.name);
    }
  }
}

/// Throws ConfigError, before anything is allocated, if an engine's largest instance does not fit.
/// Prints the memory of large instances.
void check_memory(MarriageExperiment const& experiment) {
  for (auto const& engine : experiment.engines) {
    std::size_t n = 0;
    for (auto const& workload : experiment.workloads) {
      if (workload.runs(engine)) {
        n = std::max(n, std::ranges::max(workload.sizes));
      }
    }
    auto const needed = require_memory(engine, n);
    constexpr std::uint64_t min_bytes_to_print = std::uint64_t{1} << 20;
    if (needed < min_bytes_to_print) {
      continue;
    }
    print_message("memory    {}: {} for n = {}, with the solve{}\n", engine.name,
                  io::human_bytes(needed), io::grouped(n),
                  engine.sharding.devices > 1 ? ", on the first device" : "");
  }
}

/// The first answer to an instance and a proposing side. All other answers must equal it.
struct Answer {
  std::string hash;
  std::string engine;
};

class MarriageBench final : public Bench<MarriageCase> {
 public:
  explicit MarriageBench(MarriageExperiment const& experiment) : experiment_(experiment) {}

  static void drop_unavailable(MarriageExperiment& experiment) {
    app::drop_unavailable(experiment.engines, "engine", experiment.skip_missing_backends,
                          [](Engine const& engine) { return missing_backend(engine.backend); });
    replace_missing_baseline(experiment.baseline, experiment.engines);
    if (processes().count > 1) {
      std::ranges::for_each(experiment.engines, require_rounds);
      return;
    }
    note_shards_on_the_host(experiment);
    check_memory(experiment);
  }

  std::vector<MarriageCase> plan() const override {
    std::vector<MarriageCase> cases;
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

  void begin(MarriageCase const& first) override {
    auto const& workload =
        *std::ranges::find(experiment_.workloads, first.workload, &WorkloadSpec::label);
    instances_.emplace(
        sm::Workload{workload.family, first.n, first.seed, workload.group_size, workload.strength});
    answers_.clear();
  }

  std::vector<std::string> prepare(MarriageCase& result) override {
    result.generation_seconds = instances_->on(result.backend, engine_of(result)).seconds;
    return {};
  }

  bool run(MarriageCase& result, int repetition) override {
    auto const& engine = engine_of(result);
    auto const& problem = *instances_->on(result.backend, engine).problem;
    auto options = engine.options;
    if (engine.random_threshold) {
      options.tail_threshold = random_tail_threshold(result.n, result.seed, repetition);
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
      fail(result, fmt::format("repetition {} found a different matching", repetition + 1));
    }
    solved.partner_of_man = {};
    result.traffic = std::move(solved.traffic);
    solved.traffic = {};
    if (experiment_.count == Count::published) {
      solved.report.atomic_operations += solved.report.compare_exchange_reads;
    }
    result.runs.push_back(std::move(solved));
    return true;
  }

  void finish(MarriageCase& result) override {
    auto const& [answer, fresh] = answers_.try_emplace(engine_of(result).options.proposer,
                                                       Answer{result.matching_hash, result.engine});
    if (!fresh && answer->second.hash != result.matching_hash) {
      fail(result, fmt::format("the matching differs from that of {}", answer->second.engine));
    }
  }

  void recall(MarriageCase const& earlier) override {
    answers_.try_emplace(engine_of(earlier).options.proposer,
                         Answer{earlier.matching_hash, earlier.engine});
  }

  std::string remark(std::span<MarriageCase const>) const override {
    bool const copies = std::ranges::any_of(
        experiment_.engines, [](Engine const& engine) { return engine.tables != Tables::device; });
    return fmt::format("ratio: speedup over {}, by medians. Times are of the solve, without "
                       "generating the instance{}.",
                       experiment_.baseline,
                       copies ? "; with a copy they include bringing the tables from host memory "
                                "and the matching back"
                              : "");
  }
  std::string verdict(std::span<MarriageCase const> cases) const override {
    return fmt::format("all {} matchings are perfect, stable and equal for all engines",
                       cases.size());
  }

 private:
  Engine const& engine_of(MarriageCase const& result) const {
    return entry_named(experiment_.engines, result.engine);
  }

  static void fail(MarriageCase& result, std::string reason) {
    if (result.failure.empty()) {
      result.failure = std::move(reason);
    }
  }

  MarriageExperiment const& experiment_;
  std::optional<Instances> instances_;
  std::map<sm::Proposer, Answer> answers_;
};

}  // namespace

std::unique_ptr<Experiment> read_marriage_bench(Node const& root) {
  return std::make_unique<BenchExperiment<MarriageExperiment, MarriageBench>>(
      read_marriage_experiment(root));
}

}  // namespace taper::app
