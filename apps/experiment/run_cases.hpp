// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "case_results.hpp"
#include "config_error.hpp"
#include "interrupt.hpp"
#include "progress.hpp"
#include "runtime.hpp"

#include <io/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taper::app {

/// What an algorithm brings to its experiments: its axes, a run, and what makes it right.
/// run_cases() does the rest. Cases are described in case_results.hpp.
template <class Case>
class Bench {
 public:
  virtual ~Bench() = default;

  /// The cases in the order in which they run, with all that same_case() compares and their backend.
  virtual std::vector<Case> plan() const = 0;
  /// Cases of another subject() begin: what was kept for the last one can go.
  virtual void begin(Case const& first) = 0;
  /// Makes what the case works on, where it is not there yet, and returns what there is to remark.
  /// May throw io::Interrupted where Ctrl-C comes first.
  virtual std::vector<std::string> prepare(Case& result) = 0;
  /// One run, a warm-up where `repetition` is negative. False: another one would say nothing new.
  virtual bool run(Case& result, int repetition) = 0;
  /// After the repetitions: compares the answer with those to the same question.
  virtual void finish(Case& result) = 0;
  /// A case that an earlier run of the experiment has measured.
  virtual void recall(Case const& earlier) = 0;

  /// What is printed of the cases at the end: a table, a line about it, and what `verified` means.
  virtual std::string table(std::span<Case const> cases) const = 0;
  virtual std::string remark(std::span<Case const> cases) const = 0;
  virtual std::string verdict(std::span<Case const> cases) const = 0;
};

/// Drops the engines that lack something, or throws, as the experiment wants it. `lack_of` says
/// what, or nothing.
template <class Engine, class Lack>
void settle(std::vector<Engine>& engines, std::string_view what, bool skip_missing,
            Lack const& lack_of) {
  std::erase_if(engines, [&](Engine const& engine) {
    std::string const lack = lack_of(engine);
    if (!lack.empty() && !skip_missing) {
      throw ConfigError(fmt::format("{} '{}': {}; skip_missing_backends=true leaves it out", what,
                                    engine.name, lack));
    }
    if (!lack.empty()) {
      fmt::print(stderr, "skipped: {}: {}\n", engine.name, lack);
    }
    return !lack.empty();
  });
  if (engines.empty()) {
    throw ConfigError(fmt::format("no {} is left that this build can run", what));
  }
}

/// What a backend lacks to run here; nothing if it can.
inline std::string lack_of_backend(std::string_view backend) {
  try {
    require_backend(backend);
    return {};
  } catch (ConfigError const& error) {
    return error.what();
  }
}

/// The same for engines whose backend this build lacks.
template <class Engine>
void settle_backends(std::vector<Engine>& engines, std::string_view what, bool skip_missing) {
  settle(engines, what, skip_missing,
         [](Engine const& engine) { return lack_of_backend(engine.backend); });
}

/// The first engine takes the place of a baseline that was dropped.
template <class Engine>
void settle_baseline(std::string& baseline, std::vector<Engine> const& engines) {
  if (std::ranges::find(engines, baseline, &Engine::name) == engines.end()) {
    baseline = engines.front().name;
    fmt::print(stderr, "the baseline is left out: {} takes its place\n", baseline);
  }
}

/// Warm-up, the repetitions that `result` has not had, verification of what there is then. False
/// where Ctrl-C came before the last one.
template <class Experiment, class Case>
bool measure(Experiment const& experiment, Bench<Case>& bench, Case& result) {
  constexpr int warm_up = -1;
  auto const had = static_cast<int>(result.runs.size());
  bool more = true;
  for (int repetition = had - experiment.warmup;
       more && repetition < experiment.repetitions && !Interrupt::requested(); ++repetition) {
    more = bench.run(result, repetition < had ? warm_up : repetition);
  }
  if (!result.runs.empty()) {
    bench.finish(result);
    result.verified = experiment.verify && result.failure.empty();
  }
  return !Interrupt::requested() || std::ssize(result.runs) == experiment.repetitions;
}

