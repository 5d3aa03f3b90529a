// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "case_results.hpp"

#include <support/config_error.hpp>
#include <support/interrupt.hpp>
#include <support/message.hpp>
#include <support/progress.hpp>
#include <support/runtime.hpp>

#include <io/text/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taper::app {

/// An algorithm's part of its experiments: the plan of cases, a run, and the check of its answer.
/// run_cases() does the rest. case_results.hpp describes Case.
template <class Case>
class Bench {
 public:
  virtual ~Bench() = default;

  /// The cases in the order of their runs. Each has its backend and the members that same_case()
  /// compares; the other members are empty.
  virtual std::vector<Case> plan() const = 0;
  /// Called before the first case of each subject(). Releases the previous subject's data.
  virtual void begin(Case const& first) = 0;
  /// Reads or generates the instance of the case, if that has not been done. Returns notes for
  /// stderr. Throws io::Interrupted if a signal stops it.
  virtual std::vector<std::string> prepare(Case& result) = 0;
  /// One run; a warm-up if `repetition` is negative. Returns false if further repetitions are
  /// useless.
  virtual bool run(Case& result, int repetition) = 0;
  /// Called after the repetitions. Compares the answer with those of other engines.
  virtual void finish(Case&) {}
  /// Called instead of run() for a case that is resumed from results.json. Keeps its answer, so
  /// that finish() can compare others with it.
  virtual void recall(Case const&) {}

  // The output at the end: a remark below the table, and the sentence behind "verified: ".
  virtual std::string remark(std::span<Case const> cases) const = 0;
  virtual std::string verdict(std::span<Case const> cases) const = 0;
};

/// Drops the engines that cannot run here, each with a line on stderr. missing_requirement(engine)
/// returns the reason; empty: the engine can run. `what`: "engine" or "solver".
/// Throws ConfigError for such an engine unless `skip_missing`, and if no engine is left.
template <class Engine, class MissingRequirement>
void drop_unavailable(std::vector<Engine>& engines, std::string_view what, bool skip_missing,
                      MissingRequirement const& missing_requirement) {
  std::erase_if(engines, [&](Engine const& engine) {
    std::string const missing = missing_requirement(engine);
    if (!missing.empty() && !skip_missing) {
      throw ConfigError(fmt::format("{} '{}': {}; skip_missing_backends=true leaves it out", what,
                                    engine.name, missing));
    }
    if (!missing.empty()) {
      print_message("skipped: {}: {}\n", engine.name, missing);
    }
    return !missing.empty();
  });
  if (engines.empty()) {
    throw ConfigError(fmt::format("no {} is left that can run here", what));
  }
}

/// The reason why this build cannot run on a backend; empty if it can.
inline std::string missing_backend(std::string_view backend) {
  try {
    require_backend(backend);
    return {};
  } catch (ConfigError const& error) {
    return error.what();
  }
}

/// Drops the engines whose backend this build does not have, as drop_unavailable().
template <class Engine>
void drop_missing_backends(std::vector<Engine>& engines, std::string_view what, bool skip_missing) {
  drop_unavailable(engines, what, skip_missing,
                   [](Engine const& engine) { return missing_backend(engine.backend); });
}

/// Replaces a baseline that was dropped by the first engine, with a line on stderr.
template <class Engine>
void replace_missing_baseline(std::string& baseline, std::vector<Engine> const& engines) {
  if (std::ranges::find(engines, baseline, &Engine::name) == engines.end()) {
    baseline = engines.front().name;
    print_message("the baseline was dropped; the new one is {}\n", baseline);
  }
}

/// The message of a run that a signal ended early.
template <class Case>
std::string interruption_message(std::size_t finished, std::size_t planned,
                                 std::span<Case const> cases) {
  if (cases.empty()) {
    return "interrupted before the first measurement";
  }
  auto const partial = cases.size() > finished ? fmt::format(" and {} repetitions of the next case",
                                                             cases.back().runs.size())
                                               : std::string{};
  return fmt::format("interrupted after {} of {} cases{}; --resume continues from there", finished,
                     planned, partial);
}

/// Access to the results for two threads: the one that runs the cases, and the one that saves the
/// results if a run does not end soon after a signal.
template <class Experiment, class Case>
class SharedResults {
 public:
  SharedResults(Results<Experiment, Case>& results, std::size_t planned)
      : results_(results), planned_(planned) {}

