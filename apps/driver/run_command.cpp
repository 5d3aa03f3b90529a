// SPDX-License-Identifier: Apache-2.0
#include "algorithm.hpp"
#include "cli_options.hpp"
#include "command.hpp"
#include "report.hpp"

#include <experiment/profile.hpp>
#include <mpi/processes.hpp>
#include <support/config_error.hpp>
#include <support/interrupt.hpp>
#include <support/message.hpp>
#include <support/runtime.hpp>
#include <support/text.hpp>

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <memory>
#include <system_error>

namespace taper::app {
namespace {

struct RunArguments {
  std::string config;
  std::vector<std::string> overrides;
  std::string profile;
  int threads = 0;
  bool resume = false;
  bool report = false;
};

/// The algorithm that the key `algorithm` names; without the key: the first of the build.
Algorithm const& algorithm_of(Node const& root) {
  auto const key = root.find("algorithm");
  for (auto const name : left_out_algorithms()) {
    if (key && key->is_word(name)) {
      key->fail("not an algorithm of this driver" + left_out_note());
    }
  }
  return *algorithms()[key ? key->choice(names_in(algorithms(), &Algorithm::name)) : 0];
}

/// When the file was written last; the minimum if it does not exist.
std::filesystem::file_time_type time_of(std::filesystem::path const& file) {
  std::error_code missing;
  return std::filesystem::last_write_time(file, missing);
}

/// Runs the experiment in this process. The others do what it tells them.
int run(Experiment& experiment, ProfileInUse const& profile, RunArguments const& arguments) {
  auto& settings = experiment.settings();
  settings.profile = profile.stored ? &*profile.stored : nullptr;
  experiment.use_machine(profile.machine());
  auto const results = settings.output / "results.json";
  auto const before = time_of(results);
  auto const status = experiment.run(arguments.resume);
  if (arguments.report && Interrupt::requested()) {
    print_message("taper run: no report; `taper report {}` writes it\n", settings.output.string());
  } else if (arguments.report && time_of(results) != before) {
    write_report(settings.output / "report.html", std::array{settings.output}, {});
  }
  return status;
}

int execute(RunArguments const& arguments, Runtime& runtime) {
  ProfileInUse profile;
  Algorithm const* algorithm = nullptr;
  std::unique_ptr<Experiment> experiment;
  together([&] {
    profile = find_profile(arguments.profile);
    auto const root = Node::load(arguments.config, arguments.overrides);
    algorithm = &algorithm_of(root);
    experiment = algorithm->read(root);
  });
  if (processes().count > 1 && algorithm->serve == nullptr) {
    throw ConfigError(fmt::format("experiments of {} run in one process; mpirun has started {}",
                                  algorithm->name, processes().count));
  }
  auto& settings = experiment->settings();
  if (arguments.threads > 0) {
    settings.threads = arguments.threads;
  }
  start_runtime(runtime, settings.threads);
  if (processes().own != 0) {
    algorithm->serve();
    return 0;
  }
  CommandsToOthers const others;
  reject_foreign_profile(profile);
  return run(*experiment, profile, arguments);
}

}  // namespace

Command add_run(CLI::App& app, Runtime& runtime) {
  auto* command = app.add_subcommand(
      "run", "run an experiment, verify every answer, and write results.json and results.csv");
  auto arguments = std::make_shared<RunArguments>();
  add_positional(*command, "CONFIG", arguments->config,
                 "the experiment in YAML; docs/configuration.md lists the keys");
  command
      ->add_option("SETTING", arguments->overrides,
                   "KEY=VALUE replaces a value of CONFIG; a dot in KEY goes down a level")
      ->type_name("");
  command->add_flag("--resume", arguments->resume,
                    "keep the cases that the folder of the results holds already");
  command->add_flag("--report", arguments->report,
                    "write report.html beside the results: see taper report");
  add_profile(*command, arguments->profile);
  add_threads(*command, arguments->threads);
  command->footer("Example:\n"
                  "  taper run configs/quickstart.yaml scale=0.5 seeds=[1,2] workloads.0=uniform");
  return {command, [arguments, &runtime] { return execute(*arguments, runtime); }};
}

}  // namespace taper::app
