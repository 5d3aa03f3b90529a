// SPDX-License-Identifier: Apache-2.0
#include "cli_options.hpp"
#include "command.hpp"
#include "tuning.hpp"

#include <experiment/columns.hpp>
#include <experiment/profile.hpp>
#include <support/config_error.hpp>
#include <support/progress.hpp>
#include <support/runtime.hpp>
#include <support/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace taper::app {
namespace {

using Rows = std::vector<std::vector<std::string>>;

struct TuneArguments {
  std::filesystem::path output;
  bool quick = false;
  int threads = 0;
};

std::string threshold(std::uint64_t value) {
  return value == PropagatorThresholds::never ? "never" : std::to_string(value);
}

std::string time_text(double seconds) {
  return is_time(seconds) ? format_seconds(seconds) : "none";
}

Rows measured(Tuning const& tuning) {
  Rows rows{{"measured", "median", "spread", "samples"}};
  for (auto const& [key, median, spread, samples] : tuning.measurements) {
    rows.push_back({key, fmt::format("{:.4g}", median), fmt::format("{:.0f} %", 100 * spread),
                    std::to_string(samples)});
  }
  return rows;
}

/// Per choice the two sizes around its threshold, and the two around its end.
Rows chosen(Tuning const& tuning) {
  Rows rows{{"choice", "from", "size", "first", "second"}};
  for (auto const& choice : tuning.choices) {
    auto const [from, end] = choice.window();
    auto name = choice.key;
    auto sizes =
        end == PropagatorThresholds::never ? threshold(from) : fmt::format("{} to {}", from, end);
    for (std::size_t i = 0; i < choice.crossings.size(); ++i) {
      auto const& [size, first, second] = choice.crossings[i];
      bool const last = i + 1 == choice.crossings.size();
      auto const next = last ? PropagatorThresholds::never : choice.crossings[i + 1].size;
      auto const before = i == 0 ? 0 : choice.crossings[i - 1].size;
      auto const is_around = [&](std::uint64_t limit) {
        return (size < limit && limit <= next) || (before < limit && limit <= size);
      };
      if (is_around(from) || (end != PropagatorThresholds::never && is_around(end))) {
        rows.push_back({std::exchange(name, {}), std::exchange(sizes, {}), std::to_string(size),
                        choice.first + " " + time_text(first),
                        choice.second + " " + time_text(second)});
      }
    }
  }
  return rows;
}

Rows checked(Tuning const& tuning) {
  Rows rows{{"check", "chosen / better", "chosen", "ways"}};
  for (auto const& check : tuning.checks) {
    std::string ways;
    for (auto const& [name, seconds] : check.ways) {
      ways += fmt::format("{}{} {}", ways.empty() ? "" : "  ", name, time_text(seconds));
    }
    rows.push_back({check.policy + ", " + check.cases, fmt::format("{:.2f}", check.ratio()),
                    time_text(check.chosen_seconds), std::move(ways)});
  }
  return rows;
}

/// A row per kind and size: the times of all numbers of threads.
Rows limited(Tuning const& tuning) {
  Rows rows{{"thread_limits", "n", "limit", "threads: time"}};
  for (auto const& sweep : tuning.thread_sweeps) {
    std::string times;
    for (auto const& [threads, seconds] : sweep.times) {
      times += fmt::format("{}{}: {}", times.empty() ? "" : "  ", threads, time_text(seconds));
    }
    rows.push_back({std::string(to_string(sweep.lists)), std::to_string(sweep.n),
                    sweep.limit ? std::to_string(*sweep.limit) : "none", std::move(times)});
  }
  return rows;
}

/// A row per engine and kernel: the best threshold, and the relative times of the others.
Rows swept(Tuning const& tuning) {
  Rows rows{{"thresholds", "n", "best", "time", "others, relative time"}};
  for (auto const& sweep : tuning.sweeps) {
    auto const best = std::ranges::min(sweep.seconds);
    std::string others;
    for (std::size_t i = 0; i < sweep.thresholds.size(); ++i) {
      if (sweep.thresholds[i] != sweep.best()) {
        others += fmt::format("{}{}: {:.2f}", others.empty() ? "" : "  ", sweep.thresholds[i],
                              sweep.seconds[i] / best);
      }
    }
    rows.push_back({sweep.engine + ", " + sweep.kernel, std::to_string(sweep.n),
                    std::to_string(sweep.best()), format_seconds(best), others});
  }
  return rows;
}

/// Says which choices are wrong, and what to do.
void report_wrong_choices(std::vector<Check> const& checks) {
  auto const lines = wrong_choices(checks);
  for (auto const& line : lines) {
    fmt::print(stderr, "wrong choice: {}\n", line);
  }
  if (!lines.empty()) {
    fmt::print(stderr,
               "{} of {} choices above {} times the better way. Repeat `taper tune` without "
               "--quick while the machine has no other work. If a line stays, choose by hand: "
               "docs/tuning.md names the option of each policy.\n",
               lines.size(), checks.size(), max_ratio);
  }
}

int execute(TuneArguments const& arguments, Runtime& runtime) {
  auto const file = arguments.output.empty() ? default_profile_path() : arguments.output;
  if (file.empty()) {
    throw ConfigError(
        "expected XDG_CONFIG_HOME or HOME in the environment; or name a file with -o");
  }
  runtime.start(arguments.threads);
  Progress progress(measurement_steps());
  std::size_t done = 0;
  auto const tuning =
      measure_machine(arguments.quick, [&](std::string_view what) { progress.show(done++, what); });
  progress.clear();
  fmt::print("{}\n{}\n", align(measured(tuning), 1), align(chosen(tuning), 1));
  if (!tuning.thread_sweeps.empty()) {
    fmt::print("{}\n", align(limited(tuning), 1));
  }
  fmt::print("{}\n{}", align(swept(tuning), 1), align(checked(tuning), 1));
  if (tuning.concurrent_threads < 0.8 * tuning.host_threads) {
    fmt::print(
        stderr,
        "note: {:.1f} of {} host threads ran at the same time; the machine has other work, so "
        "repeat `taper tune` when it has none\n",
        tuning.concurrent_threads, tuning.host_threads);
  }
  write_profile(file, {profile_origin(), tuning.machine});
  fmt::print("\nprofile: {}\n", file.string());
  flush_standard_output();  // before the messages
  report_wrong_choices(tuning.checks);
  return tune_status(tuning.checks);
}

}  // namespace

Command add_tune(CLI::App& app, Runtime& runtime) {
  auto* command = app.add_subcommand(
      "tune", "measure this machine, and write the profile that scheduling decisions read");
  auto arguments = std::make_shared<TuneArguments>();
  add_output(*command, arguments->output,
             "the file of the profile (default: taper/profile.yaml in $XDG_CONFIG_HOME or "
             "~/.config, where all commands find it)");
  command->add_flag("--quick", arguments->quick,
                    "fewer samples and sizes, for a quarter of a minute in all");
  add_threads(*command, arguments->threads);
  command->footer("Example: takes a minute or two; run it while the machine has no other work.\n"
                  "  taper tune -o mine.yaml\n"
                  "  taper run configs/quickstart.yaml --profile mine.yaml\n"
                  "Exit status 1: a choice takes more than 1.25 times as long as the better way.");
  return {command, [arguments, &runtime] { return execute(*arguments, runtime); }};
}

}  // namespace taper::app
