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

struct Arguments {
  std::filesystem::path output;
  bool quick = false;
  int threads = 0;
};

std::string threshold(std::uint64_t value) {
  return value == PropagatorThresholds::never ? "never" : std::to_string(value);
}

Rows measured(Tuning const& tuning) {
  Rows rows{{"measured", "median", "spread", "samples"}};
  for (auto const& [key, median, spread, samples] : tuning.measurements) {
    rows.push_back({key, fmt::format("{:.4g}", median), fmt::format("{:.0f} %", 100 * spread),
                    std::to_string(samples)});
  }
  return rows;
}

Rows chosen(Tuning const& tuning) {
  Rows rows{{"choice", "from", "size", "first", "second"}};
  for (auto const& choice : tuning.choices) {
    auto name = choice.key;
    auto from = threshold(second_wins_from(choice.crossings));
    for (auto const& [size, first, second] : choice.crossings) {
      rows.push_back({std::exchange(name, {}), std::exchange(from, {}), std::to_string(size),
                      choice.first + " " + format_seconds(first),
                      choice.second + " " + format_seconds(second)});
    }
  }
  return rows;
}

Rows checked(Tuning const& tuning) {
  Rows rows{{"check", "serial", "parallel", "hybrid", "hybrid / better"}};
  for (auto const& [key, serial, parallel, hybrid] : tuning.checks) {
    rows.push_back({key, format_seconds(serial), format_seconds(parallel), format_seconds(hybrid),
                    fmt::format("{:.2f}", hybrid / std::min(serial, parallel))});
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

int execute(Arguments const& arguments, Runtime& runtime) {
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
  fmt::print("{}\n{}\n{}\n{}", align(measured(tuning), 1), align(chosen(tuning), 1),
             align(checked(tuning), 1), align(swept(tuning), 1));
  if (tuning.concurrent_threads < 0.8 * tuning.host_threads) {
    fmt::print(
        stderr,
        "note: {:.1f} of {} host threads ran at the same time; the machine has other work, so "
        "repeat `taper tune` when it has none\n",
        tuning.concurrent_threads, tuning.host_threads);
  }
  write_profile(file, {profile_origin(), tuning.machine});
  fmt::print("\nprofile: {}\n", file.string());
  return 0;
}

}  // namespace

Command add_tune(CLI::App& app, Runtime& runtime) {
  auto* command = app.add_subcommand(
      "tune", "measure this machine, and write the profile that scheduling decisions read");
  auto arguments = std::make_shared<Arguments>();
  add_output(*command, arguments->output,
             "the file of the profile (default: taper/profile.yaml in $XDG_CONFIG_HOME or "
             "~/.config, where all commands find it)");
  command->add_flag("--quick", arguments->quick,
                    "fewer samples and sizes, for some seconds in all");
  add_threads(*command, arguments->threads);
  command->footer("Example: takes less than a minute; run it while the machine has no other work.\n"
                  "  taper tune -o mine.yaml\n"
                  "  taper run configs/quickstart.yaml --profile mine.yaml");
  return {command, [arguments, &runtime] { return execute(*arguments, runtime); }};
}

}  // namespace taper::app