  /// Before work on a case that may take long: the repetitions to save if it does not end.
  void begin_work(Case const& result) {
    std::lock_guard const lock(mutex_);
    running_ = result;
  }
  /// Lets the bench recall a stored case that has all repetitions. Returns whether there is one.
  bool recall(Bench<Case>& bench, Case const& wanted) {
    std::lock_guard const lock(mutex_);
    auto const* earlier = results_.find(wanted);
    if (earlier != nullptr) {
      bench.recall(*earlier);
    }
    return earlier != nullptr;
  }
  /// Continues with the stored repetitions of a case that lacks some.
  void resume(Case& result) {
    std::lock_guard const lock(mutex_);
    if (auto unfinished = results_.take_unfinished(result)) {
      result = std::move(*unfinished);
      running_ = result;
    }
  }
  void add(Case result, bool complete) {
    std::lock_guard const lock(mutex_);
    running_.reset();
    results_.add(std::move(result), complete);
  }
  /// As Interrupt::Save. The running repetition is lost, and the case is not verified.
  std::optional<int> save() {
    std::unique_lock const lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) {
      return std::nullopt;
    }
    if (running_ && !running_->runs.empty()) {
      running_->verified = false;
      results_.add(std::move(*running_), false);
    }
    results_.flush();
    print_message("taper run: {}\n", interruption_message<Case>(results_.finished_cases(), planned_,
                                                                results_.cases()));
    return 1;
  }

 private:
  std::mutex mutex_;
  Results<Experiment, Case>& results_;
  std::size_t planned_;
  std::optional<Case> running_;
};

/// Runs the warm-ups and the repetitions that `result` lacks, and verifies. Returns false if a
/// signal came before the last repetition.
template <class Experiment, class Case>
bool measure(Experiment const& experiment, Bench<Case>& bench, Case& result,
             SharedResults<Experiment, Case>& shared) {
  constexpr int warm_up = -1;
  auto const stored = static_cast<int>(result.runs.size());
  bool more = true;
  for (int repetition = stored - experiment.warmup;
       more && repetition < experiment.repetitions && !Interrupt::requested(); ++repetition) {
    shared.begin_work(result);
    more = bench.run(result, repetition < stored ? warm_up : repetition);
  }
  if (!result.runs.empty()) {
    shared.begin_work(result);
    bench.finish(result);
    result.verified = experiment.verify && result.failure.empty();
  }
  return !Interrupt::requested() || std::ssize(result.runs) == experiment.repetitions;
}

/// Runs the cases of the plan that `results` does not hold. Returns false if a signal ended it
/// early.
template <class Experiment, class Case>
bool run_plan(Experiment const& experiment, Bench<Case>& bench, std::span<Case const> plan,
              Results<Experiment, Case>& results) {
  SharedResults<Experiment, Case> shared(results, plan.size());
  Interrupt const interrupt("\ntaper run: ends after this repetition, or in half a second\n",
                            [&] { return shared.save(); });
  Progress progress(plan.size());
  if (experiment.progress != nullptr) {
    experiment.progress->cases = plan.size();
  }
  std::string subject;
  for (std::size_t done = 0; done < plan.size(); ++done) {
    if (experiment.progress != nullptr) {
      experiment.progress->done = done;
    }
    if (Interrupt::requested()) {
      return false;
    }
    auto result = plan[done];
    if (done == 0 || result.subject() != subject) {
      subject = result.subject();
      bench.begin(result);
    }
    if (shared.recall(bench, result)) {
      continue;
    }
    progress.show(done, fmt::format("{}, {}", subject, result.task()));
    try {
      for (auto const& note : bench.prepare(result)) {
        progress.clear();
        print_message("note: {}\n", note);
      }
    } catch (io::Interrupted const&) {
      return false;
    }
    shared.resume(result);
    auto const complete = measure(experiment, bench, result, shared);
    if (!result.failure.empty()) {
      progress.clear();
      print_message("WRONG: {}, {}: {}\n", subject, result.task(), result.failure);
    }
    if (!result.runs.empty()) {
      shared.add(std::move(result), complete);
    }
    if (!complete) {
      return false;
    }
  }
  return true;
}

/// Runs every case, writes results.json and results.csv after each, and prints the table.
///
/// `resume`: keeps the cases of the folder's results.json. Requires a started Runtime. Returns the
/// exit status: 0, or 1 if an answer is wrong or a signal ended the run early. Throws: ConfigError,
/// taper::Error.
template <class Experiment, class Case>
int run_cases(Experiment const& experiment, Bench<Case>& bench, bool resume) {
  auto const plan = bench.plan();
  Results<Experiment, Case> results(experiment, provenance_json(experiment.profile));
  if (resume) {
    results.resume();
  }
  auto const& cases = results.cases();
  if (!cases.empty()) {
    print_message("{} of {} cases are complete already\n", results.finished_cases(), plan.size());
  }
  auto const finished = run_plan(experiment, bench, std::span<Case const>(plan), results);
  if (finished) {
    results.complete();
  }

  if (!cases.empty()) {
    fmt::print("{}\n{}\n{}\n", experiment.heading(),
               result_table(experiment, std::span<Case const>(cases)), bench.remark(cases));
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
    print_message("taper run: {}\n",
                  interruption_message<Case>(results.finished_cases(), plan.size(), cases));
  }
  return finished && wrong == 0 ? 0 : 1;
}

}  // namespace taper::app
