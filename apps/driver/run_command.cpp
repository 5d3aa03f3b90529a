// SPDX-License-Identifier: Apache-2.0
#include "algorithm.hpp"
#include "cli_options.hpp"
#include "command.hpp"

#include <experiment/profile.hpp>
#include <support/runtime.hpp>

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

/// The algorithm that the key `algorithm` names; without the key: the first of the build.
Algorithm const& algorithm_of(Node const& root) {
  std::vector<std::string_view> names;
  for (auto const* algorithm : algorithms()) {
    names.push_back(algorithm->name);
  }
  auto const key = root.find("algorithm");
  return *algorithms()[key ? key->choice(names) : 0];
}

int execute(Arguments const& arguments, Runtime& runtime) {
  auto profile = find_profile(arguments.profile);
  auto const root = Node::load(arguments.config, arguments.overrides);
  auto const experiment = algorithm_of(root).read(root);
  auto& settings = experiment->settings();
  if (arguments.threads > 0) {
    settings.threads = arguments.threads;
  }
  runtime.start(settings.threads);
  reject_foreign_profile(profile);
  settings.profile = profile.stored ? &*profile.stored : nullptr;
  experiment->use_machine(profile.machine());
  return experiment->run(arguments.resume);
}

}  // namespace

Command add_run(CLI::App& app, Runtime& runtime) {
  auto* command = app.add_subcommand(
      "run", "run an experiment, verify every answer, and write results.json and results.csv");
  auto arguments = std::make_shared<Arguments>();
  command
      ->add_option("CONFIG", arguments->config,
                   "the experiment in YAML; docs/configuration.md lists the keys")
      ->required()
      ->type_name("");
  command
      ->add_option("SETTING", arguments->overrides,
                   "KEY=VALUE replaces a value of CONFIG; a dot in KEY goes down a level")
      ->type_name("");
  command->add_flag("--resume", arguments->resume,
                    "keep the cases that the folder of the results holds already");
  add_profile(*command, arguments->profile);
  add_threads(*command, arguments->threads);
  command->footer("Example:\n"
                  "  taper run configs/quickstart.yaml scale=0.5 seeds=[1,2] workloads.0=uniform");
  return {command, [arguments, &runtime] { return execute(*arguments, runtime); }};
}

}  // namespace taper::app
