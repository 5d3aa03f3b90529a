// SPDX-License-Identifier: Apache-2.0
#include "cli_options.hpp"
#include "command.hpp"
#include "experiment_keys.hpp"
#include "profile.hpp"
#include "run_cover_experiment.hpp"
#include "run_experiment.hpp"
#include "run_matmul_experiment.hpp"
#include "run_propagator_experiment.hpp"
#include "runtime.hpp"

#include <memory>

namespace taper::app {
namespace {

struct Arguments {
  std::string config;
  std::vector<std::string> overrides;
  std::string profile;
  int threads = 0;
  bool resume = false;
};

int execute(Arguments const& arguments, Runtime& runtime) {
  auto profile = find_profile(arguments.profile);
  auto const start = [&](auto experiment, auto const& run) {
    if (arguments.threads > 0) {
      experiment.threads = arguments.threads;
    }
    runtime.start(experiment.threads);
    settle_profile(profile);
    experiment.profile = profile.stored ? &*profile.stored : nullptr;
    if constexpr (requires { experiment.engines.front().options.machine; }) {
      for (auto& engine : experiment.engines) {
        engine.options.machine = profile.machine();
      }
    }
    return run(std::move(experiment), arguments.resume);
  };
  auto const root = Node::load(arguments.config, arguments.overrides);
  switch (read_experiment_kind(root)) {
  case ExperimentKind::vertex_cover:
    return start(read_cover_experiment(root), run_cover_experiment);
  case ExperimentKind::matmul:
    return start(read_matmul_experiment(root), run_matmul_experiment);
  case ExperimentKind::marriage_propagator:
    return start(read_propagator_experiment(root), run_propagator_experiment);
  case ExperimentKind::stable_marriage:
    break;
  }
  return start(read_experiment(root), run_experiment);
}

}  // namespace

Command add_run(CLI::App& app, Runtime& runtime) {
  auto* command = app.add_subcommand(
      "run", "run an experiment, verify every answer, write results.json and .csv");
  auto arguments = std::make_shared<Arguments>();
  command
      ->add_option("CONFIG", arguments->config,
                   "the experiment, in YAML; docs/configuration.md has the keys")
      ->required()
      ->type_name("");
  command
      ->add_option("SETTING", arguments->overrides,
                   "KEY=VALUE: a key to change; a dot goes down a level")
      ->type_name("");
  command->add_flag("--resume", arguments->resume,
                    "keep the cases that the results' folder holds already");
  add_profile(*command, arguments->profile);
  add_threads(*command, arguments->threads);
  command->footer("Example:\n"
                  "  taper run configs/quickstart.yaml scale=0.5 seeds=[1,2] workloads.0=uniform");
  return {command, [arguments, &runtime] { return execute(*arguments, runtime); }};
}

}  // namespace taper::app
