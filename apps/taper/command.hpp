// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <functional>

namespace taper::app {

class Runtime;

/// A subcommand, and what it does once its arguments are read: returns the exit status.
struct Command {
  CLI::App* app;
  std::function<int()> execute;
};

// Each in its own cmd_*.cpp; all add themselves to `app`, and start the runtime only when they
// execute.
Command add_run(CLI::App& app, Runtime& runtime);
Command add_match(CLI::App& app, Runtime& runtime);
Command add_generate(CLI::App& app, Runtime& runtime);
Command add_verify(CLI::App& app, Runtime& runtime);
Command add_info(CLI::App& app, Runtime& runtime);
Command add_plot(CLI::App& app, Runtime& runtime);

}  // namespace taper::app