/// Runs every case of the plan that `results` does not hold. False where Ctrl-C ended it early.
template <class Experiment, class Case>
bool run_plan(Experiment const& experiment, Bench<Case>& bench, std::span<Case const> plan,
              Results<Experiment, Case>& results) {
  Interrupt const interrupt("\ntaper run: ends after what runs now; Ctrl-C again ends at once\n");
  Progress progress(plan.size());
  std::string subject;
  for (std::size_t done = 0; done < plan.size(); ++done) {
    if (Interrupt::requested()) {
      return false;
    }
    auto result = plan[done];
    if (done == 0 || result.subject() != subject) {
      subject = result.subject();
      bench.begin(result);
    }
    if (auto const* earlier = results.find(result)) {
      bench.recall(*earlier);
      continue;
    }
    progress.show(done, fmt::format("{}, {}", subject, result.task()));
    try {
      for (auto const& note : bench.prepare(result)) {
        progress.clear();
        fmt::print(stderr, "note: {}\n", note);
      }
    } catch (io::Interrupted const&) {
      return false;
    }
    if (auto begun = results.take_begun(result)) {
      result = std::move(*begun);
    }
    auto const whole = measure(experiment, bench, result);
    if (!result.failure.empty()) {
      progress.clear();
      fmt::print(stderr, "WRONG: {}, {}: {}\n", subject, result.task(), result.failure);
    }
    if (!result.runs.empty()) {
      results.add(std::move(result), whole);
    }
    if (!whole) {
      return false;
    }
  }
  return true;
}

/// What is told where Ctrl-C ended a run early.
template <class Case>
std::string interruption(std::size_t finished, std::size_t planned, std::span<Case const> cases) {
  if (cases.empty()) {
    return "interrupted before anything was measured";
  }
  auto const begun = cases.size() > finished ? fmt::format(" and {} of the next one's repetitions",
                                                           cases.back().runs.size())
                                             : std::string{};
  return fmt::format("interrupted after {} of {} cases{}; --resume goes on from there", finished,
                     planned, begun);
}

/// Runs every case, writes results.json and results.csv after each, and prints the table.
///
/// `resume`: cases that the results' folder holds already are kept. Requires a started Runtime.
/// Returns the exit status: 0, or 1 where an answer is wrong or Ctrl-C ended the run early.
/// Throws: ConfigError, taper::Error.
template <class Experiment, class Case>
int run_cases(Experiment const& experiment, Bench<Case>& bench, bool resume) {
  auto const plan = bench.plan();
  Results<Experiment, Case> results(experiment, provenance_json(experiment.profile));
  if (resume) {
    results.resume();
  }
  auto const& cases = results.cases();
  if (!cases.empty()) {
    fmt::print(stderr, "{} of {} cases are there already\n", results.finished_cases(), plan.size());
  }
  auto const finished = run_plan(experiment, bench, std::span<Case const>(plan), results);
  if (finished) {
    results.complete();
  }

  if (!cases.empty()) {
    fmt::print("{}\n{}\n{}\n", experiment.heading(), bench.table(cases), bench.remark(cases));
    fmt::print("results: {} and {}\n", results.json_path().string(), results.csv_path().string());
  }
  auto const wrong =
      std::ranges::count_if(cases, [](Case const& result) { return !result.failure.empty(); });
  if (wrong > 0) {
    fmt::print("{} of {} answers are WRONG\n", wrong, cases.size());
  } else if (experiment.verify && !cases.empty()) {
    fmt::print("verified: {}\n", bench.verdict(cases));
  }
  if (!finished) {
    fmt::print(stderr, "taper run: {}\n",
               interruption<Case>(results.finished_cases(), plan.size(), cases));
  }
  return finished && wrong == 0 ? 0 : 1;
}

}  // namespace taper::app
